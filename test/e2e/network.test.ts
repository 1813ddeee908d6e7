import { isDeepStrictEqual } from "node:util";
import { expect } from "chai";
import { createNamespace, getJson, kubectl } from "./support/commands.ts";
import { install, remove } from "./support/installation.ts";
import { deployProbe } from "./support/probe-pod.ts";
import { faultySite } from "./support/reports.ts";
import { deploySite } from "./support/site-pod.ts";

/** A network for documents (RFC 5737): what the tests' values allow, which is all of the cluster, is not allowed. */
const NOT_HERE = "203.0.113.0/24";

describe("the chart's NetworkPolicies, where the cluster enforces them", () => {
  let targets: { api: string; database: string; metrics: string; cluster: string; site: string };

  before(async () => {
    await createNamespace("elsewhere");
    const site = new URL(await deploySite("elsewhere", faultySite(1)));
    const { namespace, fullname } = await install("network", { set: [`allowedPrivateCidrs={${NOT_HERE}}`] });
    const controllers = ["pods", "-n", namespace, "-l", "app.kubernetes.io/component=controller"];
    const { items } = await getJson<{ items: { status: { podIP: string } }[] }>(controllers);
    targets = {
      api: `${fullname}-api.${namespace}:80`,
      database: `${fullname}-postgresql.${namespace}:5432`,
      metrics: `${items[0]?.status.podIP}:9090`,
      cluster: "kubernetes.default:443",
      site: `${site.hostname}:80`,
    };
  });
  after(async () => {
    await remove("network");
    await kubectl(["delete", "namespace", "elsewhere", "--ignore-not-found", "--wait=false"]);
  });

  /** Rules are there a moment after their pod. */
  const reachesOnly = async (
    pod: [namespace: string, name: string, labels?: Record<string, string>],
    open: string[],
  ) => {
    const connect = await deployProbe(...pod);
    const all = Object.values(targets);
    const wanted = Object.fromEntries(all.map((target) => [target, open.includes(target)]));
    let seen: Record<string, boolean> = {};
    for (let tries = 0; tries < 20 && !isDeepStrictEqual(seen, wanted); tries++) seen = await connect(all);
    expect(seen).to.deep.equal(wanted);
  };

  it("let strangers reach the API, and neither database nor metrics", async () => {
    await reachesOnly(["elsewhere", "stranger"], [targets.api, targets.cluster, targets.site]);
  });

  it("let a Job reach the database, and no private address besides", async () => {
    await reachesOnly(["network", "job", { "sitevalidation.io/stage": "crawler" }], [targets.database]);
  });

  it("let nothing else of the release reach anything", async () => {
    const labels = { "app.kubernetes.io/name": "site-validator", "app.kubernetes.io/instance": "network" };
    await reachesOnly(["network", "other", labels], []);
  });
});
