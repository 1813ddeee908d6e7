import { type Kysely, type RawBuilder, sql } from "kysely";
import { impactOrder } from "../../../domain/findings/findings.ts";
import { isStatementTimeout } from "../../connection/connection-loss.ts";
import type { Database } from "../../tables.ts";
import { type FindingFilter, findingsWhere } from "../finding-query.ts";
import { identifyStored } from "../identify-stored.ts";
import { planForWholeReports } from "../plan-for-whole-reports.ts";
import { type ComponentPage, type ComponentSort, groupFindings, readComponents } from "./group-findings.ts";

/** The most requested order: those on the most pages first. */
export const usualSort: ComponentSort = { key: "pages", direction: "desc" };
/** How many components are stored in that order, for every report. */
export const MAX_FIRST = 100;

/** All components are stored of reports with more findings: those of fewer are grouped in a few milliseconds. */
const MIN_FINDINGS = 5_000;
/** And with fewer components: more would need as much room as the findings. */
const MAX_COMPONENTS = 20_000;

/**
 * Stores the components of a report that has ended: grouping hundreds of thousands of findings takes seconds. They are
 * valid as long as the report does not change. Safe to repeat, and to run several times at once.
 *
 * @param comparisonId the report's own comparison, if there is one: components are also stored by state
 * @returns false when a statement takes too long: then each request for the list has to wait
 */
export async function storeComponents(
  db: Kysely<Database>,
  reportId: string,
  comparisonId: string | null,
): Promise<boolean> {
  try {
    await identifyStored(db, reportId);
    await storeFirst(db, reportId);
    await storeAll(db, reportId, comparisonId);
    return true;
  } catch (error) {
    if (!isStatementTimeout(error)) throw error;
    return false;
  }
}

/** The same for a report with such a list, after mutings have changed. A list that takes too long stays outdated. */
export async function renewComponents(db: Kysely<Database>, reportId: string): Promise<void> {
  const { rows } = await sql<{ comparison_id: string | null }>`
    select r.comparison_id from reports r join component_lists l on l.report_id = r.id where r.id = ${reportId}`.execute(
    db,
  );
  for (const { comparison_id } of rows) await storeComponents(db, reportId, comparison_id);
}

/** The first components of all findings in the usual order, if they are up to date. */
export async function readFirst(db: Kysely<Database>, reportId: string): Promise<ComponentPage | undefined> {
  const { rows } = await sql<{ list: ComponentPage }>`
    select l.list from component_lists l join reports r on r.id = l.report_id
    where l.report_id = ${reportId} and l.version = ${version}`.execute(db);
  return rows[0]?.list;
}

/**
 * A query for the stored components of the findings that a filter selects, with the columns of `ComponentCounts`.
 *
 * @returns undefined if they are not stored, or outdated
 */
export async function storedComponents(
  db: Kysely<Database>,
  reportId: string,
  filter: FindingFilter,
): Promise<RawBuilder<unknown> | undefined> {
  const { rule, impact, issueType, state, component, muted, comparisonId } = filter;
  if (component !== undefined) return undefined;
  const { rows } = await sql<{ is_uniform: boolean; comparison_id: string | null }>`
    select l.is_uniform, l.comparison_id from component_lists l join reports r on r.id = l.report_id
    where l.report_id = ${reportId} and l.all_version = ${version}`.execute(db);
  const [stored] = rows;
  if (!stored || (state !== undefined && stored.comparison_id !== comparisonId)) return undefined;
  // One whose findings differ counts those that are asked for, and others.
  if (!stored.is_uniform && (impact !== undefined || issueType !== undefined)) return undefined;
  const conditions = [
    sql`report_id = ${reportId}::uuid`,
    sql`is_muted = ${muted}`,
    state === undefined ? sql`state is null` : sql`state = ${state}`,
    ...(rule === undefined ? [] : [sql`rule = ${rule}`]),
    ...(impact === undefined ? [] : [sql`impact_order = ${impactOrder(impact)}`]),
    ...(issueType === undefined ? [] : [sql`issue_type = ${issueType}`]),
  ];
  return sql`select * from components where ${sql.join(conditions, sql` and `)}`;
}

async function storeFirst(db: Kysely<Database>, reportId: string): Promise<void> {
  // Read before the findings: a change in between makes the list outdated.
  const at = await readVersion(db, reportId);
  const unmuted = findingsWhere(reportId, { comparisonId: null, muted: false });
  const first = await readComponents(db, groupFindings(unmuted, sql`f.how_many`), usualSort, {
    limit: MAX_FIRST,
    offset: 0,
  });
  await sql`
    insert into component_lists (report_id, version, list)
    select ${reportId}::uuid, ${at}, ${JSON.stringify(first)}::jsonb
    from reports r where r.id = ${reportId}
    on conflict (report_id) do update set version = excluded.version, list = excluded.list`.execute(db);
}

/** All components, in a table of their own that is sorted and filtered for whoever asks. */
async function storeAll(db: Kysely<Database>, reportId: string, comparisonId: string | null): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await planForWholeReports(trx);
    const at = await readVersion(trx, reportId);
    // Whoever stores them at the same time waits here.
    await sql`update component_lists set all_version = null where report_id = ${reportId}`.execute(trx);
    await sql`delete from components where report_id = ${reportId}`.execute(trx);
    if (!(await hasManyFindings(trx, reportId))) return;
    const all = groupFindings(sql`findings f where f.report_id = ${reportId}::uuid`, sql`f.how_many`, {
      is_muted: sql`f.muting_id is not null`,
      state: sql`null::text`,
    });
    if (!(await insertComponents(trx, reportId, all))) return;
    const byState = groupFindings(
      sql`findings f join compared_findings c on c.comparison_id = ${comparisonId}::bigint and c.finding_id = f.id
        where f.report_id = ${reportId}::uuid`,
      sql`c.how_many`,
      { is_muted: sql`f.muting_id is not null`, state: sql`c.state` },
    );
    const isCompared = comparisonId !== null && (await insertComponents(trx, reportId, byState));
    await sql`
      update component_lists set all_version = ${at}, comparison_id = ${isCompared ? comparisonId : null}::bigint,
        is_uniform = not exists (
          select from findings where report_id = ${reportId} group by component
          having min(issue_type) <> max(issue_type)
            or min(coalesce(impact_order, 0)) <> max(coalesce(impact_order, 0))
        )
      where report_id = ${reportId}`.execute(trx);
  });
}

async function hasManyFindings(trx: Kysely<Database>, reportId: string): Promise<boolean> {
  const { rows } = await sql`
    select from findings where report_id = ${reportId} offset ${MIN_FINDINGS} limit 1`.execute(trx);
  return rows.length > 0;
}

/** @returns false when there are too many; then none is inserted */
async function insertComponents(
  trx: Kysely<Database>,
  reportId: string,
  components: RawBuilder<unknown>,
): Promise<boolean> {
  const { rows } = await sql<{ fit: boolean }>`
    with grouped as materialized (${components}), fitting as (
      select count(*) <= ${MAX_COMPONENTS} as fit from grouped
    ), inserted as (
      insert into components (report_id, state, is_muted, component, rule, finding_id, how_many, num_pages, issue_type,
        impact_order)
      select ${reportId}::uuid, g.state, g.is_muted, g.component, f.rule, g.finding_id, g.how_many, g.num_pages,
        g.issue_type, g.impact_order
      from grouped g join findings f on f.id = g.finding_id and f.report_id = ${reportId}::uuid where (select fit from fitting)
    )
    select fit from fitting`.execute(trx);
  return rows[0]?.fit === true;
}

async function readVersion(db: Kysely<Database>, reportId: string): Promise<string> {
  const { rows } = await sql<{ version: string }>`
    select ${version} as version from reports r where r.id = ${reportId}`.execute(db);
  return rows[0]?.version ?? "";
}

/** Changes whenever a report's findings change, or which of them are muted. */
const version = sql<string>`md5(concat_ws(' ', r.num_pages, r.html_checked, r.a11y_checked, r.html_errors, r.html_warnings,
  r.a11y_errors, r.a11y_warnings, r.a11y_outside_standard, r.muting_revision, extract(epoch from r.last_checked_at)))`;
