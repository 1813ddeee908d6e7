import { expect } from "chai";
import { parseAllDocuments } from "yaml";
import { chart, chartValues, helm, kubectl } from "./commands.ts";

/** The chart's own database, by itself in a namespace `outside`. @returns its URL from anywhere in the cluster */
export async function deployDatabase(outside: string): Promise<string> {
  const templates = ["postgresql", "secrets"].flatMap((name) => ["--show-only", `templates/${name}.yaml`]);
  const rendered = await helm(["template", "db", chart, "--namespace", outside, ...chartValues(), ...templates]);
  await kubectl(["apply", "-n", outside, "-f", "-"], rendered);
  const host = "db-site-validator-postgresql";
  await kubectl(["rollout", "status", "-n", outside, `statefulset/${host}`, "--timeout=180s"]);
  const objects = parseAllDocuments(rendered).map((document) => document.toJS() as { stringData?: { url?: string } });
  const url = objects.flatMap((object) => object?.stringData?.url ?? [])[0] ?? "";
  expect(url).to.contain(`@${host}:`);
  return url.replace(`@${host}:`, `@${host}.${outside}.svc.cluster.local:`);
}
