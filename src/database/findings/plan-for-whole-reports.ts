import { type Kysely, sql } from "kysely";
import type { Database } from "../tables.ts";

/**
 * Plans the statements of a transaction for all findings of a report. PostgreSQL has no statistics of freshly inserted
 * rows, expects only a few, and would choose nested loops, whose time grows with the square of their number. The memory
 * is enough for half a million findings without the disk.
 *
 * Without nested loops a joined table is read as a whole, with the rows of all reports. So each statement says of each
 * table which reports' rows it needs, by values that an index can be searched for.
 */
export async function planForWholeReports(trx: Kysely<Database>): Promise<void> {
  await sql`set local work_mem = '64MB'`.execute(trx);
  await sql`set local enable_nestloop = off`.execute(trx);
  // An unavoidable nested loop has such a high cost that the query would be compiled.
  await sql`set local jit = off`.execute(trx);
}
