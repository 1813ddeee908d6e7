import { type Kysely, sql } from "kysely";
import type { Database } from "../tables.ts";
import { lockReport } from "./progress.ts";

/** Keeps the picture of the page on which nobody could sign in, in place of an earlier one, and counts its bytes. @param png */
export async function keepSignInPicture(db: Kysely<Database>, reportId: string, png: Buffer): Promise<void> {
  await db.transaction().execute(async (trx) => {
    // Of two Jobs at once the second one sees what the first has kept.
    await lockReport(trx, reportId);
    await sql`
    with before as (
      select octet_length(png) as bytes from sign_in_pictures where report_id = ${reportId}
    ), kept as (
      insert into sign_in_pictures (report_id, png) values (${reportId}, ${png})
      on conflict (report_id) do update set png = excluded.png
    )
    update reports set stored_bytes = stored_bytes + ${png.length}::bigint - coalesce((select bytes from before), 0)
    where id = ${reportId}`.execute(trx);
  });
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
