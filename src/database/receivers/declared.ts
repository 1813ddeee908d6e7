import { type Kysely, type Selectable, sql } from "kysely";
import type { Encryptor } from "../../domain/accounts/encryption.ts";
import type { Database } from "../tables.ts";
import { changeReceiver, destinationOf, insertReceiver, type ReceiverValues, replaceSecret } from "./receivers.ts";

/** A receiver as a Schedule declares it, with what is in its Secret. */
export type DeclaredReceiver = Pick<
  ReceiverValues,
  "name" | "url" | "mail_addresses" | "events" | "digest" | "time_zone"
> & {
  kind: Selectable<Database["receivers"]>["kind"];
  /** What messages are signed with; null for what is not signed. */
  secret: string | null;
};

/** The receivers that a schedule declares, with their secrets encrypted. */
export function listDeclared(db: Kysely<Database>, scheduleId: string): Promise<Selectable<Database["receivers"]>[]> {
  return db.selectFrom("receivers").selectAll().where("schedule_id", "=", scheduleId).orderBy("name").execute();
}

type Stored = Awaited<ReturnType<typeof listDeclared>>[number];

/** Stores a receiver that is declared. @returns its id */
export async function insertDeclared(
  trx: Kysely<Database>,
  encryptor: Encryptor,
  { accountId, scheduleId }: { accountId: string; scheduleId: string },
  { secret, ...values }: DeclaredReceiver,
  now: Date,
): Promise<string> {
  const row = { ...values, site_urls: [], tags: [] };
  const { id } = await insertReceiver(trx, encryptor, accountId, row, now, { scheduleId, secret });
  return id;
}

/**
 * Lets a stored receiver follow its declaration. Another signing secret replaces the stored one as one that the API gives:
 * for a day messages are signed with both.
 *
 * @returns the names of what has changed; empty when it follows already
 */
export async function followDeclared(
  trx: Kysely<Database>,
  encryptor: Encryptor,
  row: Stored,
  { secret, kind: _, ...values }: DeclaredReceiver,
  now: Date,
): Promise<string[]> {
  const stored = destinationOf(row, encryptor, now);
  const before = { ...row, url: stored?.url ?? null };
  const names = (Object.keys(values) as (keyof typeof values)[]).filter(
    (name) => JSON.stringify(before[name]) !== JSON.stringify(values[name]),
  );
  if (names.length > 0)
    await changeReceiver(trx, encryptor, row, Object.fromEntries(names.map((name) => [name, values[name]])));
  if (secret === null || stored?.secrets[0] === secret) return names;
  await replaceSecret(trx, encryptor, row.id, { secret, shown: null }, now);
  return [...names, "secret"];
}

/** Deletes the receivers that schedules of a place have declared that are deleted. @returns them */
export async function deleteOfGoneSchedules(
  trx: Kysely<Database>,
  { namespace, name }: { namespace: string; name: string },
): Promise<{ id: string; name: string; account_id: string }[]> {
  const { rows } = await sql<{ id: string; name: string; account_id: string }>`
    delete from receivers using schedules s
    where s.id = receivers.schedule_id and s.namespace = ${namespace} and s.name = ${name} and s.deleted_at is not null
    returning receivers.id, receivers.name, receivers.account_id`.execute(trx);
  return rows;
}
