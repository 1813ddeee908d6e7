import { type Kysely, sql } from "kysely";
import type { SignInPicture } from "../../domain/sign-in/sign-in-picture.ts";
import type { Database } from "../tables.ts";
import { lockReport } from "./progress.ts";

const MAX_ACTION = 500;

/**
 * Keeps the pictures of an attempt to sign in, in place of those of an earlier one, and counts their bytes. An attempt without
 * pictures of its steps leaves those that are there.
 */
export async function keepSignInPictures(
  db: Kysely<Database>,
  reportId: string,
  pictures: readonly SignInPicture[],
): Promise<void> {
  const ofSteps = pictures.some(({ failed }) => !failed);
  await db.transaction().execute(async (trx) => {
    // Of two Jobs at once the second one sees what the first has kept.
    await lockReport(trx, reportId);
    const before = await trx
      .deleteFrom("sign_in_pictures")
      .where("report_id", "=", reportId)
      .where((eb) => eb.or([eb("failed", "=", true), eb.val(ofSteps)]))
      .returning(sql<number>`octet_length(png)`.as("bytes"))
      .execute();
    const rows = pictures.map(({ action, ...picture }) => ({
      ...{ ...picture, report_id: reportId },
      action: action.slice(0, MAX_ACTION),
    }));
    if (rows.length > 0) await trx.insertInto("sign_in_pictures").values(rows).execute();
    const change =
      pictures.reduce((sum, { png }) => sum + png.length, 0) - before.reduce((sum, { bytes }) => sum + bytes, 0);
    if (change !== 0)
      await sql`update reports set stored_bytes = stored_bytes + ${change}::bigint where id = ${reportId}`.execute(trx);
  });
}

/** A picture as PNG, if there is one. Where a step was done and has failed later, of the failure. */
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
    .orderBy("failed", "desc")
    .limit(1)
    .executeTakeFirst();
  return row?.png;
}
