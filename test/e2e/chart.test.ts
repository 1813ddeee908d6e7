import { expect } from "chai";
import { eventually } from "../support/wait.ts";
import { getJson, helm, kubectl, refusal } from "./support/commands.ts";
import { type Installation, install, readSecret, remove, throughIngress, upgrade } from "./support/installation.ts";

type Pod = { metadata: { name: string; labels: Record<string, string> }; status: { phase: string } };

const report = (name: string, spec: object) =>
  JSON.stringify({ apiVersion: "sitevalidation.io/v1", kind: "Report", metadata: { name }, spec });
const schedule = (name: string, spec: object) =>
  JSON.stringify({ apiVersion: "sitevalidation.io/v1", kind: "Schedule", metadata: { name }, spec });

describe("the Helm chart", () => {
  let installation: Installation;
  let token: string;

  before(async () => {
    // A namespace that enforces Pod Security "restricted": pods that do not meet it are never made.
    installation = await install("chart", { waitFor: ["api"] });
    token = await readSecret(installation, "first-token", "token");
  });
  after(() => remove("chart"));

  it("installs an API that answers through the Ingress to the generated token", async () => {
    const answer = await throughIngress<{ meta: { total: number } }>("/api/v1/reports", { token });
    expect(answer.status).to.equal(200);
    expect(answer.body.meta.total).to.equal(0);
  });

  it("keeps metrics and probes off the Ingress", async () => {
    for (const path of ["/metrics", "/healthz", "/readyz"]) {
      const { status, body } = await throughIngress<string>(path);
      expect(status, path).to.equal(404);
      expect(JSON.stringify(body), path).not.to.contain("process_");
    }
  });

  it("runs two replicas of api and controller", async () => {
    for (const component of ["api", "controller"]) {
      const selector = `app.kubernetes.io/instance=chart,app.kubernetes.io/component=${component}`;
      const { items } = await getJson<{ items: Pod[] }>(["pods", "-n", installation.namespace, "-l", selector]);
      expect(items.length, component).to.equal(2);
    }
  });

  it("has the API server refuse wrong specs in words", async () => {
    const create = ["create", "-n", installation.namespace, "-f", "-"];
    const url = "https://example.com/";
    expect(await refusal(create, report("a", {}))).to.contain("startingUrl");
    expect(await refusal(create, report("b", { startingUrl: "ftp://example.com/" }))).to.contain("startingUrl");
    expect(await refusal(create, report("c", { startingUrl: url, storeIncompleteChecks: true }))).to.contain(
      "storeIncompleteChecks requires performA11yChecks",
    );
    expect(await refusal(create, report("d", { startingUrl: url, maxPagez: 3 }))).to.contain("maxPagez");
    const weekday = { startingUrl: url, periodicity: { every: "day", weekday: "monday" } };
    expect(await refusal(create, schedule("e", weekday))).to.contain("weekday");
  });

  it("keeps a Report's spec as it is, but for shared and tags", async () => {
    const patch = ["patch", "-n", installation.namespace, "report/fixed", "--type=merge", "--patch"];
    await kubectl(
      ["create", "-n", installation.namespace, "-f", "-"],
      report("fixed", { startingUrl: "https://example.com/" }),
    );
    expect(await refusal([...patch, '{"spec": {"maxPages": 5}}'])).to.contain("cannot be changed");
    expect(await refusal([...patch, '{"spec": {"initialUrls": ["https://example.com/a"]}}'])).to.contain(
      "cannot be changed",
    );
    expect(await refusal([...patch, '{"spec": {"shared": true, "tags": ["a"]}}'])).to.equal(undefined);
  });

  it("gives each program its rights and no more", async () => {
    const may = (who: string, verb: string, what: string, namespace = installation.namespace) =>
      refusal([
        ...["auth", "can-i", verb, what, "-n", namespace, "--quiet"],
        `--as=system:serviceaccount:${installation.namespace}:${installation.fullname}-${who}`,
      ]).then((message) => message === undefined);
    expect(await may("controller", "create", "jobs.batch")).to.equal(true);
    expect(await may("controller", "update", "reports.sitevalidation.io/status")).to.equal(true);
    expect(await may("api", "create", "reports.sitevalidation.io")).to.equal(true);
    for (const [who, verb, what] of [
      ["controller", "get", "secrets"],
      ["controller", "list", "secrets"],
      ["controller", "create", "pods"],
      ["controller", "update", "namespaces"],
      ["api", "create", "jobs.batch"],
      ["api", "get", "secrets"],
      ["api", "get", "pods"],
      ["job", "get", "reports.sitevalidation.io"],
      ["job", "get", "secrets"],
      ["postgresql", "get", "secrets"],
      ["uninstall", "get", "secrets"],
    ] as const)
      expect(await may(who, verb, what), `${who} ${verb} ${what}`).to.equal(false);
    expect(await may("controller", "list", "reports.sitevalidation.io", "default")).to.equal(false);
    expect(await may("controller", "create", "jobs.batch", "default")).to.equal(false);
  });

  it("upgrades and rolls back without a failed request, a new token or a lost Report", async () => {
    const before = await readSecret(installation, "database", "url");
    const revision = Number(
      (JSON.parse(await helm(["list", "-n", installation.namespace, "-o", "json"])) as { revision: string }[])[0]
        ?.revision,
    );
    let rolling = true;
    const statuses = new Map<number, number>();
    const asking = (async () => {
      while (rolling) {
        const { status } = await throughIngress("/api/v1/reports", { token });
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
      }
    })();
    try {
      await upgrade(installation, { set: ["api.podAnnotations.again=yes", "limits.maxPages=50"], waitFor: ["api"] });
      await helm(["rollback", installation.release, String(revision), "--namespace", installation.namespace]);
      const deployment = `deployment/${installation.fullname}-api`;
      await kubectl(["rollout", "status", "-n", installation.namespace, deployment, "--timeout=180s"]);
    } finally {
      rolling = false;
    }
    await asking;
    expect([...statuses.keys()]).to.deep.equal([200]);
    expect(await readSecret(installation, "first-token", "token")).to.equal(token);
    expect(await readSecret(installation, "database", "url")).to.equal(before);
    expect(await refusal(["get", "report/fixed", "-n", installation.namespace])).to.equal(undefined);
  });

  it("lets an api pod end what it is asked while it stops", async () => {
    const selector = "app.kubernetes.io/instance=chart,app.kubernetes.io/component=api";
    const { items } = await getJson<{ items: Pod[] }>(["pods", "-n", installation.namespace, "-l", selector]);
    const victim = items.find(({ status }) => status.phase === "Running")?.metadata.name ?? "";
    const gone = kubectl(["delete", "pod", "-n", installation.namespace, victim]);
    let left = false;
    gone.finally(() => {
      left = true;
    });
    await eventually(async () => {
      expect((await throughIngress("/api/v1/reports", { token })).status).to.equal(200);
      return left;
    });
    await gone;
  });
});
