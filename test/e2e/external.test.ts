import { randomBytes } from "node:crypto";
import { expect } from "chai";
import { parseAllDocuments } from "yaml";
import { chart, chartValues, createNamespace, deleteNamespaces, helm, kubectl } from "./support/commands.ts";
import { remove, throughIngress, upgrade } from "./support/installation.ts";
import { applyReport, faultySite, findingsOf, getReport, MAX_PAGES, MAX_RATE_LIMIT } from "./support/reports.ts";
import { deploySite } from "./support/site-pod.ts";

const namespace = "external";
const OUTSIDE = "outside";

describe("an installation with an external database and a given token", () => {
  const token = `svt_${randomBytes(24).toString("hex")}`;
  let site: string;

  before(async () => {
    await createNamespace(OUTSIDE);
    await createNamespace(namespace);
    site = await deploySite(OUTSIDE, faultySite(3));
    await makeSecret("our-database", "url", await deployDatabase());
    await makeSecret("our-token", "token", token);
    const given = ["database.existingSecret=our-database", "firstToken.existingSecret=our-token"];
    await upgrade(
      { namespace, release: namespace, fullname: `${namespace}-site-validator` },
      { set: ["postgresql.enabled=false", ...given] },
    );
  });
  after(async () => {
    await remove(namespace);
    await deleteNamespaces(OUTSIDE);
  });

  it("completes a Report there, which only that token can read", async () => {
    expect(await kubectl(["get", "statefulsets,persistentvolumeclaims", "-n", namespace, "-o", "name"])).to.equal("");
    await applyReport(namespace, "ours", { startingUrl: site, maxPages: MAX_PAGES, rateLimit: MAX_RATE_LIMIT });
    await kubectl(["wait", "-n", namespace, "--for=condition=Complete", "--timeout=200s", "report/ours"]);
    const id = (await getReport(namespace, "ours")).metadata.uid;
    expect((await findingsOf(token, id)).pages).to.equal(3);
    const stranger = await throughIngress(`/api/v1/reports/${id}`, { token: `${token}0` });
    expect(stranger.status).to.equal(401);
  });
});

/** The chart's own database, by itself in another namespace. @returns its URL from anywhere in the cluster */
async function deployDatabase(): Promise<string> {
  const templates = ["postgresql", "secrets"].flatMap((name) => ["--show-only", `templates/${name}.yaml`]);
  const rendered = await helm(["template", "db", chart, "--namespace", OUTSIDE, ...chartValues(), ...templates]);
  await kubectl(["apply", "-n", OUTSIDE, "-f", "-"], rendered);
  const host = "db-site-validator-postgresql";
  await kubectl(["rollout", "status", "-n", OUTSIDE, `statefulset/${host}`, "--timeout=180s"]);
  const objects = parseAllDocuments(rendered).map((document) => document.toJS() as { stringData?: { url?: string } });
  const url = objects.flatMap((object) => object?.stringData?.url ?? [])[0] ?? "";
  expect(url).to.contain(`@${host}:`);
  return url.replace(`@${host}:`, `@${host}.${OUTSIDE}.svc.cluster.local:`);
}

async function makeSecret(name: string, key: string, value: string): Promise<void> {
  await kubectl(["create", "secret", "generic", name, "-n", namespace, `--from-literal=${key}=${value}`]);
}
