import { type Kysely, type RawBuilder, sql } from "kysely";
import { validate as isUuid } from "uuid";
import type { Principal, Whose } from "../../domain/accounts/principal.ts";
import type { SiteRole } from "../../domain/accounts/roles.ts";
import { siteIdOf } from "../reports/site-key.ts";
import type { Database } from "../tables.ts";

/** The roles of a person on single sites, as JSON: what each request of this person is judged by. */
export const sitesOf = (person: string): RawBuilder<SiteRole[]> => sql<SiteRole[]>`coalesce((
  select json_agg(json_build_object('starting_url', s.starting_url, 'role', s.role)) from site_roles s
  where s.person_id = ${sql.ref(person)}
), '[]')`;

/** A role on a single site, with who gave it. */
export type SiteRoleRow = SiteRole & { person_id: string; name: string | null; given_by: string; given_at: Date };

/** What people may do on single sites, by the name of the site. */
export async function listSiteRoles(
  db: Kysely<Database>,
  accountId: string,
  people: readonly string[],
): Promise<ReadonlyMap<string, SiteRoleRow[]>> {
  const { rows } = await sql<SiteRoleRow>`
    select s.person_id, s.starting_url, s.role, s.given_by, s.given_at, named.name from site_roles s
    left join sites named on named.account_id = ${accountId} and named.guest_token = '' and named.starting_url = s.starting_url
    where s.person_id = any(${[...people]}::uuid[])
    order by lower(coalesce(named.name, s.starting_url)) collate "C", s.starting_url collate "C"`.execute(db);
  return Map.groupBy(rows, ({ person_id }) => person_id);
}

/** Gives a person these roles on single sites, and no others. One that stays as it was keeps who gave it. */
export async function setSiteRoles(
  trx: Kysely<Database>,
  personId: string,
  given: readonly SiteRole[],
  { by, now }: { by: string; now: Date },
): Promise<void> {
  const urls = given.map(({ starting_url }) => starting_url);
  await sql`delete from site_roles where person_id = ${personId} and starting_url <> all(${urls}::text[])`.execute(trx);
  await sql`
    insert into site_roles as s (person_id, starting_url, role, given_by, given_at)
    select ${personId}, given.url, given.role, ${by}, ${now}
    from unnest(${urls}::text[], ${given.map(({ role }) => role)}::text[]) given (url, role)
    on conflict (person_id, md5(starting_url)) do update set role = excluded.role, given_by = excluded.given_by, given_at = excluded.given_at
    where s.role <> excluded.role`.execute(trx);
}

/** A site is its reports: without one, nobody has a role on it. */
const isGone = sql`not exists (
  select from reports r join people p on p.id = s.person_id
  where r.account_id = p.account_id and r.guest_token is null and r.starting_url = s.starting_url and r.deleted_at is null
)`;

/** Ends the account's roles on the site of a report that was deleted, if it was the last one. Who deletes the other one waits. */
export async function endRolesOnSiteOf(
  trx: Kysely<Database>,
  { account_id, starting_url }: { account_id: string; starting_url: string },
): Promise<void> {
  const ofSite = sql`from site_roles s where md5(s.starting_url) = md5(${starting_url}) and s.starting_url = ${starting_url}
    and exists (select from people p where p.id = s.person_id and p.account_id = ${account_id})`;
  const { rows } = await sql`select s.person_id ${ofSite} order by s.person_id for update`.execute(trx);
  if (rows.length > 0) await sql`delete ${ofSite} and ${isGone}`.execute(trx);
}

/** Ends roles on sites that are gone: of sites whose last report was deleted while somebody gave a role there. */
export async function endRolesOnGoneSites(db: Kysely<Database>): Promise<void> {
  await sql`delete from site_roles s where ${isGone}`.execute(db);
}

/** What belongs to one site, by the kind of its id. */
const siteOfThing = {
  report: sql`reports where deleted_at is null and id =`,
  schedule: sql`schedules where deleted_at is null and id =`,
  assignment: sql`(select account_id, nullif(guest_token, '') as guest_token, starting_url, id from assignments) a where id =`,
  pin: sql`reports where deleted_at is null and id =`,
  share_link: sql`(
    select l.account_id, l.guest_token, coalesce(l.starting_url, r.starting_url) as starting_url, l.id
    from share_links l left join reports r on r.id = l.report_id
  ) l where id =`,
} as const;
export type SiteThing = keyof typeof siteOfThing;

/**
 * The starting URL of the site of the account that a thing belongs to, or that has this id; undefined for what the account itself
 * does not have.
 *
 * @param caller whoever asks for it
 */
export async function findSiteOf(
  db: Kysely<Database>,
  { accountId, person }: Pick<Principal, "accountId" | "person">,
  thing: SiteThing | "site",
  id: string,
): Promise<string | undefined> {
  if (thing === "site") {
    // Nearly always one of these; the other way goes through all reports of the account.
    const own = person?.sites.find(({ starting_url }) => siteIdOf(starting_url) === id);
    return own?.starting_url ?? (await urlsOfSites(db, accountId, [id])).get(id);
  }
  if (!isUuid(id)) return undefined;
  const { rows } = await sql<{ starting_url: string }>`
    select starting_url from ${siteOfThing[thing]} ${id}::uuid and account_id = ${accountId} and guest_token is null`.execute(
    db,
  );
  return rows[0]?.starting_url;
}

/** The starting URLs of the account's own sites with some ids; those without a report are not among them. */
export async function urlsOfSites(
  db: Kysely<Database>,
  accountId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const { rows } = await sql<{ id: string; starting_url: string }>`
    select distinct md5(starting_url) as id, starting_url from reports
    where account_id = ${accountId} and guest_token is null and deleted_at is null and md5(starting_url) = any(${[...ids]}::text[])`.execute(
    db,
  );
  return new Map(rows.map(({ id, starting_url }) => [id, starting_url]));
}

/** A condition for rows that have a starting URL, and whose guest is null for the account's own: that of a site of the caller's. */
export function isOnSites(table: string, { sites }: Pick<Whose, "sites">): RawBuilder<boolean> {
  if (sites === null) return sql<boolean>`true`;
  const column = (name: string) => sql.ref(`${table}.${name}`);
  return sql<boolean>`(${column("guest_token")} is null and ${column("starting_url")} = any(${[...sites]}::text[]))`;
}
