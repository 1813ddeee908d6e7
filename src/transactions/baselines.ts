import { randomUUID } from "node:crypto";
import type { Kysely } from "kysely";
import { manifestOf } from "../checks/kinds.ts";
import { insertPages, setEngines } from "../database/findings/baselines.ts";
import { upsertReport } from "../database/reports/reports.ts";
import type { Database } from "../database/tables.ts";
import { monthOf } from "../domain/accounts/credits.ts";
import { type Baseline, baselineOutcome } from "../domain/findings/baseline.ts";
import { checkKinds } from "../domain/findings/findings.ts";
import type { ReportSpec } from "../schema/report.ts";
import { API_VERSION, type ReportResource } from "../schema/resources.ts";
import { type LeaseOutcome, recordOutcomes } from "./end-checks.ts";
import { endReport } from "./end-report.ts";
import { leaseChecks } from "./lease-checks.ts";

const BATCH = 100;

/**
 * Stores a baseline as a report that has ended, so that others can be compared with it. Of its findings, only what
 * identifies them is stored.
 *
 * @param spec the definition of the reports to compare: the settings, and the site
 * @returns the report's id
 */
export async function storeBaseline(
  db: Kysely<Database>,
  accountId: string,
  { baseline, spec }: { baseline: Baseline; spec: ReportSpec },
  now: Date,
): Promise<string> {
  const { engines, findings } = baseline;
  const kinds = checkKinds.filter((kind) => engines[kind]);
  const performed = checkKinds.map((kind) => [manifestOf(kind).settings.perform, kinds.includes(kind)]);
  const own: ReportSpec = { ...spec, ...Object.fromEntries(performed) };
  // Tags mark each finding as inside or outside this standard.
  const resource = resourceOf({ ...own, standard: "wcag2a", gate: {}, baseId: "" }, now);
  const id = resource.metadata.uid;
  await upsertReport(db, resource, accountId);
  const byPage = Map.groupBy(findings, ({ page }) => new URL(page, spec.startingUrl).href);
  await insertPages(db, id, [...byPage.keys()], kinds);
  for (const kind of kinds)
    for (;;) {
      const { checks } = await leaseChecks(db, { reportId: id, kind }, BATCH, monthOf(now));
      if (checks.length === 0) break;
      const results = checks.map((lease): LeaseOutcome => {
        const found = (byPage.get(lease.url) ?? []).filter(({ check }) => check === kind);
        return { lease, outcome: baselineOutcome(kind, engines, found) };
      });
      await recordOutcomes(db, { reportId: id, kind, spec: resource.spec }, results, now);
    }
  await setEngines(db, id, engines);
  await endReport(db, id, "Complete", now);
  return id;
}

function resourceOf(spec: ReportSpec, now: Date): ReportResource {
  const uid = randomUUID();
  const metadata = { name: `baseline-${uid}`, namespace: "baselines", uid, resourceVersion: "1", generation: 1 };
  const creationTimestamp = now.toISOString();
  return { apiVersion: API_VERSION, kind: "Report", metadata: { ...metadata, creationTimestamp }, spec };
}
