import { type Kysely, sql } from "kysely";
import type { Database } from "../tables.ts";

/**
 * Plans the statements of a transaction for a part of a report, whose rows are found by their ids. Of rows that are so
 * new that they are not counted yet, the planner may take a part for most of a table, and read the whole table, with
 * what others have in it, for each part.
 */
export async function planForParts(trx: Kysely<Database>): Promise<void> {
  await sql`
    select set_config(name, 'off', true)
    from unnest(array['enable_seqscan', 'enable_hashjoin', 'enable_mergejoin', 'jit']) as name`.execute(trx);
}
