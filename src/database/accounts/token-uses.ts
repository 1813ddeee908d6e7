import { type Kysely, sql } from "kysely";
import { dayOf } from "../../domain/calendar-day.ts";
import type { Database } from "../tables.ts";

/** Requests of a token that are not stored yet: how many, and the last one. */
type Pending = { requests: number; at: Date; address: string | null };

/** Requests store a token's use at most this often, over all processes: reading must not write with each request. */
const PAUSE_MS = 60_000;
/** How far back requests are counted, in days. */
const COUNTED_DAYS = 30;

/** What is not stored yet, by the database that it is for. What a process has when it is killed is lost: at most a minute. */
const pendingOf = new WeakMap<Kysely<Database>, Map<string, Pending>>();

/** How many requests a token made in the last days, as an expression of a row of api_tokens. */
export const recentRequests = (now: Date) =>
  sql<number>`(
    select coalesce(sum(requests), 0)::integer from token_uses u
    where u.token_id = api_tokens.id and u.day > ${dayOf(now)}::date - ${COUNTED_DAYS}::integer
  )`;

/** Counts a request that a token was accepted for, and stores it if that is due. @param row as it was read with the request */
export async function countUse(
  db: Kysely<Database>,
  row: { id: string; last_used_at: Date | null },
  { now, address }: { now: Date; address: string | null },
): Promise<void> {
  const pending = pendingOf.get(db) ?? new Map<string, Pending>();
  pendingOf.set(db, pending);
  pending.set(row.id, { requests: (pending.get(row.id)?.requests ?? 0) + 1, at: now, address });
  if (row.last_used_at === null || row.last_used_at.getTime() <= now.getTime() - PAUSE_MS)
    await storeUse(db, pending, row.id, { now, before: new Date(now.getTime() - PAUSE_MS) });
}

/** Stores all that waits, however soon after another process: each minute, and when a process stops. */
export async function storeUses(db: Kysely<Database>, now: Date): Promise<void> {
  const pending = pendingOf.get(db);
  if (!pending) return;
  for (const id of [...pending.keys()]) await storeUse(db, pending, id, { now, before: null });
}

/** @param before only if no use was stored since; null for in any case */
type When = { now: Date; before: Date | null };

async function storeUse(db: Kysely<Database>, pending: Map<string, Pending>, id: string, when: When): Promise<void> {
  const use = pending.get(id);
  if (!use) return;
  // Others that come meanwhile are stored by the next one.
  pending.delete(id);
  const giveBack = () => {
    const later = pending.get(id);
    pending.set(id, later ? { ...later, requests: later.requests + use.requests } : use);
  };
  try {
    if (!(await insertUse(db, id, use, when))) giveBack();
  } catch (error) {
    giveBack();
    throw error;
  }
}

/** @returns false when another process has stored a use since */
async function insertUse(db: Kysely<Database>, id: string, use: Pending, { now, before }: When): Promise<boolean> {
  const { rows } = await sql<{ is_gone: boolean; is_stored: boolean }>`
    with used as (
      update api_tokens set last_used_at = greatest(last_used_at, ${use.at}),
        last_address = case when last_used_at > ${use.at} then last_address else ${use.address} end
      where id = ${id}::uuid and (last_used_at is null or last_used_at <= coalesce(${before}::timestamptz, 'infinity')) returning id
    ), counted as (
      insert into token_uses (token_id, day, requests) select id, ${dayOf(use.at)}::date, ${use.requests}::integer from used
      on conflict (token_id, day) do update set requests = token_uses.requests + excluded.requests
    ), old as (
      delete from token_uses where token_id in (select id from used) and day <= ${dayOf(now)}::date - ${COUNTED_DAYS}::integer
    )
    select exists (select from used) as is_stored,
      not exists (select from api_tokens where id = ${id}::uuid) as is_gone`.execute(db);
  return rows[0]?.is_stored === true || rows[0]?.is_gone === true;
}
