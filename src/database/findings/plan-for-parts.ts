import { type Kysely, sql } from "kysely";
import type { Database } from "../tables.ts";

/**
 * Makes a transaction's statements find the rows of a part of a report by their ids. Freshly inserted rows have no
 * statistics, so the planner might scan the whole table, with the rows of all reports, for each part.
 */
export async function planForParts(trx: Kysely<Database>): Promise<void> {
  await sql`
    select set_config(name, 'off', true)
    from unnest(array['enable_seqscan', 'enable_hashjoin', 'enable_mergejoin', 'jit']) as name`.execute(trx);
}
