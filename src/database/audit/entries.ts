import { type Kysely, sql } from "kysely";
import { type Entry, nameIn, type StoredIntent } from "../../domain/audit/entry.ts";
import { nameOfToken } from "../accounts/tokens.ts";
import { executePrepared } from "../connection/statements.ts";
import type { Database } from "../tables.ts";
import { networkOf } from "./old-entries.ts";

/** A change that has begun. */
export type Intent = StoredIntent & { id: string; accountId: string; at: Date; whoName: string };

/**
 * A statement with this does not wait until its commit is on the disk. If the server of the database ends before, the intent is
 * there still, and becomes an entry that says that it is not known what became of the change. Intents wait: what they begin may be
 * stored elsewhere, as resources of the cluster are.
 */
const unhurried = sql`unhurried as materialized (select set_config('synchronous_commit', 'off', true))`;

/**
 * Notes that a change begins. It is stored before the change is made, so that none is without an entry: one whose process
 * ends becomes an entry that says so (settleIntents).
 *
 * @param whoName null for a token: it is read
 */
export async function beginEntry(
  db: Kysely<Database>,
  intent: StoredIntent & { accountId: string; at: Date; whoName: string | null },
): Promise<Intent> {
  const { accountId, at, whoName, ...entry } = intent;
  const statement = sql<{ id: string; who_name: string }>`
    insert into audit_intents (account_id, began_at, who_name, entry) values (
      ${accountId}, ${at},
      coalesce(${whoName}::text, (
        select coalesce(g.name, t.name) from api_tokens t left join guest_accounts g on g.token = t.guest_token
        where t.id = ${entry.whoId}::uuid
      ), ''),
      ${JSON.stringify(entry)}
    ) returning id, who_name`;
  const [row] = (await executePrepared(db, statement)).rows;
  if (!row) throw new Error("An entry of the audit log could not be begun.");
  return { ...entry, accountId, at, id: row.id, whoName: nameIn(row.who_name) };
}

/** The change was made: its intent becomes an entry, in one statement. */
export async function endEntry(db: Kysely<Database>, id: string, entry: Entry): Promise<void> {
  const values = valuesOf(entry);
  const columns = Object.keys(values).map((name) => sql.ref(name));
  const statement = sql`
    with gone as (delete from audit_intents where id = ${id}), ${unhurried}
    insert into audit_entries (${sql.join(columns)}) values (${sql.join(Object.values(values))}) returning (table unhurried)`;
  await executePrepared(db, statement);
}

/** Nothing was changed: the request was refused. */
export async function dropIntent(db: Kysely<Database>, id: string): Promise<void> {
  await db.deleteFrom("audit_intents").where("id", "=", id).execute();
}

/** Writes an entry, in the transaction of the change or for what is only read. */
export async function insertEntry(db: Kysely<Database>, entry: Entry): Promise<void> {
  await db.insertInto("audit_entries").values(valuesOf(entry)).execute();
}

/** Whether the log says already that somebody of the same network has read the same since then. */
export async function wasReadSince(db: Kysely<Database>, entry: Entry, since: Date): Promise<boolean> {
  const { accountId, operation, who, target, address } = entry;
  const found = await db
    .selectFrom("audit_entries")
    .select("id")
    .where("account_id", "=", accountId)
    .where("target_id", "=", target?.id ?? null)
    .where("at", ">", since)
    .where("operation", "=", operation)
    .where("who", "=", who)
    .where(sql<boolean>`${networkOf(sql`address`)} is not distinct from ${networkOf(sql`${address}::inet`)}`)
    .limit(1)
    .executeTakeFirst();
  return found !== undefined;
}

function valuesOf(entry: Entry) {
  const { accountId, at, who, whoId, whoName, operation, verb, area, outcome, via, address, agent } = entry;
  const { target, requestId, changes } = entry;
  return {
    ...{ at, who, operation, verb, area, outcome, via, address, agent },
    account_id: accountId,
    who_id: whoId,
    who_name: whoName ?? nameOfToken(whoId),
    target_type: target?.type ?? null,
    target_id: target?.id ?? null,
    target_name: target?.name ?? null,
    target_path: target?.path ?? null,
    site_url: target?.siteUrl ?? null,
    request_id: requestId,
    changes: JSON.stringify(changes),
  };
}

/**
 * Whether what the cluster shows is the work of a request, which has an entry or is to have one: it is under way with this thing, or
 * made the resource.
 */
export async function isOfRequest(
  db: Kysely<Database>,
  accountId: string,
  { targetId = null, requestId = null }: { targetId?: string | null; requestId?: string | undefined | null },
): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`
    select exists (
      select from audit_intents where account_id = ${accountId}
        and (entry #>> '{target,id}' = ${targetId}::text or entry ->> 'requestId' = ${requestId}::text)
    ) or exists (
      select from audit_entries where account_id = ${accountId} and request_id = ${requestId}::text
        and at > now() - interval '1 hour'
    ) as found`.execute(db);
  return rows[0]?.found ?? false;
}

/** Makes entries of intents that began before this time: nobody is left who knows what became of them. @returns how many */
export async function settleIntents(db: Kysely<Database>, before: Date, most: number): Promise<number> {
  return db.transaction().execute(async (trx) => {
    const intents = await trx
      .selectFrom("audit_intents")
      .selectAll()
      .where("began_at", "<", before)
      .orderBy("began_at")
      .limit(most)
      .forUpdate()
      .skipLocked()
      .execute();
    if (intents.length === 0) return 0;
    await trx
      .insertInto("audit_entries")
      .values(
        intents.map(({ account_id, began_at, who_name, entry }) =>
          valuesOf({
            ...entry,
            accountId: account_id,
            at: began_at,
            whoName: who_name,
            outcome: "unknown",
            changes: [],
          }),
        ),
      )
      .execute();
    await trx
      .deleteFrom("audit_intents")
      .where(
        "id",
        "in",
        intents.map(({ id }) => id),
      )
      .execute();
    return intents.length;
  });
}
