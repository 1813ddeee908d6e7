import { isIP } from "node:net";
import { isDeepStrictEqual } from "node:util";
import { expect } from "chai";
import { createNamespace, deleteNamespaces, getJson } from "../support/commands.ts";
import { type Installation, readSecret } from "../support/installation.ts";
import { connectFrom, deployProbe } from "../support/probe-pod.ts";
import { faultySite, postReport, runningPod } from "../support/reports.ts";
import { deploySite } from "../support/site-pod.ts";

/** A network for documentation (RFC 5737), instead of the tests' own values, which allow the whole cluster. */
const NOT_HERE = "203.0.113.0/24";
export const networkValues = [`allowedPrivateCidrs={${NOT_HERE}}`];
/** How long it may take until rules apply to a new pod. */
const OBEYED_MS = 60_000;

/** By address: with names, a closed port 53 would make everything look closed. */
async function addressOf(kind: "pods" | "services", namespace: string, selector: string): Promise<string> {
  const { items } = await getJson<{ items: { spec: { clusterIP?: string }; status: { podIP?: string } }[] }>([
    ...[kind, "-n", namespace, "-l", selector],
  ]);
  const address = (kind === "pods" ? items[0]?.status.podIP : items[0]?.spec.clusterIP) ?? "";
  expect(isIP(address), `${kind} ${selector} of ${namespace} have the address "${address}"`).to.be.greaterThan(0);
  return address;
}

/** @param given an installation with the values below */
export const describeNetwork = (given: () => Installation) =>
  describe("has NetworkPolicies, which, where the cluster enforces them,", () => {
    let installation: Installation;
    let targets: { api: string; database: string; metrics: string; site: string };

    before(async () => {
      await createNamespace("elsewhere");
      await deploySite("elsewhere", faultySite(1));
      installation = given();
      const { namespace } = installation;
      const component = (name: string) => `app.kubernetes.io/component=${name}`;
      // Not the API server: a pod can always reach its own node, whatever the rules say.
      targets = {
        api: `${await addressOf("services", namespace, component("api"))}:80`,
        database: `${await addressOf("pods", namespace, component("postgresql"))}:5432`,
        metrics: `${await addressOf("pods", namespace, component("controller"))}:9090`,
        site: `${await addressOf("services", "elsewhere", "app=fixture-site")}:80`,
      };
    });
    after(() => deleteNamespaces("elsewhere"));

    const reachesOnly = async (
      pod: [namespace: string, name: string, labels?: Record<string, string>],
      open: string[],
    ) => {
      const connect = await deployProbe(...pod);
      await expectReach(connect, Object.values(targets), open);
    };
    /** The rules may need a moment for a new pod. */
    async function expectReach(
      connect: (targets: readonly string[]) => Promise<Record<string, boolean>>,
      all: readonly string[],
      open: readonly string[],
    ): Promise<void> {
      const wanted = Object.fromEntries(all.map((target) => [target, open.includes(target)]));
      const until = Date.now() + OBEYED_MS;
      let seen: Record<string, boolean>;
      do seen = await connect(all);
      while (!isDeepStrictEqual(seen, wanted) && Date.now() < until);
      expect(seen, JSON.stringify(targets)).to.deep.equal(wanted);
    }

    it("let other pods reach the API, but neither database nor metrics", async () => {
      await reachesOnly(["elsewhere", "stranger"], [targets.api, targets.site]);
    });

    it("let a Job reach the database, but no other private address", async () => {
      await reachesOnly([installation.namespace, "job", { "sitevalidation.io/stage": "crawler" }], [targets.database]);
    });

    it("let a checker at work reach the database, and nothing else that is not public", async () => {
      const { namespace } = installation;
      const token = await readSecret(installation, "first-token", "token");
      // Nothing answers there, and the crawl waits for it, for each URL anew.
      const starting_url = `http://${NOT_HERE.replace("0/24", "7")}/`;
      const initial_urls = Array.from({ length: 100 }, (_, index) => `${starting_url}${index}`).join("\n");
      const id = await postReport(token, { starting_url, initial_urls, rate_limit: 1 });
      const checker = await runningPod(
        namespace,
        `sitevalidation.io/report=${id},sitevalidation.io/stage=html-checker`,
      );
      const metadata = "169.254.169.254:80";
      const all = [...Object.values(targets), metadata];
      await expectReach((tried) => connectFrom(namespace, checker, tried), all, [targets.database]);
    });

    it("let nothing else of the release connect to anything", async () => {
      const labels = { "app.kubernetes.io/name": "site-validator", "app.kubernetes.io/instance": installation.release };
      await reachesOnly([installation.namespace, "other", labels], []);
    });
  });
