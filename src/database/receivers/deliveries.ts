import { type Kysely, type Selectable, sql } from "kysely";
import type { Event, MessageType } from "../../domain/notifications/events.ts";
import {
  type About,
  hearsOf,
  nextAttempt,
  type Outcome,
  type SentRequest,
  sentAt,
} from "../../domain/notifications/receivers.ts";
import { type Page, type Paginated, readPage } from "../lists.ts";
import { DELIVERIES_WAITING, notify } from "../notifications.ts";
import type { Database } from "../tables.ts";

type Delivery = Selectable<Database["deliveries"]>;
export type DeliveryState = Delivery["state"];
export type AttemptRow = Omit<Selectable<Database["delivery_attempts"]>, "delivery_id">;

/** What an event is about; a site has tags and a name if somebody gave it some. */
export type Subject = About & { accountId: string };

/**
 * Writes events into the outbox, for each receiver that hears of them, in the transaction in which they happen.
 */
export async function tell(
  trx: Kysely<Database>,
  { accountId, ...about }: Subject,
  events: readonly Event[],
  now: Date,
): Promise<void> {
  const receivers = await trx.selectFrom("receivers").selectAll().where("account_id", "=", accountId).execute();
  const rows = receivers.flatMap((receiver) =>
    events
      .filter(({ type }) => hearsOf(receiver, type, about))
      .map((event) => ({
        receiver_id: receiver.id,
        type: event.type,
        events: JSON.stringify([event]),
        site_url: about.site?.url ?? null,
        ...whenOf(receiver, now),
        occurred_at: now,
      })),
  );
  if (rows.length === 0) return;
  await trx.insertInto("deliveries").values(rows).execute();
  await notify(trx, DELIVERIES_WAITING);
}

type Receiver = Selectable<Database["receivers"]>;

function whenOf(receiver: Receiver, now: Date): { state: DeliveryState; next_at: Date } {
  if (receiver.disabled_at !== null) return { state: "missed", next_at: now };
  return { state: receiver.digest === "none" ? "waiting" : "collected", next_at: sentAt(receiver, now) };
}

/** Writes an event for one receiver, to be sent at once, also to one whose others are collected. */
export async function tellReceiver(trx: Kysely<Database>, receiverId: string, event: Event, now: Date): Promise<void> {
  await trx
    .insertInto("deliveries")
    .columns(["receiver_id", "type", "events", "state", "next_at", "occurred_at"])
    .expression((from) =>
      from
        .selectFrom("receivers")
        .where("id", "=", receiverId)
        .select([
          "id",
          sql<string>`${event.type}`.as("type"),
          sql<string>`${JSON.stringify([event])}::jsonb`.as("events"),
          sql<DeliveryState>`case when disabled_at is null then 'waiting' else 'missed' end`.as("state"),
          ...[sql<Date>`${now}::timestamptz`.as("next_at"), sql<Date>`${now}::timestamptz`.as("occurred_at")],
        ]),
    )
    .execute();
  await notify(trx, DELIVERIES_WAITING);
}

/** Whether something was told already; who is about to tell it asks `isFirst`. */
export async function wasTold(db: Kysely<Database>, accountId: string, what: string): Promise<boolean> {
  const told = db.selectFrom("told_once").select("what").where("account_id", "=", accountId).where("what", "=", what);
  return (await told.executeTakeFirst()) !== undefined;
}

/** True the first time that something is told. */
export async function isFirst(trx: Kysely<Database>, accountId: string, what: string): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await trx
    .insertInto("told_once")
    .values({ account_id: accountId, what })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return numInsertedOrUpdatedRows === 1n;
}

/** A message that is sent whether others fail or not. @returns its id */
export async function insertTest(db: Kysely<Database>, receiverId: string, now: Date): Promise<string> {
  const { id } = await db
    .insertInto("deliveries")
    .values({ receiver_id: receiverId, type: "test", events: "[]", state: "waiting", next_at: now, occurred_at: now })
    .returning("id")
    .executeTakeFirstOrThrow();
  await notify(db, DELIVERIES_WAITING);
  return id;
}

/** Which deliveries are listed, of one account. */
export type DeliveryFilter = {
  accountId: string;
  receiverId?: string | undefined;
  state?: DeliveryState | undefined;
  type?: MessageType | undefined;
  /** In the address or name of a site that it is about. */
  site?: string | undefined;
  /** What happened since then. */
  since?: Date | undefined;
};

function deliveriesOf(db: Kysely<Database>, { accountId, receiverId, state, type, site, since }: DeliveryFilter) {
  let found = db
    .selectFrom("deliveries")
    .innerJoin("receivers", "receivers.id", "deliveries.receiver_id")
    .where("receivers.account_id", "=", accountId);
  if (receiverId !== undefined) found = found.where("receiver_id", "=", receiverId);
  if (state !== undefined) found = found.where("state", "=", state);
  if (type !== undefined) found = found.where("type", "=", type);
  if (since !== undefined) found = found.where("occurred_at", ">=", since);
  if (site !== undefined)
    found = found.where(
      sql<boolean>`exists (
        select from jsonb_array_elements(deliveries.events) event
        where strpos(lower(concat_ws(' ', event #>> '{data,site,name}', event #>> '{data,site,url}')), lower(${site})) > 0
      )`,
    );
  return found;
}

/** A delivery with its last attempt, and since when its receiver is switched off. */
export type ListedDelivery = Delivery & {
  disabled_at: Date | null;
  last: { status: number | null; took_ms: number; answer: string } | null;
};

function listed(db: Kysely<Database>, filter: DeliveryFilter) {
  return deliveriesOf(db, filter)
    .selectAll("deliveries")
    .select("receivers.disabled_at")
    .select(
      sql<ListedDelivery["last"]>`(
        select json_build_object('status', a.status, 'took_ms', a.took_ms, 'answer', a.answer) from delivery_attempts a
        where a.delivery_id = deliveries.id order by a.number desc limit 1
      )`.as("last"),
    );
}

/** The newest first. */
export function listDeliveries(
  db: Kysely<Database>,
  filter: DeliveryFilter,
  page: Page,
): Promise<Paginated<ListedDelivery>> {
  return readPage(deliveriesOf(db, filter), listed(db, filter).orderBy("deliveries.seq", "desc"), page);
}

/** How many there are in each state, and of each type, of a receiver or of all. */
export async function countDeliveries(
  db: Kysely<Database>,
  filter: DeliveryFilter,
): Promise<{ state: Record<string, number>; type: Record<string, number> }> {
  const by = async (column: "state" | "type") => {
    const rows = await deliveriesOf(db, { ...filter, [column]: undefined })
      .select([`deliveries.${column} as value`, sql<number>`count(*)::integer`.as("count")])
      .groupBy(`deliveries.${column}`)
      .execute();
    return Object.fromEntries(rows.map(({ value, count }) => [value, count]));
  };
  return { state: await by("state"), type: await by("type") };
}

export function findDelivery(db: Kysely<Database>, accountId: string, id: string): Promise<ListedDelivery | undefined> {
  return listed(db, { accountId }).where("deliveries.id", "=", id).executeTakeFirst();
}

/** In their order. */
export function listAttempts(db: Kysely<Database>, id: string): Promise<AttemptRow[]> {
  return db
    .selectFrom("delivery_attempts")
    .select(["number", "began_at", "took_ms", "status", "answer"])
    .where("delivery_id", "=", id)
    .orderBy("number")
    .execute();
}

/** Sends a delivery once more, at once, with the same id. */
export async function sendAgain(db: Kysely<Database>, id: string, now: Date): Promise<void> {
  await db
    .updateTable("deliveries")
    .set({ state: "waiting", next_at: now, ended_at: null, tries: 0 })
    .where("id", "=", id)
    .execute();
  await notify(db, DELIVERIES_WAITING);
}

/** Does not send a delivery any more; nothing happens to one that is over. */
export async function giveUp(db: Kysely<Database>, id: string, now: Date): Promise<void> {
  await db
    .updateTable("deliveries")
    .set({ state: "given_up", ended_at: now })
    .where("id", "=", id)
    .where("state", "in", ["collected", "waiting", "failing", "missed"])
    .execute();
  await notify(db, DELIVERIES_WAITING);
}

/** The receivers `r` that get messages, each with the message `head` that is next. */
const heads = sql`receivers r
  cross join lateral (
    select d.id, d.next_at from deliveries d
    where d.receiver_id = r.id and d.state in ('waiting', 'failing')
    order by (d.type = 'test' and d.attempts = 0) desc, d.seq limit 1
  ) head`;

/** The next message of a receiver. */
export type DueDelivery = { delivery: Delivery; receiver: Receiver };

/**
 * The first message of each receiver, if it is due: the others of a receiver wait for it, so that all arrive in their order.
 * Tests go first.
 *
 * @param busy receivers that are being sent to
 */
export async function listDue(db: Kysely<Database>, busy: readonly string[], now: Date): Promise<DueDelivery[]> {
  const { rows } = await sql<{ delivery_id: string }>`
    select head.id as delivery_id from ${heads} where r.disabled_at is null and r.id <> all(${[...busy]}::uuid[]) and head.next_at <= ${now}`.execute(
    db,
  );
  const ids = rows.map(({ delivery_id }) => delivery_id);
  if (ids.length === 0) return [];
  const deliveries = await db.selectFrom("deliveries").selectAll().where("id", "in", ids).execute();
  const receivers = await db
    .selectFrom("receivers")
    .selectAll()
    .where(
      "id",
      "in",
      deliveries.map(({ receiver_id }) => receiver_id),
    )
    .execute();
  return deliveries.flatMap((delivery) =>
    receivers.filter(({ id }) => id === delivery.receiver_id).map((receiver) => ({ delivery, receiver })),
  );
}

/** When the next message is due; undefined when none waits. */
export async function nextDue(db: Kysely<Database>): Promise<Date | undefined> {
  const { rows } = await sql<{ at: Date | null }>`
    select least(
      (select min(head.next_at) from ${heads} where r.disabled_at is null), (select min(next_at) from deliveries where state = 'collected')
    ) as at`.execute(db);
  return rows[0]?.at ?? undefined;
}

/** Stores what became of an attempt. */
export async function recordAttempt(
  db: Kysely<Database>,
  { id, receiver_id, attempts, tries, type }: Delivery,
  outcome: Outcome & { sent: SentRequest; beganAt: Date; tookMs: number; accepted: readonly string[] },
  now: Date,
): Promise<void> {
  const number = attempts + 1;
  // A test says at once how it went.
  const next = outcome.delivered || type === "test" ? undefined : nextAttempt(tries + 1, now);
  const state: DeliveryState = outcome.delivered ? "delivered" : next ? "failing" : "given_up";
  await db.transaction().execute(async (trx) => {
    await trx
      .insertInto("delivery_attempts")
      .values({
        delivery_id: id,
        number,
        began_at: outcome.beganAt,
        took_ms: outcome.tookMs,
        status: outcome.status,
        answer: outcome.answer,
      })
      .execute();
    await trx
      .updateTable("deliveries")
      .set({
        state,
        attempts: number,
        tries: tries + 1,
        sent: JSON.stringify(outcome.sent),
        accepted: [...outcome.accepted],
        ...(next ? { next_at: next } : { ended_at: now }),
      })
      .where("id", "=", id)
      // Somebody may have given it up meanwhile.
      .where("state", "in", ["waiting", "failing"])
      .execute();
    await trx
      .updateTable("receivers")
      .set(
        outcome.delivered
          ? { failing_since: null, last_delivered_at: now }
          : { failing_since: sql`coalesce(failing_since, ${now}::timestamptz)` },
      )
      .where("id", "=", receiver_id)
      .execute();
  });
}

/** Receivers to which nothing got through since then, and that have something to send. */
export function listGivenUp(db: Kysely<Database>, before: Date): Promise<{ id: string }[]> {
  return db
    .selectFrom("receivers")
    .select("id")
    .where("failing_since", "<", before)
    .where("disabled_at", "is", null)
    .where(
      sql<boolean>`exists (
        select from deliveries d where d.receiver_id = receivers.id and d.state in ('waiting', 'failing')
      )`,
    )
    .execute();
}

/** Makes one message of all that was collected for a receiver and is due. */
export async function collectDue(db: Kysely<Database>, now: Date): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const { rows } = await sql<{ receiver_id: string; events: Event[] }>`
      with due as (
        delete from deliveries where state = 'collected' and next_at <= ${now}
        returning receiver_id, seq, events
      )
      select receiver_id, json_agg(event order by seq) as events
      from due cross join lateral jsonb_array_elements(due.events) event group by 1`.execute(trx);
    if (rows.length === 0) return;
    await trx
      .insertInto("deliveries")
      .values(
        rows.map(({ receiver_id, events }) => ({
          receiver_id,
          type: "digest" as const,
          events: JSON.stringify(events),
          state: "waiting" as const,
          next_at: now,
          occurred_at: now,
        })),
      )
      .execute();
  });
}

/** Deletes what is kept no longer. */
export async function deleteOldDeliveries(
  db: Kysely<Database>,
  { loggedSince, missedSince, toldSince }: { loggedSince: Date; missedSince: Date; toldSince: Date },
): Promise<void> {
  await sql`delete from deliveries where occurred_at < ${loggedSince}
    or (state = 'missed' and occurred_at < ${missedSince})`.execute(db);
  await db.deleteFrom("told_once").where("told_at", "<", toldSince).execute();
}
