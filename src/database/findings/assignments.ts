import { type Kysely, type RawBuilder, sql } from "kysely";
import type { Whose } from "../../domain/accounts/principal.ts";
import type { Assignment, HeldKind, Holder, Said } from "../../domain/causes/assignment.ts";
import type { Page, Paginated } from "../lists.ts";
import { isWhole } from "../reports/series.ts";
import { isOfSite, type SiteKey } from "../reports/site-key.ts";
import type { Database } from "../tables.ts";

/** What is said of a site and of what it has. */
export type Assignments = {
  site: Assignment | undefined;
  /** By the path of the section. */
  sections: ReadonlyMap<string, Assignment>;
  /** By the id of the cause. */
  causes: ReadonlyMap<string, Assignment>;
};

export const noAssignments: Assignments = { site: undefined, sections: new Map(), causes: new Map() };

/** What is said of a cause, and of what it is in. @param section that all of its pages are in */
export function saidOf({ site, sections, causes }: Assignments, id: string, section: string | null): Said {
  return { site, section: section === null ? undefined : sections.get(section), cause: causes.get(id) };
}

/** The names that the people and teams of assignments `a` have now. */
export const withNames: RawBuilder<unknown> = sql`
  left join api_tokens holding_person on holding_person.id = a.person_id left join teams holding_team on holding_team.id = a.team_id`;

/** The name of who has an assignment `a`, with `withNames`. */
export const nameOfHolder: RawBuilder<string> = sql`coalesce(holding_person.name, holding_team.name, a.assignee)`;

const columns = sql`
  a.holder, a.person_id, a.team_id, ${nameOfHolder} as assignee, to_char(a.due_on, 'YYYY-MM-DD') as due_on, a.note, a.done_at`;

type Scope = Omit<Whose, "sites">;

const isOf = ({ accountId, guestToken }: Scope) =>
  sql`a.account_id = ${accountId} and a.guest_token = coalesce(${guestToken}::text, '')`;

/** Joins the name of who has a site, as `held.owner`. @param url of the site */
export const holderOfSite = (account: RawBuilder<unknown>, guest: RawBuilder<unknown>, url: RawBuilder<unknown>) => sql`
  left join lateral (
    select ${nameOfHolder} as owner from assignments a ${withNames}
    where a.account_id = ${account} and a.guest_token = coalesce(${guest}, '') and a.starting_url = ${url} and a.kind = 'site'
  ) held on true`;

/** Whether one of some people and teams has a site, or a part of it. @param url of the site */
export const isAmongHolders = (scope: Scope, url: RawBuilder<unknown>, ids: ReadonlySet<string>): RawBuilder<boolean> =>
  sql<boolean>`exists (
    select from assignments a where ${isOf(scope)} and a.starting_url = ${url} and ${isHeldBy(ids)}
  )`;

const isHeldBy = (ids: ReadonlySet<string>) =>
  sql`(a.person_id = any(${[...ids]}::uuid[]) or a.team_id = any(${[...ids]}::uuid[]))`;

/** Who has each of some sites, by their starting URLs. */
export async function siteAssignments(
  db: Kysely<Database>,
  scope: Scope,
  urls: readonly string[],
): Promise<ReadonlyMap<string, Assignment>> {
  const { rows } = await sql<Assignment & { starting_url: string }>`
    select a.starting_url, ${columns} from assignments a ${withNames}
    where ${isOf(scope)} and a.kind = 'site' and a.starting_url = any(${urls})`.execute(db);
  return new Map(rows.map(({ starting_url, ...assignment }) => [starting_url, assignment]));
}

/** What somebody has, with what the newest report of the site says. */
export type AssignmentRow = Assignment & {
  id: string;
  guest_token: string;
  starting_url: string;
  site_name: string | null;
  kind: HeldKind;
  part: string;
  title: string | null;
  /** The newest report with the results of the whole site. */
  report: { id: string; at: string } | null;
  /** Whether that has errors of it. */
  is_seen: boolean;
};

export type AssignmentFilter = {
  /** What these people and teams have. */
  ids?: ReadonlySet<string> | undefined;
  /** What somebody with this name has. */
  assignee?: string | undefined;
  kind?: HeldKind | undefined;
  siteId?: string | undefined;
  /** What somebody had who is removed. */
  left?: boolean | undefined;
  id?: string | undefined;
};

/** Who has what: the first day that ends first. */
export async function listAssignments(
  db: Kysely<Database>,
  scope: Whose,
  { ids, assignee, kind, siteId, left, id }: AssignmentFilter,
  { limit, offset }: Page,
): Promise<Paginated<AssignmentRow>> {
  const conditions = [
    isOf(scope),
    ...(scope.sites === null ? [] : [sql`a.starting_url = any(${[...scope.sites]}::text[])`]),
    ...(ids ? [isHeldBy(ids)] : []),
    ...(assignee === undefined ? [] : [sql`${nameOfHolder} = ${assignee}`]),
    ...(kind === undefined ? [] : [sql`a.kind = ${kind}`]),
    ...(siteId === undefined ? [] : [sql`md5(a.starting_url) = ${siteId}`]),
    ...(left ? [sql`a.holder <> 'name' and a.person_id is null and a.team_id is null`] : []),
    ...(id === undefined ? [] : [sql`a.id = ${id}::uuid`]),
  ];
  const { rows } = await sql<{ total: number; page: (Omit<AssignmentRow, "done_at"> & { done_at: string | null })[] }>`
    with found as (
      select a.id, a.guest_token, a.starting_url, a.kind, a.part, a.title, ${columns},
        row_number() over (order by a.due_on nulls last, a.starting_url collate "C", a.kind desc, a.part collate "C") as place
      from assignments a ${withNames} where ${sql.join(conditions, sql` and `)}
    ), page as (
      select found.*, named.name as site_name,
        case when newest.id is not null then json_build_object('id', newest.id, 'at', newest.inserted_at) end as report,
        coalesce(case found.kind
          when 'cause' then exists (select from findings f where f.report_id = newest.id and f.cause = decode(found.part, 'hex')
            and f.issue_type = 'error' and f.muting_id is null and not f.outside_standard)
          when 'section' then exists (select from web_pages p join checks c on c.web_page_id = p.id
            where p.report_id = newest.id and p.section = found.part and c.errors > 0)
          else exists (select from check_counts k where k.report_id = newest.id and k.errors > 0) end, false) as is_seen
      from (select * from found order by place limit ${limit} offset ${offset}) found
      left join sites named on named.account_id = ${scope.accountId} and named.guest_token = found.guest_token
        and named.starting_url = found.starting_url
      left join lateral (
        select r.id, r.inserted_at from reports r
        where r.account_id = ${scope.accountId} and r.guest_token is not distinct from ${scope.guestToken} and r.deleted_at is null
          and r.starting_url = found.starting_url and ${isWhole("r")} order by r.inserted_at desc, r.id limit 1
      ) newest on true
    )
    select (select count(*)::integer from found) as total, (select coalesce(json_agg(page order by place), '[]') from page) as page`.execute(
    db,
  );
  const [listed] = rows;
  const page = (listed?.page ?? []).map(({ done_at, ...row }) => ({
    ...row,
    done_at: done_at === null ? null : new Date(done_at),
  }));
  return { rows: page, total: listed?.total ?? 0 };
}

/** Gives all that somebody has to somebody else. */
export async function handOver(
  trx: Kysely<Database>,
  from: { kind: "person" | "team"; id: string },
  to: Holder,
): Promise<void> {
  await sql`
    update assignments set assignee = ${to.assignee}, holder = ${to.holder}, person_id = ${to.person_id}::uuid, team_id = ${to.team_id}::uuid
    where ${sql.ref(from.kind === "person" ? "person_id" : "team_id")} = ${from.id}::uuid`.execute(trx);
}

/** How much somebody has. */
export async function countHeld(db: Kysely<Database>, ids: readonly string[]): Promise<ReadonlyMap<string, number>> {
  const { rows } = await sql<{ id: string; held: number }>`
    select coalesce(person_id, team_id) as id, count(*)::integer as held from assignments
    where person_id = any(${ids}::uuid[]) or team_id = any(${ids}::uuid[]) group by 1`.execute(db);
  return new Map(rows.map(({ id, held }) => [id, held]));
}

/** Who has a site, its sections and its causes. */
export async function readAssignments(db: Kysely<Database>, site: SiteKey): Promise<Assignments> {
  const { rows } = await sql<Assignment & { kind: HeldKind; part: string }>`
    select a.kind, a.part, ${columns} from (select * from assignments where ${isOfSite(site)}) a ${withNames}`.execute(
    db,
  );
  const of = (wanted: HeldKind) =>
    new Map(rows.flatMap(({ kind, part, ...assignment }) => (kind === wanted ? [[part, assignment] as const] : [])));
  return { site: of("site").get(""), sections: of("section"), causes: of("cause") };
}

/** How many other parts of the same kind of a site have somebody. */
export async function countOthers(db: Kysely<Database>, site: SiteKey, { kind, part }: Part): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    select count(*)::integer as n from assignments where ${isOfSite(site)} and kind = ${kind} and part <> ${part}`.execute(
    db,
  );
  return rows[0]?.n ?? 0;
}

/** What of a site somebody has. */
export type Part = { kind: HeldKind; part: string; title?: string | null };

/**
 * Stores who has a part of a site; undefined says that nobody has it. A person or team that is removed, or of another
 * account, is stored as one that was removed. The account's people are locked.
 *
 * @returns the id of the assignment
 */
export async function storeAssignment(
  db: Kysely<Database>,
  site: SiteKey,
  { kind, part, title }: Part,
  assignment: Assignment | undefined,
): Promise<string | undefined> {
  if (!assignment) {
    await sql`delete from assignments where ${isOfSite(site)} and kind = ${kind} and part = ${part}`.execute(db);
    return undefined;
  }
  const { accountId, guestToken, startingUrl } = site;
  const { assignee, holder, person_id, team_id, due_on, note, done_at } = assignment;
  const { rows } = await sql<{ id: string }>`
    insert into assignments (account_id, guest_token, starting_url, kind, part, title, assignee, holder, person_id, team_id, due_on, note, done_at)
    values (${accountId}, coalesce(${guestToken}::text, ''), ${startingUrl}, ${kind}, ${part}, ${title ?? null}, ${assignee}, ${holder},
      (select id from people where id = ${person_id}::uuid and account_id = ${accountId}),
      (select id from teams where id = ${team_id}::uuid and account_id = ${accountId}), ${due_on}::date, ${note}, ${done_at})
    on conflict (account_id, guest_token, md5(starting_url), kind, md5(part)) do update set title = coalesce(excluded.title, assignments.title),
      assignee = excluded.assignee, holder = excluded.holder, person_id = excluded.person_id, team_id = excluded.team_id,
      due_on = excluded.due_on, note = excluded.note, done_at = excluded.done_at
    returning id`.execute(db);
  return rows[0]?.id;
}
