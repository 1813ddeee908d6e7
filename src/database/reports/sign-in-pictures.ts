import { type Kysely, sql } from "kysely";
import type { SignInPicture } from "../../domain/site/sign-in-picture.ts";
import type { Database } from "../tables.ts";
import { lockReport } from "./progress.ts";

/**
 * Keeps a picture of a sign-in, in place of an earlier one of the same step, and counts its bytes. Of failures only the
 * last one is kept.
 */
export async function keepSignInPicture(db: Kysely<Database>, reportId: string, picture: SignInPicture): Promise<void> {
  const { step, action, failed, png } = picture;
  await db.transaction().execute(async (trx) => {
    // Of two Jobs at once the second one sees what the first has kept.
    await lockReport(trx, reportId);
    const before = await trx
      .deleteFrom("sign_in_pictures")
      .where("report_id", "=", reportId)
      .where((eb) => eb.or([eb("step", "=", step), eb.and([eb("failed", "=", true), eb.val(failed)])]))
      .returning(sql<number>`octet_length(png)`.as("bytes"))
      .execute();
    await trx.insertInto("sign_in_pictures").values({ report_id: reportId, step, action, failed, png }).execute();
    const change = png.length - before.reduce((sum, { bytes }) => sum + bytes, 0);
    await sql`update reports set stored_bytes = stored_bytes + ${change}::bigint where id = ${reportId}`.execute(trx);
  });
}

/** The largest picture that is read: a compromised Job may have written anything. */
const MAX_BYTES = 1_000_000;

/** A picture as PNG, if there is one. */
export async function findSignInPicture(
  db: Kysely<Database>,
  reportId: string,
  step: number,
): Promise<Buffer | undefined> {
  const row = await db
    .selectFrom("sign_in_pictures")
    .select("png")
    .where("report_id", "=", reportId)
    .where("step", "=", step)
    .where(sql<number>`octet_length(png)`, "<=", MAX_BYTES)
    .executeTakeFirst();
  return row?.png;
}
