import { isIP } from "node:net";
import { isDeepStrictEqual } from "node:util";
import { expect } from "chai";
import { createNamespace, deleteNamespaces, getJson } from "./support/commands.ts";
import { install, remove } from "./support/installation.ts";
import { deployProbe } from "./support/probe-pod.ts";
import { faultySite } from "./support/reports.ts";
import { deploySite } from "./support/site-pod.ts";

/** A network for documents (RFC 5737): what the tests' values allow, which is all of the cluster, is not allowed. */
const NOT_HERE = "203.0.113.0/24";
/** Within this rules are obeyed, which come a moment after their pod. */
const OBEYED_MS = 60_000;

/** By addresses: with names, a closed port 53 alone would look as if all were closed. */
async function addressOf(kind: "pods" | "services", namespace: string, selector: string): Promise<string> {
  const { items } = await getJson<{ items: { spec: { clusterIP?: string }; status: { podIP?: string } }[] }>([
    ...[kind, "-n", namespace, "-l", selector],
  ]);
  const address = (kind === "pods" ? items[0]?.status.podIP : items[0]?.spec.clusterIP) ?? "";
  expect(isIP(address), `${kind} ${selector} of ${namespace} have the address "${address}"`).to.be.greaterThan(0);
  return address;
}

describe("the chart's NetworkPolicies, where the cluster enforces them", () => {
  let targets: { api: string; database: string; metrics: string; site: string };

  before(async () => {
    await createNamespace("elsewhere");
    await deploySite("elsewhere", faultySite(1));
    const { namespace } = await install("network", { set: [`allowedPrivateCidrs={${NOT_HERE}}`] });
    const component = (name: string) => `app.kubernetes.io/component=${name}`;
    // Not the API server: what is on a pod's own node is open to it, whatever the rules say.
    targets = {
      api: `${await addressOf("services", namespace, component("api"))}:80`,
      database: `${await addressOf("pods", namespace, component("postgresql"))}:5432`,
      metrics: `${await addressOf("pods", namespace, component("controller"))}:9090`,
      site: `${await addressOf("services", "elsewhere", "app=fixture-site")}:80`,
    };
  });
  after(async () => {
    await remove("network");
    await deleteNamespaces("elsewhere");
  });

  const reachesOnly = async (
    pod: [namespace: string, name: string, labels?: Record<string, string>],
    open: string[],
  ) => {
    const connect = await deployProbe(...pod);
    const all = Object.values(targets);
    const wanted = Object.fromEntries(all.map((target) => [target, open.includes(target)]));
    const until = Date.now() + OBEYED_MS;
    let seen: Record<string, boolean>;
    do seen = await connect(all);
    while (!isDeepStrictEqual(seen, wanted) && Date.now() < until);
    expect(seen, JSON.stringify(targets)).to.deep.equal(wanted);
  };

  it("let strangers reach the API, and neither database nor metrics", async () => {
    await reachesOnly(["elsewhere", "stranger"], [targets.api, targets.site]);
  });

  it("let a Job reach the database, and no private address besides", async () => {
    await reachesOnly(["network", "job", { "sitevalidation.io/stage": "crawler" }], [targets.database]);
  });

  it("let nothing else of the release reach anything", async () => {
    const labels = { "app.kubernetes.io/name": "site-validator", "app.kubernetes.io/instance": "network" };
    await reachesOnly(["network", "other", labels], []);
  });
});
