import type { Kysely } from "kysely";
import { secretDigest } from "../secrets.ts";
import type { Database } from "../tables.ts";

/** Notes that somebody goes to the provider. @param next the path to go on with afterwards */
export async function beginProviderSignIn(
  db: Kysely<Database>,
  { secret, next, now, endsAt }: { secret: string; next: string | undefined; now: Date; endsAt: Date },
): Promise<void> {
  await db.deleteFrom("provider_sign_ins").where("expires_at", "<=", now).execute();
  await db
    .insertInto("provider_sign_ins")
    .values({ secret_hash: secretDigest(secret), next: next ?? null, expires_at: endsAt })
    .execute();
}

/** Uses up a sign-in that has begun: each ends once. @returns undefined for one that is unknown, used or too old */
export async function endProviderSignIn(
  db: Kysely<Database>,
  secret: string,
  now: Date,
): Promise<{ next: string | null } | undefined> {
  return db
    .deleteFrom("provider_sign_ins")
    .where("secret_hash", "=", secretDigest(secret))
    .where("expires_at", ">", now)
    .returning("next")
    .executeTakeFirst();
}
