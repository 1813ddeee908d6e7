import type { Kysely } from "kysely";
import {
  countMutings,
  deleteMutingRow,
  findMutingRow,
  insertMutingRow,
  lockAccount,
  type MutingAuthor,
  type MutingRow,
  raiseRevision,
  switchExpired,
  tryLockAccount,
  updateMutingRow,
} from "../database/accounts/mutings.ts";
import type { Database } from "../database/tables.ts";
import { changeOfMuting, type MutingDefinition, type TooMany, tooManyMutings } from "../domain/findings/muting.ts";

/** Creates a muting: later checks apply it at once, existing results are recounted. */
export async function insertMuting(
  db: Kysely<Database>,
  owner: MutingAuthor,
  muting: MutingDefinition,
): Promise<MutingRow | TooMany> {
  return db.transaction().execute(async (trx) => {
    await lockAccount(trx, owner.accountId);
    const more = { mutings: 1, selectors: muting.criteria.selector === undefined ? 0 : 1 };
    const tooMany = tooManyMutings(await countMutings(trx, owner), more);
    if (tooMany) return tooMany;
    await raiseRevision(trx, owner.accountId);
    return insertMutingRow(trx, owner, muting);
  });
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
    const all = { accountId, guestToken: null, sites: null };
    const row = await findMutingRow(trx, all, id);
    if (!row) return undefined;
    const next = change(row);
    if (row.criteria.selector === undefined) {
      const more = { mutings: 0, selectors: next.criteria.selector === undefined ? 0 : 1 };
      const tooMany = tooManyMutings(await countMutings(trx, { accountId, guestToken: row.guest_token }), more);
      if (tooMany) return tooMany;
    }
    const { expired, silencesOther } = changeOfMuting({ ...row, expiresAt: row.expires_at }, next);
    if (silencesOther) await raiseRevision(trx, accountId);
    await updateMutingRow(trx, id, { ...next, expired }, now);
    return findMutingRow(trx, all, id);
  });
}

/** Deletes a muting; the issues that it silenced count again. @returns false when there is none */
export async function deleteMuting(db: Kysely<Database>, accountId: string, id: string): Promise<boolean> {
  return db.transaction().execute(async (trx) => {
    await raiseRevision(trx, accountId);
    return deleteMutingRow(trx, id);
  });
}

/**
 * Ends an account's expired mutings, and marks the results judged by them as outdated. Restores mutings that a fast
 * clock ended too early. Skips an account that is being changed: the next call handles it.
 *
 * @returns how many have changed
 */
export async function expireMutings(db: Kysely<Database>, accountId: string, now: Date): Promise<number> {
  return db.transaction().execute(async (trx) => {
    if (!(await tryLockAccount(trx, accountId))) return 0;
    const changed = await switchExpired(trx, accountId, now);
    if (changed > 0) await raiseRevision(trx, accountId);
    return changed;
  });
}
