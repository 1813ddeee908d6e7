import { type Kysely, sql } from "kysely";
import { isOfReport } from "../reports/page-views.ts";
import type { Database } from "../tables.ts";
import { causeOfFinding } from "./causes.ts";
import { isUpToDate } from "./components.ts";
import { type FindingFilter, findingsWhere } from "./findings.ts";

/** How often visitors met an error of each cause, by its id: views of a page × errors on it. */
export type MetCauses = ReadonlyMap<string, number>;

/** Of a report, or of its pages in a folder; undefined when no page views of its site are known. */
export async function readMet(
  db: Kysely<Database>,
  reportId: string,
  folder?: FindingFilter["folder"],
): Promise<MetCauses | undefined> {
  const { rows } = await sql<{ met: Record<string, number> | null }>`
    select case when l.met_of = v.imported_at and ${isUpToDate} then l.met end as met
    from reports r join page_view_files v on ${isOfReport} left join component_lists l on l.report_id = r.id
    where r.id = ${reportId}`.execute(db);
  const [known] = rows;
  if (!known) return undefined;
  return known.met && !folder ? new Map(Object.entries(known.met)) : countMet(db, reportId, folder);
}

async function countMet(
  db: Kysely<Database>,
  reportId: string,
  folder?: FindingFilter["folder"],
): Promise<Map<string, number>> {
  const errors = findingsWhere(reportId, {
    ...{ comparisonId: null, issueType: "error", muted: false },
    ...(folder && { folder }),
  });
  const { rows } = await sql<{ cause: string; met: number }>`
    select encode(${causeOfFinding}, 'hex') as cause, sum(f.how_many * viewed.views)::float8 as met
    from (select f.* from ${errors} and not f.outside_standard) f join (
      select w.id, v.views from reports r join page_views v on ${isOfReport} join web_pages w on w.report_id = r.id and w.url = v.url
      where r.id = ${reportId}
    ) viewed on viewed.id = f.web_page_id
    group by 1`.execute(db);
  return new Map(rows.map(({ cause, met }) => [cause, met]));
}

/** Stores it beside the components of a report, if these are stored: at the report's end, and when there are newer page views. */
export async function storeMet(trx: Kysely<Database>, reportId: string): Promise<void> {
  const { rows } = await sql<{ imported_at: Date }>`
    select v.imported_at from reports r join page_view_files v on ${isOfReport} join component_lists l on l.report_id = r.id
    where r.id = ${reportId}`.execute(trx);
  const [file] = rows;
  if (!file) return;
  const met = Object.fromEntries(await countMet(trx, reportId));
  await sql`
    update component_lists l set met = ${JSON.stringify(met)}::jsonb, met_of = v.imported_at
    from reports r join page_view_files v on ${isOfReport}
    where l.report_id = ${reportId} and r.id = l.report_id and v.imported_at = ${file.imported_at}`.execute(trx);
}
