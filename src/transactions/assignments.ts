import type { Kysely } from "kysely";
import { findAssignee, holderOf } from "../database/accounts/assignees.ts";
import { lockPeople } from "../database/accounts/people.ts";
import { countOthers, handOver, type Part, storeAssignment } from "../database/findings/assignments.ts";
import type { SiteKey } from "../database/reports/site-key.ts";
import type { Database } from "../database/tables.ts";
import { type Assignment, MAX_HELD } from "../domain/causes/assignment.ts";

/**
 * Stores who has a part of a site; undefined says that nobody has it. Nobody is removed meanwhile: who was removed before is
 * stored as that.
 *
 * @returns the id of the assignment, undefined for nobody; "full" when as many sections or causes have somebody as may
 */
export function giveAssignment(
  db: Kysely<Database>,
  site: SiteKey,
  part: Part,
  assignment: Assignment | undefined,
): Promise<{ id: string | undefined } | "full"> {
  return db.transaction().execute(async (trx) => {
    await lockPeople(trx, site.accountId);
    const others = assignment ? await countOthers(trx, site, part) : 0;
    if (others >= MAX_HELD) return "full";
    return { id: await storeAssignment(trx, site, part, assignment) };
  });
}

/** Who is removed, and who takes over: an id of a person or team; undefined for nobody. */
export type Leaving = { id: string; accountId: string; heirId?: string | undefined };

/**
 * Gives what somebody has who is about to be removed to whom takes over, in a transaction that has locked the account's
 * people, so that this one stays. Without anybody all stays as it is.
 *
 * @returns false when there is nobody of this id in the account, or it is the one who goes: nothing is changed then
 */
export async function takeOver(
  trx: Kysely<Database>,
  kind: "person" | "team",
  { id, accountId, heirId }: Leaving,
  now: Date,
): Promise<boolean> {
  if (heirId === undefined) return true;
  const of = { accountId, now };
  const heir = (await findAssignee(trx, of, "person", heirId)) ?? (await findAssignee(trx, of, "team", heirId));
  if (!heir || heir.id === id) return false;
  await handOver(trx, { kind, id }, holderOf(heir));
  return true;
}
