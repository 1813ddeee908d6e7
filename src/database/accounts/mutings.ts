import { type Kysely, type Selectable, sql } from "kysely";
import type { Muting } from "../../domain/findings/muting.ts";
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
      select json_agg(
        m.criteria || jsonb_build_object('id', m.id::text) order by m.id
      )
      from mutings m
      where m.account_id = a.id and m.guest_token is not distinct from r.guest_token and not m.expired
    ), '[]') as mutings
    from reports r join accounts a on a.id = r.account_id
    where r.id = ${reportId}`.execute(db);
  return rows[0];
}

/** `guest_known`: the guest account that it belongs to still exists. */
export type MutingRow = Selectable<Database["mutings"]> & { guest_known: boolean };

/** All mutings of an account, including its guests', or those of one guest. */
export type MutingScope = { accountId: string; guestToken: string | null };

function mutingsOf(db: Kysely<Database>, { accountId, guestToken }: MutingScope) {
  const found = db.selectFrom("mutings").where("account_id", "=", accountId);
  return guestToken === null ? found : found.where("guest_token", "=", guestToken);
}

/** Mutings, oldest first. */
export async function listMutings(db: Kysely<Database>, scope: MutingScope, page: Page): Promise<Paginated<MutingRow>> {
  const found = mutingsOf(db, scope);
  const { total } = await found.select((eb) => eb.fn.countAll<string>().as("total")).executeTakeFirstOrThrow();
  const selected = found.selectAll().select(guestKnown("mutings"));
  const rows = await selected.orderBy("id").limit(page.limit).offset(page.offset).execute();
  return { rows, total: Number(total) };
}

export function findMutingRow(db: Kysely<Database>, scope: MutingScope, id: string): Promise<MutingRow | undefined> {
  return mutingsOf(db, scope).selectAll().select(guestKnown("mutings")).where("id", "=", id).executeTakeFirst();
}
