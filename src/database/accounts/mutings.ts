import { type Kysely, type Selectable, sql } from "kysely";
import type { Muting } from "../../domain/muting.ts";
import { CHANNEL } from "../connection/channel.ts";
import type { Page, Paginated } from "../lists.ts";
import type { Database } from "../tables.ts";
import { guestKnown } from "./guest-known.ts";

/** The mutings that apply to a report, and the account's revision that they belong to. */
export type AppliedMutings = { revision: number; mutings: Muting[] };

/**
 * Reads a report's mutings: the account's own, or the guest's when a guest created the report.
 * One statement, so that revision and mutings are consistent: a muting created later has a
 * higher revision, and a recount finds the checks that were judged without it.
 *
 * @returns undefined when there is no such report
 */
export async function loadMutings(db: Kysely<Database>, reportId: string): Promise<AppliedMutings | undefined> {
  const { rows } = await sql<{ revision: number; mutings: Muting[] }>`
    select a.muting_revision as revision, coalesce((
      select json_agg(json_build_object('id', m.id::text, 'url_match', m.url_match, 'message', m.message) order by m.id)
      from mutings m where m.account_id = a.id and m.guest_token is not distinct from r.guest_token
    ), '[]') as mutings
    from reports r join accounts a on a.id = r.account_id
    where r.id = ${reportId}`.execute(db);
  return rows[0];
}

/** The notification that mutings have changed and existing results must be recounted. */
export const MUTINGS_CHANGED = "mutings";

/** `guest_known`: the guest account that it belongs to still exists. */
export type MutingRow = Selectable<Database["mutings"]> & { guest_known: boolean };

/** All mutings of an account, including its guests', or those of one guest. */
export type MutingScope = { accountId: string; guestToken: string | null };

/** The most mutings of one owner: every finding is compared with all of them. */
const MAX_MUTINGS = 1_000;

function mutingsOf(db: Kysely<Database>, { accountId, guestToken }: MutingScope) {
  const found = db.selectFrom("mutings").where("account_id", "=", accountId);
  return guestToken === null ? found : found.where("guest_token", "=", guestToken);
}

/** Mutings, oldest first. */
export async function listMutings(db: Kysely<Database>, scope: MutingScope, page: Page): Promise<Paginated<MutingRow>> {
  const found = mutingsOf(db, scope);
  const { total } = await found.select((eb) => eb.fn.countAll<string>().as("total")).executeTakeFirstOrThrow();
  const shown = found.selectAll().select(guestKnown("mutings"));
  const rows = await shown.orderBy("id").limit(page.limit).offset(page.offset).execute();
  return { rows, total: Number(total) };
}

export function findMutingRow(db: Kysely<Database>, scope: MutingScope, id: string): Promise<MutingRow | undefined> {
  return mutingsOf(db, scope).selectAll().select(guestKnown("mutings")).where("id", "=", id).executeTakeFirst();
}

/** Mutings that silence at least one issue of a report, oldest first. */
export async function listAppliedMutings(
  db: Kysely<Database>,
  reportId: string,
  page: Page,
): Promise<Paginated<MutingRow>> {
  const applied = sql<string>`(
    select muting_id from html_issues where report_id = ${reportId} and muting_id is not null
    union select muting_id from a11y_issues where report_id = ${reportId} and muting_id is not null
  )`;
  const found = db.selectFrom("mutings").where("id", "in", applied);
  const { total } = await found.select((eb) => eb.fn.countAll<string>().as("total")).executeTakeFirstOrThrow();
  const shown = found.selectAll().select(guestKnown("mutings"));
  const rows = await shown.orderBy("id").limit(page.limit).offset(page.offset).execute();
  return { rows, total: Number(total) };
}

export type NewMuting = { url_match: string; message: string; comment: string | null };

/** Creates a muting: later checks apply it at once, existing results are recounted. @returns undefined when there are too many */
export async function insertMuting(
  db: Kysely<Database>,
  { accountId, guestToken }: MutingScope,
  muting: NewMuting,
): Promise<MutingRow | undefined> {
  return db.transaction().execute(async (trx) => {
    await raiseRevision(trx, accountId);
    const { count } = await trx
      .selectFrom("mutings")
      .select((eb) => eb.fn.countAll<string>().as("count"))
      .where("account_id", "=", accountId)
      .where("guest_token", "is not distinct from", guestToken)
      .executeTakeFirstOrThrow();
    if (Number(count) >= MAX_MUTINGS) return undefined;
    return trx
      .insertInto("mutings")
      .values({ account_id: accountId, guest_token: guestToken, ...muting })
      .returningAll()
      .returning(guestKnown("mutings"))
      .executeTakeFirstOrThrow();
  });
}

/** Deletes a muting; the issues that it silenced count again. @returns false when there is none */
export async function deleteMuting(db: Kysely<Database>, accountId: string, id: string): Promise<boolean> {
  return db.transaction().execute(async (trx) => {
    await raiseRevision(trx, accountId);
    const gone = await trx.deleteFrom("mutings").where("id", "=", id).returning("id").executeTakeFirst();
    return gone !== undefined;
  });
}

/** Locks the account's row, so that revisions become visible in the same order as their mutings. */
async function raiseRevision(trx: Kysely<Database>, accountId: string): Promise<void> {
  await sql`
    with raised as (update accounts set muting_revision = muting_revision + 1 where id = ${accountId} returning id)
    select pg_notify(${CHANNEL}, ${MUTINGS_CHANGED}) from raised`.execute(trx);
}
