import { createHash, randomBytes } from "node:crypto";
import type { Kysely } from "kysely";
import type { Encryptor } from "../../domain/accounts/encryption.ts";
import type { Database } from "../tables.ts";
import type { ScheduleRow } from "./schedules.ts";

/** Secrets are looked up by digest; their 192 random bits make a salt or a slow digest unnecessary. */
function digest(secret: string): Buffer {
  return createHash("sha256").update(secret).digest();
}

function purpose(scheduleId: string): string {
  return `deploy hook of ${scheduleId}`;
}

/**
 * Gives a schedule a new secret for its deploy hook. The old secret stops working.
 *
 * @param ifMissing keeps an existing secret
 */
export async function setHookSecret(
  db: Kysely<Database>,
  encryptor: Encryptor,
  scheduleId: string,
  options: { ifMissing: boolean },
): Promise<void> {
  const secret = `svh_${randomBytes(24).toString("base64url")}`;
  await db
    .updateTable("schedules")
    .set({ hook_hash: digest(secret), hook_encrypted: encryptor.encrypt(secret, purpose(scheduleId)) })
    .where("id", "=", scheduleId)
    .where((eb) => (options.ifMissing ? eb("hook_hash", "is", null) : eb.lit(true)))
    .execute();
}

/** The secret to show to the owner; undefined when there is none, or it was encrypted with another key. */
export function hookSecret(encryptor: Encryptor, row: Pick<ScheduleRow, "id" | "hook_encrypted">): string | undefined {
  return row.hook_encrypted ? encryptor.decrypt(row.hook_encrypted, purpose(row.id)) : undefined;
}

/** The schedule with this deploy hook's secret, unless it is deleted. */
export function findScheduleOfHook(db: Kysely<Database>, secret: string): Promise<ScheduleRow | undefined> {
  return db
    .selectFrom("schedules")
    .selectAll()
    .where("hook_hash", "=", digest(secret))
    .where("deleted_at", "is", null)
    .executeTakeFirst();
}
