import { randomBytes, randomUUID } from "node:crypto";
import { type Kysely, type Selectable, sql } from "kysely";
import { encryptedValues } from "../../domain/accounts/encrypted-values.ts";
import type { Encryptor } from "../../domain/accounts/encryption.ts";
import { OLD_SECRET_MS } from "../../domain/notifications/receivers.ts";
import { type Page, type Paginated, readPage } from "../lists.ts";
import { shownOf } from "../secrets.ts";
import type { Database } from "../tables.ts";

type Stored = Selectable<Database["receivers"]>;

/** A receiver without its secrets. */
export type ReceiverRow = Omit<Stored, "url_encrypted" | "secret_encrypted" | "old_secret_encrypted"> & {
  /** How many of its messages wait, the failing one included. */
  waiting: number;
  /** How many were not sent since it is disabled. */
  missed: number;
  /** The answer to the last message that arrived; null while the log has none. */
  last_delivered: { status: number | null; took_ms: number } | null;
};

/** What people say of a receiver. */
export type ReceiverValues = Pick<
  Stored,
  "name" | "mail_addresses" | "events" | "site_urls" | "tags" | "digest" | "time_zone"
> & { url: string | null };

const columns = [
  ...([
    "id",
    "account_id",
    "schedule_id",
    "kind",
    "name",
    "url_shown",
    "mail_addresses",
    "unsubscribed",
    "events",
  ] as const),
  ...([
    "site_urls",
    "tags",
    "digest",
    "time_zone",
    "old_secret_until",
    "secret_shown",
    "secret_at",
    "failing_since",
  ] as const),
  ...(["disabled_at", "last_delivered_at", "inserted_at", "updated_at"] as const),
] as const;

const count = (...states: string[]) =>
  sql<number>`(
    select count(*)::integer from deliveries d where d.receiver_id = receivers.id and d.state = any(${states}::text[])
  )`;

/** The answer to the last message that arrived. */
const lastDelivered = sql<ReceiverRow["last_delivered"]>`(
    select json_build_object('status', a.status, 'took_ms', a.took_ms)
    from deliveries d join delivery_attempts a on a.delivery_id = d.id and a.number = d.attempts
    where d.receiver_id = receivers.id and d.state = 'delivered' order by d.ended_at desc limit 1
  )`;

const { url_encrypted: urlPurpose, secret_encrypted: secretPurpose } = encryptedValues.receivers;

function receiversOf(db: Kysely<Database>, accountId: string) {
  return db.selectFrom("receivers").where("account_id", "=", accountId);
}

function rowsOf(db: Kysely<Database>, accountId: string) {
  return receiversOf(db, accountId)
    .select(columns)
    .select([
      ...[count("waiting", "failing").as("waiting"), count("missed").as("missed")],
      lastDelivered.as("last_delivered"),
    ]);
}

/** An account's receivers, oldest first. */
export function listReceivers(db: Kysely<Database>, accountId: string, page: Page): Promise<Paginated<ReceiverRow>> {
  return readPage(receiversOf(db, accountId), rowsOf(db, accountId).orderBy("inserted_at").orderBy("id"), page);
}

export function findReceiver(db: Kysely<Database>, accountId: string, id: string): Promise<ReceiverRow | undefined> {
  return rowsOf(db, accountId).where("id", "=", id).executeTakeFirst();
}

/** A secret of Standard Webhooks: 192 random bits. */
function newSigningSecret(): string {
  return `whsec_${randomBytes(24).toString("base64")}`;
}

/** What of an address may be shown: that of a channel is a secret behind its host; others may have one in their query. */
function shownUrl(kind: Stored["kind"], url: string | null): string | null {
  if (url === null) return null;
  const { protocol, host, pathname, search } = new URL(url);
  if (kind !== "webhook") return `${protocol}//${host}/…`;
  return `${protocol}//${host}${pathname}${search === "" ? "" : "?…"}`;
}

/**
 * @param declared of one that a Schedule declares: which one, and the secret that its receiver knows
 * @returns the id, and the secret, which cannot be read again; null for what is not signed
 */
export async function insertReceiver(
  db: Kysely<Database>,
  encryptor: Encryptor,
  accountId: string,
  { url, ...values }: ReceiverValues & Pick<Stored, "kind">,
  now: Date,
  declared?: { scheduleId: string; secret: string | null },
): Promise<{ id: string; secret: string | null }> {
  const id = randomUUID();
  const secret = declared ? declared.secret : values.kind === "webhook" ? newSigningSecret() : null;
  await db
    .insertInto("receivers")
    .values({
      id,
      account_id: accountId,
      schedule_id: declared?.scheduleId ?? null,
      ...values,
      url_shown: shownUrl(values.kind, url),
      url_encrypted: url === null ? null : encryptor.encrypt(url, urlPurpose(id)),
      secret_encrypted: secret === null ? null : encryptor.encrypt(secret, secretPurpose(id)),
      secret_shown: secret === null || declared ? null : shownOf(secret),
      secret_at: secret === null ? null : now,
    })
    .execute();
  return { id, secret };
}

/** Changes what is given. A new address gets only what happens from now on by the same rules: nothing is sent again. */
export async function changeReceiver(
  db: Kysely<Database>,
  encryptor: Encryptor,
  { id, kind }: Pick<ReceiverRow, "id" | "kind">,
  { url, ...values }: Partial<ReceiverValues>,
): Promise<void> {
  await db
    .updateTable("receivers")
    .set({
      ...values,
      ...(url !== undefined && {
        url_shown: shownUrl(kind, url),
        url_encrypted: url === null ? null : encryptor.encrypt(url, urlPurpose(id)),
      }),
      updated_at: sql`now()`,
    })
    .where("id", "=", id)
    .execute();
}

/** @returns the new secret; the one before is used beside it for a day */
export async function rotateSecret(db: Kysely<Database>, encryptor: Encryptor, id: string, now: Date): Promise<string> {
  const secret = newSigningSecret();
  await replaceSecret(db, encryptor, id, { secret, shown: shownOf(secret) }, now);
  return secret;
}

/**
 * Gives a receiver this secret; the one before is used beside it for a day.
 *
 * @param given.shown its first and last signs; null for one that may be short
 */
export async function replaceSecret(
  db: Kysely<Database>,
  encryptor: Encryptor,
  id: string,
  { secret, shown }: { secret: string; shown: string | null },
  now: Date,
): Promise<void> {
  await db
    .updateTable("receivers")
    .set({
      old_secret_encrypted: sql`secret_encrypted`,
      old_secret_until: new Date(now.getTime() + OLD_SECRET_MS),
      secret_encrypted: encryptor.encrypt(secret, secretPurpose(id)),
      secret_shown: shown,
      secret_at: now,
    })
    .where("id", "=", id)
    .execute();
}

/** @returns false when there is none */
export async function deleteReceiver(db: Kysely<Database>, id: string): Promise<boolean> {
  return (await db.deleteFrom("receivers").where("id", "=", id).returning("id").executeTakeFirst()) !== undefined;
}

/** Stops a receiver: what waits is missed. @returns it, unless it was stopped before */
export async function disableReceiver(
  trx: Kysely<Database>,
  id: string,
  now: Date,
): Promise<{ account_id: string; name: string } | undefined> {
  const disabled = await trx
    .updateTable("receivers")
    .set({ disabled_at: now })
    .where("id", "=", id)
    .where("disabled_at", "is", null)
    .returning(["account_id", "name"])
    .executeTakeFirst();
  await trx
    .updateTable("deliveries")
    .set({ state: "missed" })
    .where("receiver_id", "=", id)
    .where("state", "in", ["waiting", "failing", "collected"])
    .execute();
  return disabled;
}

/** Starts a receiver again, with what it missed or without. */
export async function enableReceiver(
  trx: Kysely<Database>,
  id: string,
  options: { sendMissed: boolean; now: Date },
): Promise<void> {
  const { sendMissed, now } = options;
  await trx.updateTable("receivers").set({ disabled_at: null, failing_since: null }).where("id", "=", id).execute();
  await trx
    .updateTable("deliveries")
    .set(sendMissed ? { state: "waiting", next_at: now, tries: 0 } : { state: "given_up", ended_at: now })
    .where("receiver_id", "=", id)
    .where("state", "=", "missed")
    .execute();
}

/** Where a receiver's messages go, and what they are signed with, the newest secret first. */
export type Destination = { url: string | null; secrets: string[] };

/** @returns undefined when the secrets were stored with another key of the service */
export function destinationOf(
  { id, url_encrypted, secret_encrypted, old_secret_encrypted, old_secret_until }: Stored,
  encryptor: Encryptor,
  now: Date,
): Destination | undefined {
  const url = url_encrypted === null ? null : encryptor.decrypt(url_encrypted, urlPurpose(id));
  const isOldValid = old_secret_until !== null && old_secret_until > now;
  const secrets = [secret_encrypted, isOldValid ? old_secret_encrypted : null].flatMap((one) =>
    one === null ? [] : [encryptor.decrypt(one, secretPurpose(id))],
  );
  if (url === undefined || secrets.includes(undefined)) return undefined;
  return { url, secrets: secrets.filter((one) => one !== undefined) };
}

/** A receiver's name, and whether its mails to an address have ended; undefined when there are none to it. */
export async function readSubscription(
  db: Kysely<Database>,
  id: string,
  address: string,
): Promise<{ name: string; isOver: boolean } | undefined> {
  const row = await db
    .selectFrom("receivers")
    .select(["name", "mail_addresses", "unsubscribed"])
    .where("id", "=", id)
    .executeTakeFirst();
  if (!row?.mail_addresses.includes(address)) return undefined;
  return { name: row.name, isOver: row.unsubscribed.includes(address) };
}

/** Ends the mails of a receiver to an address. */
export async function unsubscribe(db: Kysely<Database>, id: string, address: string): Promise<void> {
  await db
    .updateTable("receivers")
    .set({ unsubscribed: sql`array(select distinct unnest(unsubscribed || ${address}::text))` })
    .where("id", "=", id)
    .execute();
}
