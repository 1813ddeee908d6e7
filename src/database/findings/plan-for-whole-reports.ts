import { type Kysely, sql } from "kysely";
import type { Database } from "../tables.ts";

/**
 * Plans the statements of a transaction for all findings of a report. PostgreSQL has no statistics of those that were
 * inserted a moment ago, expects a few, and would choose nested loops, whose time grows with the square of their number.
 * The memory is enough for half a million of them without the disk.
 */
export async function planForWholeReports(trx: Kysely<Database>): Promise<void> {
  await sql`set local work_mem = '64MB'`.execute(trx);
  await sql`set local enable_nestloop = off`.execute(trx);
  // A nested loop that cannot be avoided counts as so expensive that the query would be compiled.
  await sql`set local jit = off`.execute(trx);
}
