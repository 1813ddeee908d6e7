import { expect } from "chai";
import { createNamespace, deleteNamespaces, getJson, kubectl, poll, refusal } from "../support/commands.ts";
import { accountOf, type Installation, readSecret, throughIngress, upgrade } from "../support/installation.ts";
import {
  applyReport,
  faultySite,
  findingsOf,
  getReport,
  listJobs,
  MAX_PAGES,
  MAX_RATE_LIMIT,
  postReport,
} from "../support/reports.ts";
import { deploySite } from "../support/site-pod.ts";

const [USERNAME, PASSWORD] = ["ada", "correct-horse-battery"];
const authorization = `Basic ${Buffer.from(`${USERNAME}:${PASSWORD}`).toString("base64")}`;
/** The password as it is, as a Secret or an object holds it, and as it is sent. */
const written = [PASSWORD, Buffer.from(PASSWORD).toString("base64"), authorization.slice("Basic ".length)];

/**
 * @param given an installation that watches the namespace `team`, and lets Reports name the Secret `staging`; its token
 * @param set the values with which it was installed
 */
export const describeBasicAuth = (given: () => { installation: Installation; token: string }, set: readonly string[]) =>
  describe("behind Basic authentication", () => {
    let installation: Installation;
    let token: string;
    let site: string;

    before(async () => {
      ({ installation, token } = given());
      await createNamespace("guarded");
      site = await deploySite("guarded", faultySite(4), { authorization });
    });
    after(() => deleteNamespaces("guarded"));

    const attributes = { max_pages: MAX_PAGES, rate_limit: MAX_RATE_LIMIT };
    const store = async (): Promise<string> => {
      const body = { data: { attributes: { host: new URL(site).host, username: USERNAME, password: PASSWORD } } };
      const response = await throughIngress<{ data: { id: string } }>("/api/v1/basic_auths", {
        method: "POST",
        token,
        body,
      });
      expect(response.status, JSON.stringify(response.body)).to.equal(201);
      return response.body.data.id;
    };
    const makeSecret = async (namespace: string) => {
      await kubectl([
        ...["create", "secret", "generic", "staging", "-n", namespace, "--type=kubernetes.io/basic-auth"],
        ...[`--from-literal=username=${USERNAME}`, `--from-literal=password=${PASSWORD}`],
      ]);
      const host = `sitevalidation.io/host=${new URL(site).host}`;
      await kubectl(["annotate", "secret", "staging", "-n", namespace, host]);
    };
    const secretsOfJobs = async (): Promise<string[]> => {
      const selector = ["-n", installation.namespace, "-l", "sitevalidation.io/report"];
      const { items } = await getJson<{ items: { metadata: { name: string } }[] }>(["secrets", ...selector]);
      return items.map(({ metadata }) => metadata.name);
    };

    it("stays closed without credentials", async () => {
      await applyReport(installation.namespace, "closed", { startingUrl: site });
      await kubectl([
        "wait",
        "-n",
        installation.namespace,
        "--for=condition=Failed",
        "--timeout=120s",
        "report/closed",
      ]);
      const { status } = await getReport(installation.namespace, "closed");
      expect(status?.conditions?.find(({ type }) => type === "Failed")?.message).to.contain("401");
    });

    it("opens with stored credentials and with a Secret; the password appears nowhere, and no Secret of a Job is left", async () => {
      const { namespace } = installation;
      const basic_auth_id = await store();
      const byApi = await postReport(token, { ...attributes, starting_url: site, basic_auth_id });
      await makeSecret(namespace);
      await applyReport(namespace, "by-secret", {
        ...{ startingUrl: site, basicAuthSecret: "staging", performA11yChecks: true },
        ...{ maxPages: MAX_PAGES, rateLimit: MAX_RATE_LIMIT },
      });
      const given = await poll(async () => {
        const found = await secretsOfJobs();
        return found.length > 0 && found;
      });
      expect(given.every((name) => name.endsWith("-basic-auth"))).to.equal(true);
      expect((await findingsOf(token, byApi)).pages).to.equal(4);
      await kubectl(["wait", "-n", namespace, "--for=condition=Complete", "--timeout=200s", "report/by-secret"]);
      expect((await getReport(namespace, "by-secret")).status?.pages).to.equal(4);

      // Everything except Secrets: objects as they are stored, and the logs of every program.
      const objects = await kubectl([
        ...["get", "jobs,pods,events,configmaps,reports.sitevalidation.io,deployments", "-n", namespace, "-o", "yaml"],
      ]);
      const selectors = [...(await listJobs(namespace)).map((job) => `job-name=${job}`)];
      for (const component of ["api", "controller"]) selectors.push(`app.kubernetes.io/component=${component}`);
      const logs = await Promise.all(
        selectors.map((selector) =>
          kubectl(["logs", "-n", namespace, "-l", selector, "--all-containers", "--tail=-1", "--prefix"]),
        ),
      );
      expect(logs.join("").length).to.be.greaterThan(100);
      for (const text of [objects, ...logs])
        for (const secret of written) expect(text.includes(secret), secret).to.equal(false);

      await poll(async () => (await secretsOfJobs()).length === 0);
    });

    it("does not open with a Secret of another namespace, and waits for one that comes later", async () => {
      const account = await accountOf(installation);
      await kubectl(["annotate", "namespace", "team", `sitevalidation.io/account=${account}`, "--overwrite"]);
      // The release's namespace has one of that name, created above.
      await applyReport("team", "waits", { startingUrl: site, basicAuthSecret: "staging", rateLimit: MAX_RATE_LIMIT });
      const waiting = await poll(async () =>
        (await getReport("team", "waits")).status?.conditions?.find(({ reason }) => reason === "WaitingForSecret"),
      );
      expect(waiting.message).to.contain("team/staging");
      await makeSecret("team");
      await kubectl(["wait", "-n", "team", "--for=condition=Complete", "--timeout=120s", "report/waits"]);
    });

    it("cannot have credentials of both kinds: the API server refuses such a Report", async () => {
      const report = (spec: object) =>
        JSON.stringify({
          ...{ apiVersion: "sitevalidation.io/v1", kind: "Report", metadata: { name: "both" } },
          spec: { startingUrl: site, ...spec },
        });
      const create = ["create", "-n", installation.namespace, "-f", "-"];
      expect(await refusal(create, report({ basicAuthId: "a", basicAuthSecret: "b" }))).to.contain(
        "basicAuthId and basicAuthSecret cannot both be given",
      );
      expect(await refusal(create, report({ basicAuthSecret: "Not_one" }))).to.contain("basicAuthSecret");
    });

    it("keeps its credentials over an upgrade: the generated key stays", async () => {
      const key = await readSecret(installation, "secret-key", "secret-key");
      expect(key.length).to.be.at.least(32);
      const id = await store();
      await upgrade(installation, { set: [...set, "limits.maxCheckers=5"] });
      expect(await readSecret(installation, "secret-key", "secret-key")).to.equal(key);
      const report = await postReport(token, { ...attributes, starting_url: site, basic_auth_id: id });
      expect((await findingsOf(token, report)).pages).to.equal(4);
    });

    it("lets the controller read the Secrets that Reports name, and the api none", async () => {
      const may = async (who: string, verb: string, namespace: string, secrets = "secrets") =>
        (await refusal([
          ...["auth", "can-i", verb, secrets, "-n", namespace, "--quiet"],
          `--as=system:serviceaccount:${installation.namespace}:${installation.fullname}-${who}`,
        ])) === undefined;
      for (const namespace of [installation.namespace, "team"]) {
        expect(await may("controller", "get", namespace, "secrets/staging")).to.equal(true);
        expect(await may("controller", "get", namespace)).to.equal(false);
        for (const verb of ["list", "watch", "update", "patch"])
          expect(await may("controller", verb, namespace), verb).to.equal(false);
        expect(await may("api", "get", namespace, "secrets/staging")).to.equal(false);
      }
      expect(await may("controller", "create", "team")).to.equal(false);
      expect(await may("controller", "get", "guarded", "secrets/staging")).to.equal(false);
    });
  });
