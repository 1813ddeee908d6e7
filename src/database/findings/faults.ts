import { type Kysely, sql } from "kysely";
import type { Database } from "../tables.ts";

/** Of a finding `f`. */
export const faultOfFinding = sql<Buffer>`coalesce(f.fault, f.fingerprint)`;

/**
 * How many elements of a report have an error, without muted ones: an element is counted once for all that rules of several
 * kinds say about the same thing, and not at all for what only follows from another finding.
 */
export async function countFaults(trx: Kysely<Database>, reportId: string): Promise<number> {
  const { rows } = await sql<{ total: number }>`
    select coalesce(sum(how_many), 0)::integer as total from (
      select max(how_many) as how_many from (
        select f.web_page_id as page, ${faultOfFinding} as fault, sum(f.how_many - f.consequences) as how_many from findings f
        where f.report_id = ${reportId}::uuid and f.issue_type = 'error' and f.muting_id is null and not f.outside_standard
          and f.consequences < f.how_many
        group by 1, 2, f.kind, f.rule
      ) of_rules group by page, fault
    ) faults`.execute(trx);
  return rows[0]?.total ?? 0;
}
