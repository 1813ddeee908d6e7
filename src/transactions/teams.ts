import type { Kysely } from "kysely";
import { lockPeople } from "../database/accounts/people.ts";
import { deleteTeam, insertTeam, renameTeam, setMembers } from "../database/accounts/teams.ts";
import type { Database } from "../database/tables.ts";
import { type Leaving, takeOver } from "./assignments.ts";

/** What is given of a team. */
export type TeamChange = { name?: string | undefined; member_ids?: readonly string[] | undefined };

/** Why a team is not changed. `strangers`: these are none of the account's people. */
export type TeamRefusal = { refused: "known" | "full" } | { refused: "strangers"; ids: string[] };

class Refused extends Error {
  readonly refusal: TeamRefusal;
  constructor(refusal: TeamRefusal) {
    super(refusal.refused);
    this.refusal = refusal;
  }
}

/** Adds a team, or changes one. @returns its id, or why nothing is changed */
export async function saveTeam(
  db: Kysely<Database>,
  { accountId, id }: { accountId: string; id?: string },
  { name, member_ids }: TeamChange,
): Promise<string | TeamRefusal> {
  try {
    return await db.transaction().execute(async (trx) => {
      await lockPeople(trx, accountId);
      const team = { accountId, id: id ?? (await add(trx, accountId, name ?? "")) };
      if (id !== undefined && name !== undefined && !(await renameTeam(trx, team, name)))
        throw new Refused({ refused: "known" });
      const strangers = member_ids ? await setMembers(trx, team, member_ids) : [];
      if (strangers.length > 0) throw new Refused({ refused: "strangers", ids: strangers });
      return team.id;
    });
  } catch (error) {
    if (error instanceof Refused) return error.refusal;
    throw error;
  }
}

async function add(trx: Kysely<Database>, accountId: string, name: string): Promise<string> {
  const made = await insertTeam(trx, accountId, name);
  if (typeof made === "string") throw new Refused({ refused: made });
  return made.id;
}

/** Removes a team. What it has goes to whom takes over, or keeps the team's name. @returns false when that is nobody of the account */
export function removeTeam(db: Kysely<Database>, team: Leaving, now: Date): Promise<boolean> {
  return db.transaction().execute(async (trx) => {
    await lockPeople(trx, team.accountId);
    if (!(await takeOver(trx, "team", team, now))) return false;
    await deleteTeam(trx, team.id);
    return true;
  });
}
