import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect } from "chai";
import { getJson, helm, poll } from "./support/commands.ts";
import {
  type Installation,
  install,
  readSecret,
  remove,
  rolledOut,
  throughIngress,
  upgrade,
} from "./support/installation.ts";
import {
  applyReport,
  faultySite,
  findingsOf,
  getReport,
  MAX_PAGES,
  MAX_RATE_LIMIT,
  runningPod,
} from "./support/reports.ts";
import { deploySite } from "./support/site-pod.ts";

const PAGES = 100;

describe("helm upgrade from an earlier chart, and helm rollback, with a report in flight", () => {
  let installation: Installation;
  let token: string;
  let site: string;
  let folder: string;

  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), "sv-earlier-chart-"));
    // Until there is a release: this chart under another version, with a value that every pod is made anew without.
    await helm(["package", "charts/site-validator", "--version", "0.0.1", "--destination", folder]);
    const chart = path.join(folder, "site-validator-0.0.1.tgz");
    installation = await install("upgrade", { chart, set: ["logLevel=debug"] });
    token = await readSecret(installation, "first-token", "token");
    site = await deploySite(installation.namespace, faultySite(PAGES));
  });
  after(async () => {
    await remove("upgrade");
    await rm(folder, { recursive: true, force: true });
  });

  it("keep every resource and row, fail no request and complete the report", async () => {
    const { namespace, release } = installation;
    expect(await chartOf(installation)).to.equal("site-validator-0.0.1");
    await applyReport(namespace, "before", { startingUrl: site, maxPages: 3, rateLimit: MAX_RATE_LIMIT });
    const beforeId = (await getReport(namespace, "before")).metadata.uid;
    const found = await findingsOf(token, beforeId);
    // One page a second: it lasts longer than the rollouts.
    await applyReport(namespace, "in-flight", { startingUrl: site, maxPages: MAX_PAGES, rateLimit: 1 });
    const id = (await getReport(namespace, "in-flight")).metadata.uid;
    await runningPod(namespace, `sitevalidation.io/report=${id},sitevalidation.io/stage=crawler`);
    const known = await identities(namespace);
    const secrets = await contents(namespace);

    let asking = true;
    const statuses = new Map<number, number>();
    const asked = (async () => {
      while (asking) {
        const { status } = await throughIngress(`/api/v1/reports/${id}`, { token });
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
      }
    })();
    try {
      await upgrade(installation);
      expect(await chartOf(installation)).not.to.equal("site-validator-0.0.1");
      expect(await identities(namespace), "after the upgrade").to.include(known);
      expect(await contents(namespace), "after the upgrade").to.include(secrets);
      await applyReport(namespace, "between", { startingUrl: site, maxPages: 2, rateLimit: MAX_RATE_LIMIT });
      const between = (await getReport(namespace, "between")).metadata.uid;
      expect((await findingsOf(token, between)).pages).to.equal(2);

      await helm(["rollback", release, "1", "--namespace", namespace]);
      await rolledOut(installation);
      expect(await chartOf(installation)).to.equal("site-validator-0.0.1");
      expect(await identities(namespace), "after the rollback").to.include(known);
      expect(await contents(namespace), "after the rollback").to.include(secrets);
      // The earlier version serves reports that the later one created and completed.
      expect((await findingsOf(token, between)).pages).to.equal(2);
    } finally {
      asking = false;
    }
    await asked;
    expect([...statuses.keys()]).to.deep.equal([200]);

    const { pages, checks } = await findingsOf(token, id);
    expect(pages).to.equal(PAGES);
    expect(checks.html?.status).to.deep.equal({ pending: 0, checked: PAGES, failed: 0 });
    expect(await findingsOf(token, beforeId)).to.deep.equal(found);
    await poll(async () => (await getReport(namespace, "in-flight")).status?.phase === "Complete");
  });
});

async function chartOf({ namespace }: Installation): Promise<string | undefined> {
  return (JSON.parse(await helm(["list", "-n", namespace, "-o", "json"])) as { chart: string }[])[0]?.chart;
}

type ApiObject = {
  kind: string;
  type?: string;
  metadata: { name: string; uid: string };
  data?: Record<string, string>;
};
const kinds = [
  ..."configmaps,secrets,services,serviceaccounts,persistentvolumeclaims,deployments,statefulsets".split(","),
  ..."ingresses,networkpolicies,poddisruptionbudgets,roles,rolebindings,reports,schedules".split(","),
];

/** `kind/name` → uid of every object of the installation: another uid means another object. */
async function identities(namespace: string): Promise<Record<string, string>> {
  const { items } = await getJson<{ items: ApiObject[] }>([kinds.join(","), "-n", namespace]);
  const crds = await getJson<{ items: ApiObject[] }>(["customresourcedefinitions"]);
  const kept = [...items, ...crds.items].filter(({ type }) => type !== "helm.sh/release.v1");
  return Object.fromEntries(kept.map(({ kind, metadata: { name, uid } }) => [`${kind}/${name}`, uid]));
}

/** The values of the Secrets: generated passwords and tokens must not change. */
async function contents(namespace: string): Promise<Record<string, string>> {
  const { items } = await getJson<{ items: ApiObject[] }>(["secrets", "-n", namespace]);
  const own = items.filter(({ type }) => type !== "helm.sh/release.v1");
  return Object.fromEntries(
    own.flatMap(({ metadata, data = {} }) =>
      Object.entries(data).map(([key, value]) => [`${metadata.name}/${key}`, value]),
    ),
  );
}
