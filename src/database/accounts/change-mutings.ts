import { isDeepStrictEqual } from "node:util";
import { type Kysely, sql } from "kysely";
import type { MutingCriteria } from "../../domain/findings/muting.ts";
import type { Database } from "../tables.ts";
import { guestKnown } from "./guest-known.ts";
import { lockAccount, raiseRevision } from "./muting-revision.ts";
import { findMutingRow, type MutingRow, type MutingScope } from "./mutings.ts";

/** The most mutings of one owner: every finding is compared with all of them. */
const MAX_MUTINGS = 1_000;
/** The most of these that may have a selector: a page may have 20,000 elements, all of them different. */
const MAX_SELECTORS = 100;

export type TooMany = { tooMany: string };

/** A muting as its owner defines it. */
export type MutingDefinition = {
  criteria: MutingCriteria;
  /** For everybody who may read the report. */
  comment: string | null;
  /** For the account itself. */
  reason: string | null;
  /** The time from which its findings are counted again; null for a muting without an end. */
  expiresAt: Date | null;
};

/** Creates a muting: later checks apply it at once, existing results are recounted. */
export async function insertMuting(
  db: Kysely<Database>,
  { accountId, guestToken }: MutingScope,
  muting: MutingDefinition,
): Promise<MutingRow | TooMany> {
  return db.transaction().execute(async (trx) => {
    await lockAccount(trx, accountId);
    const tooMany = await findTooMany(trx, { accountId, guestToken }, muting.criteria);
    if (tooMany) return tooMany;
    await raiseRevision(trx, accountId);
    return trx
      .insertInto("mutings")
      .values({ account_id: accountId, guest_token: guestToken, ...columnsOf(muting) })
      .returningAll()
      .returning(guestKnown("mutings"))
      .executeTakeFirstOrThrow();
  });
}

/** @param more how many mutings with these criteria are added: 0 when an existing one is changed */
async function findTooMany(
  trx: Kysely<Database>,
  { accountId, guestToken }: MutingScope,
  criteria: MutingCriteria,
  more = 1,
): Promise<TooMany | undefined> {
  const { rows } = await sql<{ mutings: number; selectors: number }>`
    select count(*)::integer as mutings, count(*) filter (where criteria ? 'selector')::integer as selectors
    from mutings where account_id = ${accountId} and guest_token is not distinct from ${guestToken}`.execute(trx);
  const { mutings = 0, selectors = 0 } = rows[0] ?? {};
  if (mutings + more > MAX_MUTINGS) return { tooMany: `${MAX_MUTINGS.toLocaleString("en")} mutings` };
  if (criteria.selector !== undefined && selectors >= MAX_SELECTORS)
    return { tooMany: `${MAX_SELECTORS} mutings with a selector` };
  return undefined;
}

/**
 * Changes a muting. Results are recounted only if it silences something else now.
 *
 * @param change computes the new definition from the current one; if it throws, nothing changes
 * @returns undefined when there is no such muting
 */
export async function changeMuting(
  db: Kysely<Database>,
  accountId: string,
  id: string,
  change: (row: MutingRow) => MutingDefinition,
  now: Date,
): Promise<MutingRow | TooMany | undefined> {
  return db.transaction().execute(async (trx) => {
    await lockAccount(trx, accountId);
    const found = { accountId, guestToken: null };
    const row = await findMutingRow(trx, found, id);
    if (!row) return undefined;
    const next = change(row);
    if (row.criteria.selector === undefined) {
      const tooMany = await findTooMany(trx, { accountId, guestToken: row.guest_token }, next.criteria, 0);
      if (tooMany) return tooMany;
    }
    // An expired muting stays expired until its time is changed.
    const expired = row.expired && next.expiresAt?.getTime() === row.expires_at?.getTime();
    if (expired !== row.expired || !isDeepStrictEqual(next.criteria, row.criteria)) await raiseRevision(trx, accountId);
    await trx
      .updateTable("mutings")
      .set({ ...columnsOf(next), expired, updated_at: now })
      .where("id", "=", id)
      .execute();
    return findMutingRow(trx, found, id);
  });
}

function columnsOf({ criteria, comment, reason, expiresAt }: MutingDefinition) {
  return { criteria: JSON.stringify(criteria), comment, reason, expires_at: expiresAt, expired: false };
}

/** Deletes a muting; the issues that it silenced count again. @returns false when there is none */
export async function deleteMuting(db: Kysely<Database>, accountId: string, id: string): Promise<boolean> {
  return db.transaction().execute(async (trx) => {
    await raiseRevision(trx, accountId);
    const gone = await trx.deleteFrom("mutings").where("id", "=", id).returning("id").executeTakeFirst();
    return gone !== undefined;
  });
}
