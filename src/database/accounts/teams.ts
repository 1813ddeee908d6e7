import { type Kysely, sql } from "kysely";
import { MAX_TEAMS } from "../../domain/accounts/team-limits.ts";
import type { Page, Paginated } from "../lists.ts";
import type { Database } from "../tables.ts";
import { keepName } from "./assignees.ts";

/** A team with its people, and how much it has. */
export type TeamRow = { id: string; name: string; members: { id: string; name: string }[]; num_assignments: number };

/** Teams of an account, by name. @param id of one of them */
export async function listTeams(
  db: Kysely<Database>,
  accountId: string,
  { limit, offset }: Page,
  id?: string,
): Promise<Paginated<TeamRow>> {
  const { rows } = await sql<{ total: number; page: TeamRow[] }>`
    with found as (
      select * from teams where account_id = ${accountId} and ${id === undefined ? sql`true` : sql`id = ${id}::uuid`}
    ), page as (
      select g.id, g.name, (
        select coalesce(json_agg(json_build_object('id', t.id, 'name', t.name) order by lower(t.name), t.id), '[]')
        from team_members m join api_tokens t on t.id = m.person_id where m.team_id = g.id
      ) as members, (select count(*)::integer from assignments a where a.team_id = g.id) as num_assignments
      from found g order by lower(g.name), g.id limit ${limit} offset ${offset}
    )
    select (select count(*)::integer from found) as total, (select coalesce(json_agg(page), '[]') from page) as page`.execute(
    db,
  );
  return { rows: rows[0]?.page ?? [], total: rows[0]?.total ?? 0 };
}

/** Adds a team. @returns its id, or why there is none */
export async function insertTeam(
  trx: Kysely<Database>,
  accountId: string,
  name: string,
): Promise<{ id: string } | "known" | "full"> {
  const { rows } = await sql<{
    n: number;
  }>`select count(*)::integer as n from teams where account_id = ${accountId}`.execute(trx);
  if ((rows[0]?.n ?? 0) >= MAX_TEAMS) return "full";
  const made = await trx
    .insertInto("teams")
    .values({ account_id: accountId, name })
    .onConflict((conflict) => conflict.columns(["account_id", "name"]).doNothing())
    .returning("id")
    .executeTakeFirst();
  return made ?? "known";
}

/** Gives a team another name. @returns false when another team has it */
export async function renameTeam(
  trx: Kysely<Database>,
  team: { id: string; accountId: string },
  name: string,
): Promise<boolean> {
  const { rows } = await sql`
    update teams set name = ${name} where id = ${team.id}::uuid and not exists (
      select from teams other where other.account_id = ${team.accountId} and other.name = ${name} and other.id <> ${team.id}::uuid
    ) returning id`.execute(trx);
  return rows.length > 0;
}

/** Sets who is in a team. @returns the ids that are none of the account's people: nothing is changed then */
export async function setMembers(
  trx: Kysely<Database>,
  { id, accountId }: { id: string; accountId: string },
  people: readonly string[],
): Promise<string[]> {
  const ids = [...new Set(people.map((person) => person.toLowerCase()))];
  const known =
    ids.length === 0
      ? []
      : await trx
          .selectFrom("people")
          .select("id")
          .where("account_id", "=", accountId)
          .where("id", "in", ids)
          .execute();
  const strangers = ids.filter((one) => !known.some((row) => row.id === one));
  if (strangers.length > 0) return strangers;
  await trx.deleteFrom("team_members").where("team_id", "=", id).execute();
  if (ids.length > 0)
    await trx
      .insertInto("team_members")
      .values(ids.map((person_id) => ({ team_id: id, person_id })))
      .execute();
  return [];
}

/** Removes a team. What it has keeps its name. */
export async function deleteTeam(trx: Kysely<Database>, id: string): Promise<void> {
  await keepName(trx, "team", id);
  await trx.deleteFrom("teams").where("id", "=", id).execute();
}
