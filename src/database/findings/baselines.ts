import { type Kysely, sql } from "kysely";
import { variantOf } from "../../domain/addresses/page-variant.ts";
import { sectionOf } from "../../domain/addresses/section.ts";
import type { Baseline, BaselineFailure, BaselineFinding } from "../../domain/findings/baseline.ts";
import { type CheckKind, impactOf } from "../../domain/findings/findings.ts";
import { pageKey } from "../../domain/identity/page-key.ts";
import type { ReportSpec } from "../../schema/report.ts";
import { addCounts } from "../reports/check-counts.ts";
import type { Database } from "../tables.ts";
import { type FindingDetails, readFindings } from "./findings.ts";

const BATCH = 1_000;
/** Characters kept of an element's markup, which is there for readers. */
const MARKUP_KEPT = 200;

type Keys = { id: string; tag: string | null; path: string | null; selector: string | null };

/**
 * The findings of a report that has ended, and those of its base that may still exist because their pages were not
 * visited or could not be checked.
 */
export async function readBaseline(db: Kysely<Database>, reportId: string): Promise<Baseline> {
  const {
    engines,
    comparison_id: comparisonId,
    spec,
  } = await db
    .selectFrom("reports")
    .select(["engines", "comparison_id", "spec"])
    .where("id", "=", reportId)
    .executeTakeFirstOrThrow();
  const { rows } = await sql<Keys>`
    select f.id, encode(f.tag, 'hex') as tag, encode(f.path, 'hex') as path, f.selector
    from findings f
    where f.muting_id is null and (f.report_id = ${reportId} or f.id = any(array(
      select c.finding_id from compared_findings c where c.comparison_id = ${comparisonId}::bigint and c.state = 'unknown'
    )))
    order by f.id`.execute(db);
  const findings: BaselineFinding[] = [];
  for (let from = 0; from < rows.length; from += BATCH) {
    const keys = new Map(rows.slice(from, from + BATCH).map((row) => [row.id, row]));
    for (const found of await readFindings(db, [...keys.keys()], null)) {
      const key = keys.get(found.id);
      if (key) findings.push(findingOf(found, key, spec));
    }
  }
  return { engines, findings, failures: await failuresOf(db, reportId, spec) };
}

function findingOf(found: FindingDetails, { tag, path, selector }: Keys, spec: ReportSpec): BaselineFinding {
  const { impact_order: order, element } = found;
  const impact = impactOf(order);
  const markup = element && markupOf(element);
  return {
    page: pageKey(found.url, spec),
    check: found.kind,
    rule: found.rule,
    type: found.issue_type,
    ...(impact && { impact }),
    ...(found.outside_standard && { outside_standard: true as const }),
    ...(markup && { element: markup }),
    ...(selector !== null && { selector }),
    how_many: found.how_many,
    ...(tag !== null && path !== null && { tag, path }),
  };
}

function markupOf(element: NonNullable<FindingDetails["element"]>): string {
  const { extract, coordinates } = element;
  if (!coordinates) return extract.slice(0, MARKUP_KEPT);
  const { hilite_start: start, hilite_length: length } = coordinates;
  // An extract that came from a baseline is markup only.
  return extract.slice(start, start + Math.min(length, MARKUP_KEPT)) || extract.slice(0, MARKUP_KEPT);
}

async function failuresOf(db: Kysely<Database>, reportId: string, spec: ReportSpec): Promise<BaselineFailure[]> {
  const { rows } = await sql<{ url: string; failure: string }>`
    select distinct p.url, coalesce(c.failure_code, 'unknown') as failure
    from checks c join web_pages p on p.id = c.web_page_id
    where c.report_id = ${reportId} and c.status = 'failed'`.execute(db);
  return rows.map(({ url, failure }) => ({ page: pageKey(url, spec), failure }));
}

/** Stores pages of a report, each with a queued check of these kinds, and that there are no others. */
export async function insertPages(
  db: Kysely<Database>,
  id: string,
  urls: readonly string[],
  kinds: readonly CheckKind[],
): Promise<void> {
  const variants = urls.map(variantOf);
  await sql`
    with pages as (
      insert into web_pages (report_id, url, section, http_status, device, state)
      select ${id}::uuid, url, section, 200, device, state from unnest(${[...urls]}::text[], ${urls.map(sectionOf)}::text[],
        ${variants.map(({ device }) => device ?? null)}::text[], ${variants.map(({ state }) => state ?? null)}::text[]) as page (url, section, device, state)
      returning id
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

/** Stores which engines have checked a report. */
export async function setEngines(db: Kysely<Database>, id: string, engines: Baseline["engines"]): Promise<void> {
  await sql`update reports set engines = ${JSON.stringify(engines)}::jsonb where id = ${id}`.execute(db);
}
