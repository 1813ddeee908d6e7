import { type Kysely, sql } from "kysely";
import type { Holder, HolderKind } from "../../domain/causes/assignment.ts";
import type { Page, Paginated } from "../lists.ts";
import type { Database } from "../tables.ts";

/** A person or a team that can have something. */
export type AssigneeRow = {
  id: string;
  kind: Exclude<HolderKind, "name">;
  name: string;
  /** How many people a team has; null for a person. */
  num_members: number | null;
  /** It is the person who asks, or a team of this person. */
  mine: boolean;
};

/** People whose access has not ended, invited ones included, and teams of an account. @param self who asks; null for tokens */
const assignees = (accountId: string, self: string | null, now: Date) => sql`
  select p.id, 'person' as kind, t.name, null::integer as num_members, p.id is not distinct from ${self}::uuid as mine
  from people p join api_tokens t on t.id = p.id
  where p.account_id = ${accountId} and (p.ends_at is null or p.ends_at > ${now})
  union all
  select g.id, 'team', g.name, count(m.person_id)::integer, coalesce(bool_or(m.person_id = ${self}::uuid), false)
  from teams g left join team_members m on m.team_id = g.id where g.account_id = ${accountId} group by g.id`;

/** Who can have something, by name: people first. @param of `onlyOwn`: only who asks, and the teams of this person */
export async function listAssignees(
  db: Kysely<Database>,
  { accountId, self, now, onlyOwn }: { accountId: string; self: string | null; now: Date; onlyOwn: boolean },
  { limit, offset }: Page,
): Promise<Paginated<AssigneeRow>> {
  const { rows } = await sql<{ total: number; page: AssigneeRow[] }>`
    with all_of_them as (select * from (${assignees(accountId, self, now)}) known where mine or not ${onlyOwn}::boolean),
      page as (select * from all_of_them order by kind, lower(name), id limit ${limit} offset ${offset})
    select (select count(*)::integer from all_of_them) as total, (select coalesce(json_agg(page), '[]') from page) as page`.execute(
    db,
  );
  return { rows: rows[0]?.page ?? [], total: rows[0]?.total ?? 0 };
}

/** A person or team of an account; undefined when the account has none with this id, and for people whose access has ended. */
export async function findAssignee(
  db: Kysely<Database>,
  { accountId, now }: { accountId: string; now: Date },
  kind: AssigneeRow["kind"],
  id: string,
): Promise<AssigneeRow | undefined> {
  const { rows } = await sql<AssigneeRow>`
    select * from (${assignees(accountId, null, now)}) found where kind = ${kind} and id = ${id}::uuid`.execute(db);
  return rows[0];
}

/** A person or team as the one who has something. */
export function holderOf({ id, kind, name }: Pick<AssigneeRow, "id" | "kind" | "name">): Holder {
  const ids = { person_id: kind === "person" ? id : null, team_id: kind === "team" ? id : null };
  return { assignee: name, holder: kind, ...ids };
}

/** The ids by which a person has something: the own one, and those of the person's teams. */
export async function ownIds(db: Kysely<Database>, personId: string): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ id: string }>`
    select ${personId}::uuid as id union all select team_id from team_members where person_id = ${personId}::uuid`.execute(
    db,
  );
  return new Set(rows.map(({ id }) => id));
}

/** What somebody has who is about to be removed keeps the name of this moment. */
export async function keepName(trx: Kysely<Database>, kind: AssigneeRow["kind"], id: string): Promise<void> {
  await (kind === "person"
    ? sql`update assignments a set assignee = t.name from api_tokens t where a.person_id = ${id}::uuid and t.id = a.person_id`
    : sql`update assignments a set assignee = t.name from teams t where a.team_id = ${id}::uuid and t.id = a.team_id`
  ).execute(trx);
}
