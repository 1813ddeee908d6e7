import { sql, type Transaction } from "kysely";
import type { Database } from "../tables.ts";

/** Counts bytes towards the limit of the report's account. The report's row comes last: all its processes need it. */
export async function addStoredBytes(trx: Transaction<Database>, reportId: string, bytes: number): Promise<void> {
  if (bytes === 0) return;
  await sql`
    update reports set stored_bytes = stored_bytes + ${bytes}::bigint where id = ${reportId}`.execute(trx);
}
