import { type Kysely, sql } from "kysely";
import type { Database } from "../tables.ts";

/** The bytes that the results of an account's reports take, with those that are deleted but not yet removed. */
export async function storedBytes(db: Kysely<Database>, accountId: string): Promise<number> {
  const row = await db
    .selectFrom("reports")
    .select(sql<string>`coalesce(sum(stored_bytes), 0)`.as("bytes"))
    .where("account_id", "=", accountId)
    .executeTakeFirstOrThrow();
  return Number(row.bytes);
}

/** Why an account gets no more reports, as a sentence; undefined while it is within its limit. 0 means no limit. */
export async function storageExcess(
  db: Kysely<Database>,
  accountId: string,
  limit: number,
): Promise<string | undefined> {
  if (limit === 0) return undefined;
  const bytes = await storedBytes(db, accountId);
  if (bytes < limit) return undefined;
  return `The account's results take ${megabytes(bytes)} of ${megabytes(limit)}: delete reports. Their space is freed some time later.`;
}

function megabytes(bytes: number): string {
  return `${Math.round(bytes / 1e6).toLocaleString("en")} MB`;
}
