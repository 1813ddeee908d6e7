import { type Kysely, sql } from "kysely";
import type { Database } from "../tables.ts";

/** Keeps the picture of the page on which nobody could sign in, in place of an earlier one. @param png */
export async function keepSignInPicture(db: Kysely<Database>, reportId: string, png: Buffer): Promise<void> {
  await db
    .insertInto("sign_in_pictures")
    .values({ report_id: reportId, png })
    .onConflict((conflict) => conflict.column("report_id").doUpdateSet({ png }))
    .execute();
}

/** The largest picture that is read: a compromised Job may have written anything. */
const MAX_BYTES = 1_000_000;

/** The picture as PNG, if there is one. */
export async function findSignInPicture(db: Kysely<Database>, reportId: string): Promise<Buffer | undefined> {
  const row = await db
    .selectFrom("sign_in_pictures")
    .select("png")
    .where("report_id", "=", reportId)
    .where(sql<number>`octet_length(png)`, "<=", MAX_BYTES)
    .executeTakeFirst();
  return row?.png;
}
