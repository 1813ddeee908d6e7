import { type Kysely, type RawBuilder, sql } from "kysely";
import type { Database } from "../tables.ts";

/** Of a finding `f`. */
export const faultOfFinding = sql<Buffer>`coalesce(f.fault, f.fingerprint)`;

/**
 * How many elements of each page have an error, without muted ones: an element is counted once for all that rules of
 * several kinds say about the same thing, and not at all for what only follows from another finding.
 *
 * @param which conditions for findings `f`
 */
function faultsBy(which: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    select page, sum(how_many)::integer as num_faults from (
      select page, max(how_many) as how_many from (
        select f.web_page_id as page, ${faultOfFinding} as fault, sum(f.how_many - f.consequences) as how_many from findings f
        where ${which} and f.issue_type = 'error' and f.muting_id is null and not f.outside_standard
          and f.consequences < f.how_many
        group by 1, 2, f.kind, f.rule
      ) of_rules group by page, fault
    ) faults group by page`;
}

/** By the ids of pages; those without errors are left out. */
export async function faultsOfPages(db: Kysely<Database>, pageIds: readonly string[]): Promise<Map<string, number>> {
  const { rows } = await sql<{ page: string; num_faults: number }>`
    ${faultsBy(sql`f.web_page_id = any(${[...pageIds]}::bigint[])`)}`.execute(db);
  return new Map(rows.map(({ page, num_faults }) => [page, num_faults]));
}

/** Of all pages of a report. */
export async function countFaults(trx: Kysely<Database>, reportId: string): Promise<number> {
  const { rows } = await sql<{ total: number }>`
    select coalesce(sum(num_faults), 0)::integer as total from (${faultsBy(sql`f.report_id = ${reportId}::uuid`)}) pages`.execute(
    trx,
  );
  return rows[0]?.total ?? 0;
}
