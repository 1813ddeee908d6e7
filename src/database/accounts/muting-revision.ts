import { type Kysely, sql } from "kysely";
import { CHANNEL, MUTINGS_CHANGED } from "../connection/channel.ts";
import type { Database } from "../tables.ts";

/** Locks the account like raiseRevision, so that changes run one after the other. Rows that refer to it do not wait. */
export async function lockAccount(trx: Kysely<Database>, accountId: string): Promise<void> {
  await trx.selectFrom("accounts").select("id").where("id", "=", accountId).forNoKeyUpdate().execute();
}

/** Locks the account's row, so that revisions become visible in the same order as their mutings. */
export async function raiseRevision(trx: Kysely<Database>, accountId: string): Promise<void> {
  await sql`
    with raised as (update accounts set muting_revision = muting_revision + 1 where id = ${accountId} returning id)
    select pg_notify(${CHANNEL}, ${MUTINGS_CHANGED}) from raised`.execute(trx);
}
