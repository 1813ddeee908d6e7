import { type Kysely, sql } from "kysely";
import type { StateCount } from "../../domain/findings/finding-state.ts";
import { continueOnFailure, type OnFailure } from "../connection/errors.ts";
import { planForWholeReports } from "../connection/statements.ts";
import { judgeReport } from "../reports/judge.ts";
import type { Database } from "../tables.ts";
import { awaitComparisons } from "./comparisons.ts";

/**
 * Counts the elements in each state, and stores the counts: those of all, without muted ones and those outside of the
 * standard, with the comparison, and those of each common issue of the report. The findings are read once for both.
 */
export async function countStates(trx: Kysely<Database>, comparisonId: string): Promise<StateCount[]> {
  await sql`delete from compared_issues where comparison_id = ${comparisonId}`.execute(trx);
  const { rows } = await sql<{ counts: StateCount[] }>`
    with elements as materialized (
      select f.kind, f.report_id = k.report_id as is_own, f.issue_id, f.muting_id is not null as is_muted,
        f.issue_type, f.impact_order, f.outside_standard, c.state, sum(c.how_many) as how_many, min(c.first_seen_at) as first_seen_at
      from comparisons k
      join compared_findings c on c.comparison_id = k.id
      join findings f on f.id = c.finding_id and f.report_id = any(array(
        select unnest(array[report_id, base_id]) from comparisons where id = ${comparisonId}
      ))
      where k.id = ${comparisonId}
      group by 1, 2, 3, 4, 5, 6, 7, 8
    ), of_issues as (
      insert into compared_issues (comparison_id, common_id, is_muted, state, how_many, first_seen_at)
      select ${comparisonId}::bigint, i.common_id, e.is_muted, e.state, sum(e.how_many)::integer, min(e.first_seen_at)
      from elements e
      -- The issue belongs to the report that is compared: so its issues are found by an index.
      join issues i on i.id = e.issue_id and i.common_id = any(array(
        select id from common_issues where report_id = (select report_id from comparisons where id = ${comparisonId})
      ))
      where e.is_own
      group by 2, 3, 4
    )
    update comparisons set issues_counted = true, counts = (
      select coalesce(json_agg(counted), '[]') from (
        select kind, state, issue_type, impact_order, sum(how_many)::integer as how_many
        from elements where not is_muted and not outside_standard
        group by 1, 2, 3, 4 order by 1, 2, 3, 4
      ) counted
    )
    where id = ${comparisonId}
    returning counts`.execute(trx);
  return rows[0]?.counts ?? [];
}

/**
 * Recounts every comparison in which the report takes part: the mutings of its findings have changed, or some of its
 * findings are gone.
 */
export async function recountComparisons(db: Kysely<Database>, reportId: string): Promise<void> {
  await awaitComparisons(db, reportId);
  await db.transaction().execute((trx) => outdateComparisons(trx, reportId));
  await countUncounted(db, { reportId });
}

/**
 * Marks every comparison in which the report takes part as outdated. `countUncounted` recounts them, at the latest in
 * the background. Those made on request are discarded instead, since there may be many: they are made again when somebody
 * asks for them.
 */
export async function outdateComparisons(trx: Kysely<Database>, reportId: string): Promise<void> {
  const ofReport = sql`(c.report_id = ${reportId} or c.base_id = ${reportId})`;
  await sql`delete from comparisons c where ${ofReport} and ${isOnRequest}`.execute(trx);
  await sql`update comparisons c set issues_counted = false where ${ofReport}`.execute(trx);
}

/** The comparison `c` is not the one that a report has by itself, which it refers to once it has ended. */
export const isOnRequest = sql<boolean>`exists (
  select from reports r where r.id = c.report_id and r.phase in ('Complete', 'Failed')
    and r.comparison_id is distinct from c.id
)`;

/** True when there is something for `countUncounted` to count. */
export async function hasUncounted(db: Kysely<Database>): Promise<boolean> {
  const { rows } = await sql`select from comparisons where not issues_counted limit 1`.execute(db);
  return rows.length > 0;
}

/**
 * Counts what is outdated: each comparison once.
 *
 * @param reportId of a report that is compared; otherwise of all
 * @param signal stops between two comparisons
 * @param onFailure called with the id of each comparison that cannot be counted, and the error; without it the first one
 *   ends the call
 */
export async function countUncounted(
  db: Kysely<Database>,
  { reportId, signal, onFailure }: { reportId?: string; signal?: AbortSignal; onFailure?: OnFailure },
): Promise<void> {
  const which = reportId === undefined ? sql`true` : sql`(report_id = ${reportId} or base_id = ${reportId})`;
  for (let last = "0"; !signal?.aborted; ) {
    const { rows } = await sql<{ id: string }>`
      select id from comparisons where not issues_counted and ${which} and id > ${last} order by id limit 1`.execute(
      db,
    );
    const [next] = rows;
    if (!next) return;
    last = next.id;
    await continueOnFailure(next.id, onFailure, () => recountComparison(db, next.id));
  }
}

/** One at a time: two that count the same would both insert what both have deleted. Its report is judged by what is counted. */
async function recountComparison(db: Kysely<Database>, id: string): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const { rows } = await sql<{ report_id: string }>`
      select report_id from comparisons where id = ${id} for no key update`.execute(trx);
    const [comparison] = rows;
    if (!comparison) return;
    await planForWholeReports(trx);
    await countStates(trx, id);
    await judgeReport(trx, comparison.report_id);
  });
}
