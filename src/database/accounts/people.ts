import { type Kysely, type Selectable, sql } from "kysely";
import type { Role, SiteRole } from "../../domain/accounts/roles.ts";
import { type Page, type Paginated, readPage } from "../lists.ts";
import { secretDigest } from "../secrets.ts";
import type { Database } from "../tables.ts";
import { keepName } from "./assignees.ts";
import { setSiteRoles, sitesOf } from "./site-roles.ts";

/** A person with the name, and when it was seen last, which its row of tokens has. */
export type PersonRow = Selectable<Database["people"]> & {
  name: string;
  sites: SiteRole[];
  last_used_at: Date | null;
  inserted_at: Date;
};

function people(db: Kysely<Database>) {
  return db
    .selectFrom("people")
    .innerJoin("api_tokens", "api_tokens.id", "people.id")
    .selectAll("people")
    .select(sitesOf("people.id").as("sites"))
    .select(["api_tokens.name", "api_tokens.last_used_at", "api_tokens.inserted_at"]);
}

/** Who somebody is for the provider, and what its groups give. */
export type Provision = {
  issuer: string;
  subject: string;
  groups: readonly string[];
  role: Role | null;
  /** Until when the role counts. */
  roleEndsAt: Date;
};

/** Roles on single sites, with who gives them. */
export type SiteRolesGiven = { roles: readonly SiteRole[]; by: string; now: Date };

export type NewPerson = {
  accountId: string;
  name: string;
  /** In lower case. */
  mail: string;
  role: Role | null;
  endsAt?: Date | null;
  sites?: SiteRolesGiven;
  passwordHash?: string;
  invitation?: { secret: string; endsAt: Date; by: string };
  provider?: Provision;
};

/** Adds a person. @returns its id */
export async function insertPerson(trx: Kysely<Database>, person: NewPerson): Promise<string> {
  const { accountId, name, mail, role, endsAt, passwordHash, invitation, provider } = person;
  // A person may write as far as the role goes: the scope narrows tokens alone.
  const row = { account_id: accountId, name, kind: "person", scope: "write" } as const;
  const { id } = await trx.insertInto("api_tokens").values(row).returning("id").executeTakeFirstOrThrow();
  await trx
    .insertInto("people")
    .values({
      ...{ id, account_id: accountId, mail, role },
      ends_at: endsAt ?? null,
      password_hash: passwordHash ?? null,
      invitation_hash: invitation ? secretDigest(invitation.secret) : null,
      invitation_ends_at: invitation?.endsAt ?? null,
      invited_by: invitation?.by ?? null,
      oidc_issuer: provider?.issuer ?? null,
      oidc_subject: provider?.subject ?? null,
      groups: [...(provider?.groups ?? [])],
      group_role: provider?.role ?? null,
      group_role_ends_at: provider?.roleEndsAt ?? null,
    })
    .execute();
  if (person.sites) await setSiteRoles(trx, id, person.sites.roles, person.sites);
  return id;
}

export function findPerson(db: Kysely<Database>, id: string, accountId?: string): Promise<PersonRow | undefined> {
  let found = people(db).where("people.id", "=", id);
  if (accountId !== undefined) found = found.where("people.account_id", "=", accountId);
  return found.executeTakeFirst();
}

/** Those with a mail address, of all accounts: who types it has not said of which. @param mail in lower case */
export function peopleByMail(db: Kysely<Database>, mail: string, accountId?: string): Promise<PersonRow[]> {
  let found = people(db).where("mail", "=", mail);
  if (accountId !== undefined) found = found.where("people.account_id", "=", accountId);
  return found.orderBy("api_tokens.inserted_at").limit(3).execute();
}

/** Who came by the provider before. Subjects are compared by every character. */
export function personOfProvider(
  db: Kysely<Database>,
  { issuer, subject }: Pick<Provision, "issuer" | "subject">,
): Promise<PersonRow | undefined> {
  return people(db).where("oidc_issuer", "=", issuer).where("oidc_subject", "=", subject).executeTakeFirst();
}

/** Whom an invitation is for; undefined for one that is unknown, accepted or over. */
export function findInvited(db: Kysely<Database>, secret: string, now: Date): Promise<PersonRow | undefined> {
  return (
    people(db)
      // The link that was sent by mail has another secret than the one that was shown.
      .where(
        sql<boolean>`(people.invitation_hash = ${secretDigest(secret)}
        or people.id = (select m.person_id from invitation_mails m where m.secret_hash = ${secretDigest(secret)}))`,
      )
      .where("invitation_ends_at", ">", now)
      .executeTakeFirst()
  );
}

/** What may change of a person. */
export type PersonChange = Partial<
  Pick<
    Selectable<Database["people"]>,
    | "role"
    | "group_role"
    | "groups"
    | "group_role_ends_at"
    | "awaits_provider"
    | "ends_at"
    | "password_hash"
    | "totp_secret"
    | "totp_step"
    | "oidc_issuer"
    | "oidc_subject"
    | "invitation_hash"
    | "invitation_ends_at"
  >
> & { name?: string; sites?: SiteRolesGiven | undefined };

export async function changePerson(
  db: Kysely<Database>,
  id: string,
  { name, sites, ...change }: PersonChange,
): Promise<void> {
  if (sites) await setSiteRoles(db, id, sites.roles, sites);
  if (name !== undefined) await db.updateTable("api_tokens").set({ name }).where("id", "=", id).execute();
  if (Object.keys(change).length > 0) await db.updateTable("people").set(change).where("id", "=", id).execute();
}

/** Uses up a time step of the second factor. @returns false when it, or a later one, was used before */
export async function takeTotpStep(db: Kysely<Database>, id: string, step: number): Promise<boolean> {
  const taken = await db
    .updateTable("people")
    .set({ totp_step: String(step) })
    .where("id", "=", id)
    .where((eb) => eb.or([eb("totp_step", "is", null), eb("totp_step", "<", String(step))]))
    .returning("id")
    .executeTakeFirst();
  return taken !== undefined;
}

/** When the first owner of the installation was created; undefined while there is none. */
export async function firstOwnerSince(db: Kysely<Database>): Promise<Date | undefined> {
  const { rows } = await sql<{ at: Date | null }>`
    select min(t.inserted_at) as at from people p join api_tokens t on t.id = p.id
    where p.role = 'owner' and p.invitation_hash is null`.execute(db);
  return rows[0]?.at ?? undefined;
}

/** Lets one transaction at a time decide about people: two owners who remove each other are not both the last. */
export async function lockPeople(trx: Kysely<Database>, what: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtext('site-validator people'), hashtext(${what}))`.execute(trx);
}

/** What the database says that it is, such as "PostgreSQL 17.2". */
export async function databaseVersion(db: Kysely<Database>): Promise<string> {
  const { rows } = await sql<{ version: string }>`select split_part(version(), ' (', 1) as version`.execute(db);
  return rows[0]?.version.split(" on ")[0] ?? "";
}

/** People of an account, by name. */
export function listPeople(db: Kysely<Database>, accountId: string, page: Page): Promise<Paginated<PersonRow>> {
  const found = db.selectFrom("people").where("account_id", "=", accountId);
  const rows = people(db)
    .where("people.account_id", "=", accountId)
    .orderBy(sql`lower(api_tokens.name)`)
    .orderBy("people.id");
  return readPage(found, rows, page);
}

/** How many tokens end with each of some people; those with none are left out. */
export async function countTokensOf(
  db: Kysely<Database>,
  ids: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const { rows } = await sql<{ id: string; tokens: number }>`
    select made_by as id, count(*)::integer as tokens from api_tokens where made_by = any(${[...ids]}::uuid[]) group by 1`.execute(
    db,
  );
  return new Map(rows.map(({ id, tokens }) => [id, tokens]));
}

/** How many people an account has, and how many of them have not accepted yet. */
export async function countPeople(db: Kysely<Database>, accountId: string): Promise<{ all: number; invited: number }> {
  const { rows } = await sql<{ all: number; invited: number }>`
    select count(*)::integer as all, count(invitation_hash)::integer as invited
    from people where account_id = ${accountId}`.execute(db);
  return rows[0] ?? { all: 0, invited: 0 };
}

/** Removes a person, with its sessions and the tokens that it made. */
export async function deletePerson(trx: Kysely<Database>, id: string): Promise<void> {
  await keepName(trx, "person", id);
  await trx.deleteFrom("api_tokens").where("id", "=", id).where("kind", "=", "person").execute();
}

/** Owners of an account who can sign in by themselves, with a password: none may be the last to go. Locks them. */
export async function lockOwners(trx: Kysely<Database>, accountId: string, now: Date): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from people where account_id = ${accountId} and role = 'owner' and password_hash is not null
      and (ends_at is null or ends_at > ${now})
    order by id for update`.execute(trx);
  return rows.map(({ id }) => id);
}
