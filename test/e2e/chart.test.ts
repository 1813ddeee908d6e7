import { readdir } from "node:fs/promises";
import { expect } from "chai";
import { parseAllDocuments } from "yaml";
import { eventually, ON_A_CLUSTER } from "../support/wait.ts";
import { describeNetwork, networkValues } from "./parts/network.ts";
import { chart, getJson, helm, kubectl, refusal } from "./support/commands.ts";
import { type Installation, install, readSecret, remove, throughIngress } from "./support/installation.ts";

type ApiObject = { apiVersion: string; kind: string };
type Pod = { metadata: { name: string; labels: Record<string, string> }; status: { phase: string } };

const report = (name: string, spec: object) =>
  JSON.stringify({ apiVersion: "sitevalidation.io/v1", kind: "Report", metadata: { name }, spec });
const schedule = (name: string, spec: object) =>
  JSON.stringify({ apiVersion: "sitevalidation.io/v1", kind: "Schedule", metadata: { name }, spec });

describe("the Helm chart", () => {
  let installation: Installation;
  let token: string;

  before(async () => {
    // A namespace that enforces Pod Security "restricted": pods that violate it are never created.
    installation = await install("chart", { set: networkValues });
    token = await readSecret(installation, "first-token", "token");
  });
  after(() => remove("chart"));

  it("installs an API that responds through the Ingress to the generated token", async () => {
    const list = () => throughIngress<{ meta: { total: number } }>("/api/v1/reports", { token });
    // An ingress controller may need a moment for a new Ingress.
    await eventually(async () => (await list()).status !== 404, ON_A_CLUSTER);
    const { status, body } = await list();
    expect(status).to.equal(200);
    expect(body.meta.total).to.equal(0);
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

  it("makes the API server refuse invalid specs with a message", async () => {
    const create = ["create", "-n", installation.namespace, "-f", "-"];
    const url = "https://example.com/";
    expect(await refusal(create, report("a", {}))).to.contain("startingUrl");
    expect(await refusal(create, report("b", { startingUrl: "ftp://example.com/" }))).to.contain("startingUrl");
    expect(await refusal(create, report("c", { startingUrl: url, storeIncompleteChecks: true }))).to.contain(
      "storeIncompleteChecks requires performA11yChecks",
    );
    expect(await refusal(create, report("d", { startingUrl: url, maxPagez: 3 }))).to.contain("maxPagez");
    const impact = { startingUrl: url, gate: { minImpact: "serious", maxErrors: 0 } };
    expect(await refusal(create, report("f", impact))).to.contain("gate.minImpact requires performA11yChecks");
    const weekday = { startingUrl: url, periodicity: { every: "day", weekday: "monday" } };
    expect(await refusal(create, schedule("e", weekday))).to.contain("weekday");
  });

  it("keeps a Report's spec as it is, except for shared, tags and cancelled", async () => {
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
    expect(await refusal([...patch, '{"spec": {"cancelled": true}}'])).to.equal(undefined);
    expect(await refusal([...patch, '{"spec": {"cancelled": false}}'])).to.contain("stays cancelled");
  });

  it("lets kubectl show and explain its resources", async () => {
    const get = (what: string) => kubectl(["get", what, "-n", installation.namespace]);
    const startingUrl = "https://example.com/";
    const create = ["create", "-n", installation.namespace, "-f", "-"];
    await kubectl(create, report("shown", { startingUrl }));
    await kubectl(create, schedule("shown", { startingUrl, periodicity: { every: "day" }, active: false }));
    for (const name of ["svr", "reports"])
      expect(await get(name)).to.match(
        /^NAME +URL +PHASE +PAGES +ERRORS +WARNINGS +NEW +FIXED +PASSED +AGE\n(.*\n)*shown +https:\/\/example\.com\/ /,
      );
    for (const name of ["svs", "schedules"])
      expect(await get(name)).to.match(/^NAME +URL +EVERY +ACTIVE .*\nshown +https:\/\/example\.com\/ +day +false /);
    const all = await get("sitevalidation");
    for (const kind of ["report", "schedule"]) expect(all).to.contain(`${kind}.sitevalidation.io/shown`);
    const explained = await kubectl(["explain", "report.spec.startingUrl"]);
    expect(explained.replace(/\s+/g, " ")).to.contain("Where the crawler starts: a page, a sitemap");
  });

  it("gives each program the rights that it needs and no more", async () => {
    const may = (who: string, verb: string, what: string, namespace = installation.namespace) =>
      refusal([
        ...["auth", "can-i", verb, what, "-n", namespace, "--quiet"],
        `--as=system:serviceaccount:${installation.namespace}:${installation.fullname}-${who}`,
      ]).then((message) => message === undefined);
    expect(await may("controller", "create", "jobs.batch")).to.equal(true);
    expect(await may("controller", "update", "reports.sitevalidation.io/status")).to.equal(true);
    expect(await may("api", "create", "reports.sitevalidation.io")).to.equal(true);
    for (const [who, verb, what] of [
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

  it("is accepted by the API server with every option turned on", async () => {
    const known = new Set(
      (await kubectl(["api-resources", "--no-headers"])).split("\n").map((line) => {
        const columns = line.trim().split(/\s+/);
        return `${columns.at(-3)} ${columns.at(-1)}`;
      }),
    );
    const unknown = new Set<string>();
    for (const file of await readdir("test/chart/values")) {
      // For an existing namespace; hooks are tested by running them.
      const flags = ["--namespace", installation.namespace, "--set", "watchNamespaces={default}", "--no-hooks"];
      const rendered = await helm(["template", "trial", chart, "--values", `test/chart/values/${file}`, ...flags]);
      const objects = parseAllDocuments(rendered).flatMap((document) => (document.toJS() as ApiObject | null) ?? []);
      const accepted = objects.filter(({ apiVersion, kind }) => known.has(`${apiVersion} ${kind}`));
      for (const object of objects) if (!accepted.includes(object)) unknown.add(object.kind);
      expect(accepted.length, file).to.be.greaterThan(10);
      // A warning of the API server, such as one about Pod Security, is a failure too.
      const apply = ["apply", "--dry-run=server", "--server-side", "--force-conflicts", "--warnings-as-errors"];
      const list = JSON.stringify({ apiVersion: "v1", kind: "List", items: accepted });
      expect(await refusal([...apply, "-f", "-"], list), file).to.equal(undefined);
    }
    // These belong to other operators, which a cluster may lack.
    expect(["HTTPRoute", "ServiceMonitor"]).to.include.members([...unknown]);
  });

  it("lets a stopping api pod finish its requests", async () => {
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
    }, ON_A_CLUSTER);
    await gone;
  });

  describeNetwork(() => installation);
});
