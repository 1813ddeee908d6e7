import { randomUUID } from "node:crypto";
import { type Kysely, sql } from "kysely";
import { manifestOf } from "../../checks/kinds.ts";
import { monthOf } from "../../domain/accounts/credits.ts";
import type { Baseline, BaselineFinding } from "../../domain/findings/baseline.ts";
import { type CheckKind, type CheckOutcome, checkKinds, type Issue } from "../../domain/findings/findings.ts";
import type { ReportSpec } from "../../schema/report.ts";
import { API_VERSION, type ReportResource } from "../../schema/resources.ts";
import { leaseChecks } from "../checks/leases.ts";
import { type LeaseOutcome, recordOutcomes } from "../checks/record-outcomes.ts";
import { addCounts } from "../reports/check-counts.ts";
import { endReport } from "../reports/progress.ts";
import { upsertReport } from "../reports/reports.ts";
import type { Database } from "../tables.ts";

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
        return { lease, outcome: outcomeOf(kind, engines, found) };
      });
      await recordOutcomes(db, { reportId: id, kind, spec: resource.spec }, results, now);
    }
  await sql`update reports set engines = ${JSON.stringify(engines)}::jsonb where id = ${id}`.execute(db);
  await endReport(db, id, "Complete", now);
  return id;
}

function resourceOf(spec: ReportSpec, now: Date): ReportResource {
  const uid = randomUUID();
  const metadata = { name: `baseline-${uid}`, namespace: "baselines", uid, resourceVersion: "1", generation: 1 };
  const creationTimestamp = now.toISOString();
  return { apiVersion: API_VERSION, kind: "Report", metadata: { ...metadata, creationTimestamp }, spec };
}

async function insertPages(
  db: Kysely<Database>,
  id: string,
  urls: readonly string[],
  kinds: readonly CheckKind[],
): Promise<void> {
  await sql`
    with pages as (
      insert into web_pages (report_id, url, http_status) select ${id}::uuid, unnest(${[...urls]}::text[]), 200 returning id
    )
    insert into checks (report_id, web_page_id, kind)
    select ${id}::uuid, pages.id, kind from pages, unnest(${[...kinds]}::text[]) as kind`.execute(db);
  const changes = kinds.map((kind) => [kind, { pending: urls.length }]);
  await sql`
    with report as (
      update reports set crawl_state = 'ended', num_pages = ${urls.length} where id = ${id} returning id
    )
    ${addCounts(Object.fromEntries(changes))}`.execute(db);
}

function outcomeOf(kind: CheckKind, engines: Baseline["engines"], found: readonly BaselineFinding[]): CheckOutcome {
  const engine = engines[kind] ?? { name: "", version: "" };
  return { kind, engine, issues: [...Map.groupBy(found, issueKey).values()].map((of) => issueOf(kind, of)) };
}

function issueKey({ rule, type, impact, outside_standard }: BaselineFinding): string {
  return JSON.stringify([rule, type, impact, outside_standard]);
}

const nowhere = { first_line: 1, last_line: 1, first_column: 1, last_column: 1, hilite_start: 0, hilite_length: 0 };

function issueOf(kind: CheckKind, found: readonly BaselineFinding[]): Issue {
  const { rule = "", type = "error", impact, outside_standard = false } = found[0] ?? {};
  const { needs, hasStandards } = manifestOf(kind);
  const place = ({ selector = "" }: BaselineFinding) =>
    needs === "source" ? { coordinates: nowhere } : { target: selector, failure_summary: "" };
  return {
    issue_type: type,
    rule,
    message: rule,
    help_url: hasStandards ? "" : null,
    impact: hasStandards ? (impact ?? "minor") : null,
    tags: hasStandards ? [outside_standard ? "best-practice" : "wcag2a"] : [],
    html: found.flatMap((one) => elements(one).map((element) => ({ ...element, ...place(one) }))),
  };
}

/** One entry per indistinguishable element. */
function elements({ element: extract = "", tag, path, selector, how_many }: BaselineFinding) {
  const element = tag === undefined || path === undefined ? null : { tag, path, ...(selector && { selector }) };
  return Array<{ extract: string; element: typeof element }>(how_many).fill({ extract, element });
}
