import { type Kysely, type RawBuilder, type Selectable, type SqlBool, sql } from "kysely";
import type { Whose } from "../../domain/accounts/principal.ts";
import type { FindingCount } from "../../domain/findings/gate.ts";
import type { Muting, MutingCriteria, MutingDefinition } from "../../domain/findings/muting.ts";
import { selectorPattern } from "../../domain/selector/match-selector.ts";
import { type MutingCategory, mutingCategories } from "../../schema/muting.ts";
import { contains, type Page, type Paginated } from "../lists.ts";
import { CHANNEL, MUTINGS_CHANGED } from "../notifications.ts";
import type { Database } from "../tables.ts";
import { guestKnown } from "./guests.ts";
import { isOnSites } from "./site-roles.ts";
import { nameOfToken } from "./tokens.ts";

/** Locks the account like raiseRevision, so that changes run one after the other. Rows that refer to it do not wait. */
export async function lockAccount(trx: Kysely<Database>, accountId: string): Promise<void> {
  await trx.selectFrom("accounts").select("id").where("id", "=", accountId).forNoKeyUpdate().execute();
}

/** Locks the account's row, so that revisions become visible in the same order as their mutings. */
export async function raiseRevision(trx: Kysely<Database>, accountId: string): Promise<void> {
  await sql`
    with raised as (update accounts set muting_revision = muting_revision + 1 where id = ${accountId} returning id)
    select pg_notify(${CHANNEL}, ${MUTINGS_CHANGED}) from raised`.execute(trx);
}

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

/** All mutings of an account, including its guests', those of one guest, or those that silence something on some sites now. */
export type MutingScope = Whose;
/** Whose mutings they are, as they are stored. */
export type MutingOwner = Omit<Whose, "sites">;

/** Who creates a muting: the token's name is kept with it. */
export type MutingAuthor = MutingOwner & { tokenId?: string | null };

function mutingsOf(db: Kysely<Database>, scope: MutingScope) {
  const { accountId, guestToken } = scope;
  const found = db.selectFrom("mutings").where("account_id", "=", accountId).where(isOfSites(scope));
  return guestToken === null ? found : found.where("guest_token", "=", guestToken);
}

/** What a muting silences in the newest report of each site: how many findings, and one of them. */
export type SilencedNow = { findings: number; finding_id: string | null };
/** `idleSince`: when the first report ended that has nothing for it any more; null while it silences something, and if none ever had. */
export type ListedMuting = MutingRow & SilencedNow & { idleSince: Date | null };

/** Those that end within two weeks, and those that silence nothing. */
export const mutingStates = ["ends_soon", "matches_nothing"] as const;
const SOON_MS = 14 * 24 * 60 * 60_000;

export type MutingQuery = {
  category?: MutingCategory | undefined;
  state?: (typeof mutingStates)[number] | undefined;
  /** In a criterion, the explanation, the reason or the author. */
  search?: string | undefined;
};

/** How many mutings an owner has in all, by reason and state, and the findings that they silence. */
export type MutingCounts = { all: number; findings: number; categories: Record<MutingCategory, number> } & Record<
  (typeof mutingStates)[number],
  number
>;

/** The newest report of each site that has a result of the whole site. */
const newestReports = (scope: MutingScope) => sql`
  select distinct on (r.starting_url, r.guest_token) r.id from reports r join report_ends e on e.report_id = r.id
  where r.account_id = ${scope.accountId} and r.deleted_at is null and e.is_whole and ${isOnSites("r", scope)}
    and ${scope.guestToken === null ? sql`true` : sql`r.guest_token = ${scope.guestToken}`}
  order by r.starting_url, r.guest_token, r.inserted_at desc, r.id`;

/** A muting has no site of its own: on single sites those are there that take effect on them. */
function isOfSites(scope: MutingScope): RawBuilder<SqlBool> {
  if (scope.sites === null) return sql<SqlBool>`true`;
  return sql<SqlBool>`mutings.id in (
    select f.muting_id from (${newestReports(scope)}) newest join findings f on f.report_id = newest.id and f.muting_id is not null
  )`;
}

const stateConditions = (scope: MutingScope, now: Date) => ({
  ends_soon: sql<SqlBool>`(mutings.expires_at between ${now} and ${new Date(now.getTime() + SOON_MS)})`,
  matches_nothing: sql<SqlBool>`not exists (
    select from (${newestReports(scope)}) newest join findings f on f.report_id = newest.id and f.muting_id = mutings.id
  )`,
});

const searched = sql.join(
  ["criteria::text", "coalesce(comment, '')", "coalesce(reason, '')", "coalesce(created_by, '')"].map((text) =>
    sql.raw(text),
  ),
  sql` || ' ' || `,
);

/** Mutings, oldest first. */
export async function listMutings(
  db: Kysely<Database>,
  scope: MutingScope,
  { category, state, search }: MutingQuery,
  { now, page }: { now: Date; page: Page },
): Promise<Paginated<MutingRow>> {
  let found = mutingsOf(db, scope);
  if (category) found = found.where("category", "=", category);
  if (state) found = found.where(stateConditions(scope, now)[state]);
  if (search !== undefined) found = found.where(sql<SqlBool>`strpos(lower(${searched}), lower(${search})) > 0`);
  const { total } = await found.select((eb) => eb.fn.countAll<string>().as("total")).executeTakeFirstOrThrow();
  const selected = found.selectAll().select(guestKnown("mutings"));
  const rows = await selected.orderBy("id").limit(page.limit).offset(page.offset).execute();
  return { rows, total: Number(total) };
}

/** Counts an owner's mutings, and what they silence in the newest report of each site. */
export async function countMutingsNow(db: Kysely<Database>, scope: MutingScope, now: Date): Promise<MutingCounts> {
  const { ends_soon } = stateConditions(scope, now);
  const categories = Object.keys(mutingCategories).map(
    (name) => sql`${sql.lit(name)}, count(*) filter (where category = ${sql.lit(name)})`,
  );
  const { rows } = await sql<{ counts: MutingCounts }>`
    select json_build_object('all', count(*), 'findings', coalesce(sum(findings), 0), 'categories', json_build_object(${sql.join(categories)}),
      'ends_soon', count(*) filter (where ${ends_soon}), 'matches_nothing', count(*) filter (where findings is null)) as counts
    from mutings left join (
      select f.muting_id, sum(f.how_many)::integer as findings from (${newestReports(scope)}) newest
      join findings f on f.report_id = newest.id and f.muting_id is not null group by 1
    ) silenced on silenced.muting_id = mutings.id
    where account_id = ${scope.accountId} and ${isOfSites(scope)} and ${scope.guestToken === null ? sql`true` : sql`guest_token = ${scope.guestToken}`}`.execute(
    db,
  );
  return (rows[0] as { counts: MutingCounts }).counts;
}

const selectMutings = (db: Kysely<Database>, scope: MutingScope) =>
  mutingsOf(db, scope).selectAll().select(guestKnown("mutings"));

/** Mutings with what they silence now. */
export async function withSilenced(
  db: Kysely<Database>,
  scope: MutingScope,
  mutings: readonly MutingRow[],
): Promise<ListedMuting[]> {
  const { rows } = await sql<SilencedNow & { muting_id: string }>`
    select f.muting_id::text, sum(f.how_many)::integer as findings, min(f.id)::text as finding_id from (${newestReports(scope)}) newest
    join findings f on f.report_id = newest.id and f.muting_id = any(${mutings.map(({ id }) => id)}::bigint[]) group by 1`.execute(
    db,
  );
  const byId = new Map(rows.map(({ muting_id, ...silenced }) => [muting_id, silenced]));
  const idle = await idleSince(
    db,
    scope,
    mutings.flatMap(({ id }) => (byId.has(id) ? [] : [id])),
  );
  return mutings.map((muting) => ({
    ...muting,
    ...(byId.get(muting.id) ?? { findings: 0, finding_id: null }),
    idleSince: idle.get(muting.id) ?? null,
  }));
}

/** Since when mutings that silence nothing do so: the end of the report after the last one that had something for them. */
async function idleSince(
  db: Kysely<Database>,
  { accountId }: MutingScope,
  ids: readonly string[],
): Promise<Map<string, Date>> {
  if (ids.length === 0) return new Map();
  const whole = sql`reports r join report_ends e on e.report_id = r.id and e.is_whole
    where r.account_id = ${accountId} and r.deleted_at is null`;
  const { rows } = await sql<{ id: string; at: Date }>`
    select m.id::text as id, gone.at from unnest(${[...ids]}::bigint[]) m (id)
    cross join lateral (
      select r.starting_url, r.guest_token, r.inserted_at from ${whole}
        and exists (select from findings f where f.report_id = r.id and f.muting_id = m.id)
      order by r.inserted_at desc limit 1
    ) had
    cross join lateral (
      select min(e.ended_at) as at from ${whole} and r.starting_url = had.starting_url
        and r.guest_token is not distinct from had.guest_token and r.inserted_at > had.inserted_at
    ) gone
    where gone.at is not null`.execute(db);
  return new Map(rows.map(({ id, at }) => [id, at]));
}

export function findMutingRow(db: Kysely<Database>, scope: MutingScope, id: string): Promise<MutingRow | undefined> {
  return selectMutings(db, scope).where("id", "=", id).executeTakeFirst();
}

/** Mutings that silence at least one finding of a report, oldest first. */
export async function listAppliedMutings(
  db: Kysely<Database>,
  reportId: string,
  page: Page,
): Promise<Paginated<MutingRow>> {
  const applied = sql<string>`(${sql.join(
    ["issues", "findings"].map((table) => mutingsIn(table, reportId)),
    sql` union `,
  )})`;
  const found = db
    .selectFrom("mutings")
    .where("account_id", "=", sql<string>`(select account_id from reports where id = ${reportId})`)
    .where("id", "in", applied);
  const { total } = await found.select((eb) => eb.fn.countAll<string>().as("total")).executeTakeFirstOrThrow();
  const selected = found.selectAll().select(guestKnown("mutings"));
  const rows = await selected.orderBy("id").limit(page.limit).offset(page.offset).execute();
  return { rows, total: Number(total) };
}

/** Skips from one muting to the next in the index: each may silence a hundred thousand findings. */
function mutingsIn(table: string, reportId: string) {
  const next = (after: RawBuilder<unknown>) => sql`
    select muting_id from ${sql.table(table)} where report_id = ${reportId} and muting_id is not null ${after}
    order by muting_id limit 1`;
  return sql`(
    with recursive known as (
      (${next(sql``)})
      union all
      select (${next(sql`and muting_id > known.muting_id`)}) from known where known.muting_id is not null
    )
    select muting_id from known where muting_id is not null
  )`;
}

/** How many mutings an owner has, and how many of these with a selector. */
export async function countMutings(
  trx: Kysely<Database>,
  { accountId, guestToken }: MutingOwner,
): Promise<{ mutings: number; selectors: number }> {
  const { rows } = await sql<{ mutings: number; selectors: number }>`
    select count(*)::integer as mutings, count(*) filter (where criteria ? 'selector')::integer as selectors
    from mutings where account_id = ${accountId} and guest_token is not distinct from ${guestToken}`.execute(trx);
  return rows[0] ?? { mutings: 0, selectors: 0 };
}

/** Stores a muting. */
export function insertMutingRow(
  trx: Kysely<Database>,
  { accountId, guestToken, tokenId = null }: MutingAuthor,
  muting: MutingDefinition,
): Promise<MutingRow> {
  const created_by = nameOfToken(tokenId);
  return trx
    .insertInto("mutings")
    .values({ account_id: accountId, guest_token: guestToken, created_by, ...columnsOf(muting) })
    .returningAll()
    .returning(guestKnown("mutings"))
    .executeTakeFirstOrThrow();
}

/** Stores a changed muting. */
export async function updateMutingRow(
  trx: Kysely<Database>,
  id: string,
  muting: MutingDefinition & { expired: boolean },
  now: Date,
): Promise<void> {
  await trx
    .updateTable("mutings")
    .set({ ...columnsOf(muting), expired: muting.expired, updated_at: now })
    .where("id", "=", id)
    .execute();
}

function columnsOf({ criteria, category, comment, reason, expiresAt }: MutingDefinition) {
  return { criteria: JSON.stringify(criteria), category, comment, reason, expires_at: expiresAt, expired: false };
}

/** Deletes a muting. @returns false when there is none */
export async function deleteMutingRow(trx: Kysely<Database>, id: string): Promise<boolean> {
  const gone = await trx.deleteFrom("mutings").where("id", "=", id).returning("id").executeTakeFirst();
  return gone !== undefined;
}

/** The most accounts that one query returns. */
const MAX_ACCOUNTS = 100;
/** Clocks of machines differ: an ended muting stays ended unless its end is at least this many ms in the future. */
const MAX_CLOCK_SKEW_MS = 60_000;

const isOver = (now: Date) => sql`expires_at <= ${now} and not expired`;
/** Mutings that a fast clock ended too early. */
const isToCome = (now: Date) => sql`expires_at > ${new Date(now.getTime() + MAX_CLOCK_SKEW_MS)} and expired`;

/** Accounts with mutings that must end, or that ended too early; those that have waited longest come first. */
export async function listExpiring(db: Kysely<Database>, now: Date): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select account_id as id from (
      select account_id, expires_at from mutings where ${isOver(now)}
      union all
      select account_id, expires_at from mutings where ${isToCome(now)}
    ) changing
    group by account_id order by min(expires_at) limit ${MAX_ACCOUNTS}`.execute(db);
  return rows.map(({ id }) => id);
}

/** Locks an account like lockAccount, unless somebody else has. @returns false then */
export async function tryLockAccount(trx: Kysely<Database>, accountId: string): Promise<boolean> {
  const { rows } = await sql`
    select id from accounts where id = ${accountId} for no key update skip locked`.execute(trx);
  return rows.length > 0;
}

/** Ends an account's mutings that are over, and restores those that ended too early. @returns how many have changed */
export async function switchExpired(trx: Kysely<Database>, accountId: string, now: Date): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    update mutings set expired = not expired, updated_at = ${now}
    where account_id = ${accountId} and (${isOver(now)} or ${isToCome(now)})`.execute(trx);
  return Number(numAffectedRows);
}

/** What a muting would silence of what counts now: elements, those of them that are errors, and the issues and pages that have them. */
export type Silenced = { findings: number; errors: number; issues: number; pages: number };

/** The number of reports that are checked when none is named. */
const MAX_REPORTS = 50;
/** They are chosen from this many of the latest reports: an owner may have a hundred thousand. */
const MAX_LATEST = 1_000;

const IS_ERROR = sql`(i.issue_type = 'error' and not i.outside_standard)`;

/** A report in which mutings are previewed. */
export type Previewed = { id: string; starting_url: string };

function ownReports(db: Kysely<Database>, accountId: string, guestToken: string | null) {
  const own = db.selectFrom("reports").where("account_id", "=", accountId).where("deleted_at", "is", null);
  return guestToken === null ? own.where("guest_token", "is", null) : own.where("guest_token", "=", guestToken);
}

/** A row if a report has results. */
function checkedOf(report: string): RawBuilder<unknown> {
  return sql`select from checks c where c.report_id = ${sql.ref(`${report}.id`)} and c.status = 'checked' limit 1`;
}

/** How many sites of an owner have results, also those that `latestReports` leaves out. */
export async function countCheckedSites(db: Kysely<Database>, { accountId, guestToken }: MutingOwner): Promise<number> {
  const { total } = await ownReports(db, accountId, guestToken)
    .where(sql<boolean>`exists (${checkedOf("reports")})`)
    .select((eb) => eb.fn.count<string>("starting_url").distinct().as("total"))
    .executeTakeFirstOrThrow();
  return Number(total);
}

/** The latest report of each site that an owner checks, the latest ones first. Reports without results are left out. */
export async function latestReports(
  db: Kysely<Database>,
  { accountId, guestToken }: MutingOwner,
): Promise<Previewed[]> {
  const latest = ownReports(db, accountId, guestToken).select([
    "id",
    "starting_url",
    sql<Date>`coalesce(last_checked_at, inserted_at)`.as("at"),
  ]);
  const newest = latest.orderBy(sql`coalesce(last_checked_at, inserted_at)`, "desc").orderBy("id").limit(MAX_LATEST);
  const { rows } = await sql<Previewed>`
    select id, starting_url from (
      select distinct on (starting_url) id, starting_url, at from (${newest}) latest
      join lateral (${checkedOf("latest")}) checked on true
      order by starting_url, at desc
    ) of_sites order by at desc limit ${MAX_REPORTS}`.execute(db);
  return rows;
}

/**
 * Counts what a muting would silence in a report, comparing the same texts as `mutingsByPage`. What other mutings
 * already silence is left out.
 *
 * @param changed the id of the muting that is changed to this one: what it silences itself counts as if it did not
 */
export async function previewMuting(
  db: Kysely<Database>,
  reportId: string,
  criteria: MutingCriteria,
  changed?: string,
): Promise<Silenced & { report_errors: number }> {
  const { rows } = await sql<Silenced & { report_errors: number }>`
    select coalesce(sum(elements), 0)::integer as findings,
      coalesce(sum(elements) filter (where is_error), 0)::integer as errors, count(*)::integer as issues,
      count(distinct web_page_id)::integer as pages,
      (select coalesce(sum(errors), 0)::integer from check_counts where report_id = ${reportId}) as report_errors
    from (${matching(reportId, criteria, changed)}) silenced`.execute(db);
  return rows[0] ?? { findings: 0, errors: 0, issues: 0, pages: 0, report_errors: 0 };
}

/** What counts by a report's gate and a muting would silence: how many elements of each kind, type and impact. */
export async function countSilenced(
  db: Kysely<Database>,
  reportId: string,
  criteria: MutingCriteria,
): Promise<FindingCount[]> {
  const { rows } = await sql<FindingCount>`
    select kind, issue_type, impact_order, sum(elements)::integer as how_many
    from (${matching(reportId, criteria)}) silenced where not outside_standard group by 1, 2, 3`.execute(db);
  return rows;
}

/** The same of what is new by a comparison. */
export async function countSilencedNew(
  db: Kysely<Database>,
  reportId: string,
  criteria: MutingCriteria,
  comparisonId: string,
): Promise<FindingCount[]> {
  const { rows } = await sql<FindingCount>`
    select f.kind, f.issue_type, f.impact_order, sum(c.how_many)::integer as how_many
    from ${ISSUES} join findings f on f.issue_id = i.id
    join compared_findings c on c.comparison_id = ${comparisonId} and c.finding_id = f.id and c.state = 'new'
    where ${sql.join([...issueConditions(reportId, criteria), ...findingConditions(reportId, criteria)], sql` and `)}
      and not f.outside_standard
    group by 1, 2, 3`.execute(db);
  return rows;
}

const ISSUES = sql`issues i join web_pages w on w.id = i.web_page_id`;

function issueConditions(reportId: string, { url_match, message, rule }: MutingCriteria) {
  return [
    sql`i.report_id = ${reportId}`,
    ...(url_match === undefined ? [] : [contains("w.url", url_match)]),
    ...(message === undefined ? [] : [contains("i.message", message)]),
    ...(rule === undefined ? [] : [sql`i.rule = ${rule}`]),
  ];
}

/** @param changed what this muting silences counts as if it did not */
function findingConditions(reportId: string, { steps, fingerprint, component }: MutingCriteria, changed?: string) {
  return [
    sql`f.report_id = ${reportId}`,
    changed === undefined ? sql`f.muting_id is null` : sql`(f.muting_id is null or f.muting_id = ${changed})`,
    ...(component === undefined ? [] : [sql`f.component = decode(${component}, 'hex')`]),
    ...(fingerprint === undefined ? [] : [sql`f.fingerprint = decode(${fingerprint}, 'hex')`]),
    ...(steps === undefined ? [] : [sql`f.selector ~ ${selectorPattern(steps)}`]),
  ];
}

/** The issues of which the muting would silence something, each with its page and the number of elements. */
function matching(reportId: string, criteria: MutingCriteria, changed?: string): RawBuilder<unknown> {
  const { steps, fingerprint, component } = criteria;
  const ofIssue = issueConditions(reportId, criteria);
  const issue = sql`i.web_page_id, i.kind, i.issue_type, i.impact_order, i.outside_standard, ${IS_ERROR} as is_error`;
  if ([steps, fingerprint, component, changed].every((single) => single === undefined)) {
    const counted = [...ofIssue, sql`i.muting_id is null`];
    return sql`select ${issue}, i.how_many as elements from ${ISSUES} where ${sql.join(counted, sql` and `)}`;
  }
  return sql`
    select ${issue}, sum(f.how_many) as elements
    from ${ISSUES} join findings f on f.issue_id = i.id
    where ${sql.join([...ofIssue, ...findingConditions(reportId, criteria, changed)], sql` and `)}
    group by i.id`;
}
