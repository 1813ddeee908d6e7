import { type Kysely, type RawBuilder, sql } from "kysely";
import { impactOrder } from "../../../domain/findings/findings.ts";
import { isStatementTimeout } from "../../connection/connection-loss.ts";
import type { Database } from "../../tables.ts";
import { type FindingFilter, findingsWhere } from "../finding-query.ts";
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
 * @returns which were stored in time; undefined for none: each request for the list then has to wait
 */
export async function storeComponents(
  db: Kysely<Database>,
  reportId: string,
  comparisonId: string | null,
): Promise<Which | undefined> {
  const store = (which: Which) =>
    endsInTime(() => db.transaction().execute((trx) => groupAndStore(trx, reportId, comparisonId, which)));
  if (await store("all")) return "all";
  return (await store("first")) ? "first" : undefined;
}

/** Which components are stored: the first ones are those that a request for the list needs most. */
type Which = "all" | "first";

/** @returns false when a statement took too long */
async function endsInTime(execute: () => Promise<void>): Promise<boolean> {
  try {
    await execute();
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
    ...(rule === undefined ? [] : [sql`rule = ${rule}`]),
    ...(impact === undefined ? [] : [sql`impact_order = ${impactOrder(impact)}`]),
    ...(issueType === undefined ? [] : [sql`issue_type = ${issueType}`]),
  ];
  return sql.join([componentsOf(reportId, { muted, state }), ...conditions], sql` and `);
}

/** All components of a report's findings, or of those in a state; a query that ends with its conditions. */
function componentsOf(reportId: string, { muted, state }: Pick<FindingFilter, "muted" | "state">): RawBuilder<unknown> {
  return sql`
    select * from components where report_id = ${reportId}::uuid and is_muted = ${muted}
      and ${state === undefined ? sql`state is null` : sql`state = ${state}`}`;
}

/** All components in a table of their own, if there are many findings, and the first ones as a list. */
async function groupAndStore(
  trx: Kysely<Database>,
  reportId: string,
  comparisonId: string | null,
  which: Which,
): Promise<void> {
  await planForWholeReports(trx);
  // Another process that stores them at the same time waits here.
  const { numAffectedRows } = await sql`
    insert into component_lists (report_id, version, list) select id, '', '{}' from reports where id = ${reportId}
    on conflict (report_id) do update set version = excluded.version`.execute(trx);
  if (!numAffectedRows) return;
  // Read before the findings: a change in between makes them outdated.
  const at = await readVersion(trx, reportId);
  await sql`delete from components where report_id = ${reportId}`.execute(trx);
  const hasAll = which === "all" && (await hasManyFindings(trx, reportId)) && (await insertAll(trx, reportId));
  const hasStates = hasAll && comparisonId !== null && (await insertByState(trx, reportId, comparisonId));
  const unmuted = { comparisonId: null, muted: false };
  const components = hasAll
    ? componentsOf(reportId, unmuted)
    : groupFindings(findingsWhere(reportId, unmuted), sql`f.how_many`);
  const first = await readComponents(trx, components, usualSort, { limit: MAX_FIRST, offset: 0 });
  await sql`
    update component_lists set version = ${at}, list = ${JSON.stringify(first)}::jsonb,
      all_version = ${hasAll ? at : null}, comparison_id = ${hasStates ? comparisonId : null}::bigint,
      is_uniform = ${hasAll && (await isUniform(trx, reportId))}
    where report_id = ${reportId}`.execute(trx);
}

const isMuted = sql`f.muting_id is not null`;

function insertAll(trx: Kysely<Database>, reportId: string): Promise<boolean> {
  const findings = sql`findings f where f.report_id = ${reportId}::uuid`;
  const by = { is_muted: isMuted, state: sql`null::text` };
  return insertComponents(trx, reportId, groupFindings(findings, sql`f.how_many`, by));
}

function insertByState(trx: Kysely<Database>, reportId: string, comparisonId: string): Promise<boolean> {
  const findings = sql`findings f join compared_findings c on c.comparison_id = ${comparisonId}::bigint and c.finding_id = f.id
    where f.report_id = ${reportId}::uuid`;
  const by = { is_muted: isMuted, state: sql`c.state` };
  return insertComponents(trx, reportId, groupFindings(findings, sql`c.how_many`, by));
}

/** True if the findings of each component have the same type and impact. */
async function isUniform(trx: Kysely<Database>, reportId: string): Promise<boolean> {
  const { rows } = await sql`
    select from findings where report_id = ${reportId} group by component
    having min(issue_type) <> max(issue_type) or min(coalesce(impact_order, 0)) <> max(coalesce(impact_order, 0))
    limit 1`.execute(trx);
  return rows.length === 0;
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
const version = sql<string>`md5(concat_ws(' ', r.num_pages, (
    select string_agg(concat_ws(' ', k.kind, k.checked, k.errors, k.warnings, k.outside_standard), ' ' order by k.kind)
    from check_counts k where k.report_id = r.id
  ), r.muting_revision, extract(epoch from r.last_checked_at)))`;
