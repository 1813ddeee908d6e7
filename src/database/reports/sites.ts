import { type Kysely, type RawBuilder, sql } from "kysely";
import type { CheckKind } from "../../checks/kinds.ts";
import type { Whose } from "../../domain/accounts/principal.ts";
import type { Assignment } from "../../domain/causes/assignment.ts";
import type { CountField } from "../../domain/findings/check-counts.ts";
import type { Role } from "../../domain/findings/role.ts";
import type { ReportPhase } from "../../schema/status.ts";
import { isOnSites } from "../accounts/site-roles.ts";
import { holderOfSite, isAmongHolders, siteAssignments } from "../findings/assignments.ts";
import { contains, hasTags, type Page, type Paginated, type TagFilter } from "../lists.ts";
import type { Database } from "../tables.ts";
import { sumOfCounts } from "./check-counts.ts";
import { findReports, type ReportRow } from "./read-reports.ts";
import { isWhole, seriesOf, settingsThatDiffer } from "./series.ts";

/** The counters of one run, finished or not. */
export type SiteRun = {
  id: string;
  inserted_at: Date;
  phase: ReportPhase;
  errors: number;
  warnings: number;
  muted_errors: number;
  muted_warnings: number;
  /** When it ended first. */
  errors_then: number | null;
  warnings_then: number | null;
  /** It has the results of its whole site. */
  is_whole: boolean;
  /** Whether it kept its limits when it ended, and whether it keeps them now. */
  passed: boolean | null;
  passed_now: boolean | null;
  series: string;
  /** The settings of a series that differ from those of the run before it. */
  changes: string[];
};

/** What people have said of a site. */
export type SiteNames = {
  name: string | null;
  tags: string[];
  /** The score that it is to have, and the day by which. */
  target_score: number | null;
  target_on: string | null;
};

/** Checked pages by what is found on them. */
export type PageCounts = {
  checked: number;
  /** What the checked pages lose of their scores together. */
  lost: number;
  without_errors: number;
  without_issues: number;
  failed: number;
  /** Of those that failed: their addresses lead to no page. */
  without_page: number;
  /** With those beyond the report's limit. */
  known: number;
  /** How many have no error of a kind, of those that were checked by it. */
  by_kind: Partial<Record<CheckKind, { checked: number; without_errors: number }>>;
};

/** The numbers of a report of the whole site, without what is muted now. */
export type SiteNumbers = {
  report_id: string;
  /** When it ended first. */
  ended_at: string;
  errors: number;
  warnings: number;
  critical: number;
  pages: PageCounts;
  /** What was counted then. */
  at_end: { errors: number; warnings: number; critical: number };
};

/** Compared with the last report of the series before a time. */
export type SiteChange = SiteNumbers & {
  /** The role is that of most of its elements; null until roles are counted. */
  worst: { kind: CheckKind; rule: string | null; errors: number; role: Role | null } | null;
};

/** The latest runs that start at one URL. */
export type Site = SiteNames & {
  assignment: Assignment | null;
  /** The starting URL's digest. */
  id: string;
  starting_url: string;
  num_reports: number;
  latest: ReportRow;
  /** The newest one that has the results of its whole site. */
  latest_whole: ReportRow | null;
  numbers: SiteNumbers | null;
  before: SiteChange | null;
  /** The newest runs, the oldest of them first. */
  runs: SiteRun[];
  /** When the next run starts, and which schedule starts it; null without an active schedule. */
  next_run: { schedule_id: string; at: Date | null } | null;
};

/** Whose sites: an account's own, all or some of them, or a guest's. */
export type SiteScope = Whose;

export const siteSortKeys = [
  "last_report",
  "name",
  "errors_per_page",
  "change",
  "critical",
  "score",
  "share_without_errors",
] as const;

export type SiteQuery = SiteScope & {
  /** Only the site that starts at it. */
  url?: string | undefined;
  id?: string | undefined;
  /** Part of the name, the URL or the owner. */
  search?: string | undefined;
  owner?: string | undefined;
  /** Only sites of which one of these people and teams has something. */
  mine?: boolean;
  /** The people and teams that stand for who asks. */
  own?: ReadonlySet<string>;
  tags?: TagFilter | undefined;
  /** Changes are those since then. */
  since: Date;
  change?: "worse" | "better" | undefined;
  /** Sites whose newest report has failed, or runs. */
  latest?: "failed" | "running" | undefined;
  sort?: { key: (typeof siteSortKeys)[number]; direction: "asc" | "desc" } | undefined;
};

/** How many sites there are without filters, with each change since the period, and in each state; and with each tag. */
export type SiteCounts = {
  all: number;
  /** Those of which who asks has something. */
  mine: number;
  worse: number;
  better: number;
  failed: number;
  running: number;
  tags: { tag: string; sites: number }[];
};

/** The most runs of each site. */
const MAX_RUNS = 20;

type Grouped = SiteNames & {
  id: string;
  starting_url: string;
  num_reports: number;
  latest_id: string;
  whole_id: string | null;
  numbers: SiteNumbers | null;
  before: SiteNumbers | null;
};

/** Of a report's end: what counts of it now, and what was counted then. */
const totalNow = (end: string, field: CountField) => sumOfCounts(`${end}.report_id`, field);
const totalThen = (end: string, field: CountField) => sql<number>`(
  select coalesce(sum((kind.value ->> ${sql.lit(field)})::integer), 0)::integer
  from jsonb_each(${sql.ref(`${end}.counts`)}) kind
)`;
const pagesChecked = (end: string) => sql`(${sql.ref(`${end}.pages_now`)} ->> 'checked')::integer`;
const errorsPerPage = (end: string) => sql`(${totalNow(end, "errors")}::float8 / ${pagesChecked(end)})`;

/** A condition for reports, or schedules, of an account or a guest that are not deleted. */
export const isOwn = (table: string, scope: SiteScope) => {
  const { accountId, guestToken } = scope;
  const column = (name: string) => sql.ref(`${table}.${name}`);
  return sql`${column("account_id")} = ${accountId} and ${column("guest_token")} is not distinct from ${guestToken}
    and ${column("deleted_at")} is null and ${isOnSites(table, scope)}`;
};

const numbersOf = (end: string) => sql`case when ${sql.ref(`${end}.report_id`)} is not null then json_build_object(
  'report_id', ${sql.ref(`${end}.report_id`)}, 'ended_at', ${sql.ref(`${end}.ended_at`)}, 'errors', ${totalNow(end, "errors")},
  'warnings', ${totalNow(end, "warnings")}, 'critical', ${totalNow(end, "critical")}, 'pages', ${sql.ref(`${end}.pages_now`)},
  'at_end', json_build_object('errors', ${totalThen(end, "errors")}, 'warnings', ${totalThen(end, "warnings")},
    'critical', ${totalThen(end, "critical")})) end`;

/** The end has results of a whole site, and not all of its pages were deleted since. */
export const hasNumbers = (end: string) => sql`(${sql.ref(`${end}.is_whole`)} and ${pagesChecked(end)} > 0)`;

/** The end of the newest report of a whole site, under some more conditions. */
const newestEnd = (scope: SiteScope, conditions: RawBuilder<unknown>) => sql`left join lateral (
  select e.* from reports r join report_ends e on e.report_id = r.id
  where ${isOwn("r", scope)} and r.starting_url = site.starting_url and ${hasNumbers("e")} ${conditions}
  order by r.inserted_at desc, r.id limit 1
)`;

/** A site as its parts need it, with the report that shows what it is. */
export type BriefSite = {
  /** The starting URL's digest. */
  id: string;
  starting_url: string;
  name: string | null;
  /** What the score is to be, and the day by which. */
  target_score: number | null;
  target_on: string | null;
  /** The newest of the whole site; before there is one, the newest. */
  report_id: string;
  /** Of a report of the whole site: when it ended, and how its pages are. */
  numbers: { ended_at: Date; pages: PageCounts } | null;
};

/** One site of an account or a guest; undefined without a report. */
export async function findSite(db: Kysely<Database>, scope: SiteScope, id: string): Promise<BriefSite | undefined> {
  const { rows } = await sql<Omit<BriefSite, "numbers"> & { ended_at: Date | null; pages: PageCounts | null }>`
    select ${id} as id, site.starting_url, named.name, named.target_score, to_char(named.target_on, 'YYYY-MM-DD') as target_on,
      coalesce(latest.report_id, site.latest_id) as report_id,
      latest.ended_at, latest.pages_now as pages
    from (
      select starting_url, (array_agg(id order by inserted_at desc, id))[1] as latest_id from reports
      where ${isOwn("reports", scope)} and md5(starting_url) = ${id} group by starting_url
    ) site
    left join sites named on named.account_id = ${scope.accountId} and named.guest_token = coalesce(${scope.guestToken}::text, '')
      and named.starting_url = site.starting_url
    ${newestEnd(scope, sql``)} latest on true`.execute(db);
  const [row] = rows;
  if (!row) return undefined;
  const { ended_at, pages, ...site } = row;
  return { ...site, numbers: ended_at && pages ? { ended_at, pages } : null };
}

/** What people choose a site by. */
export type SiteName = { id: string; name: string | null; starting_url: string };

/** The sites that have reports, by their names: only these, for what a site is chosen from. */
export async function listSiteNames(db: Kysely<Database>, scope: SiteScope, limit: number): Promise<SiteName[]> {
  const { rows } = await sql<SiteName>`
    select md5(site.starting_url) as id, named.name, site.starting_url
    from (select distinct starting_url from reports where ${isOwn("reports", scope)}) site
    left join sites named on named.account_id = ${scope.accountId} and named.guest_token = coalesce(${scope.guestToken}::text, '')
      and named.starting_url = site.starting_url
    order by ${sortColumns.name}, site.starting_url collate "C" limit ${limit}`.execute(db);
  return rows;
}

/** Not a number: of sites without a result, which come last. */
const sortColumns: Record<(typeof siteSortKeys)[number], RawBuilder<unknown>> = {
  last_report: sql`newest`,
  name: sql`lower(coalesce(named.name, site.starting_url)) collate "C"`,
  errors_per_page: errorsPerPage("latest"),
  change: sql`(${errorsPerPage("latest")} - ${errorsPerPage("earlier")})`,
  critical: totalNow("latest", "critical"),
  score: sql`(100 - (latest.pages_now ->> 'lost')::float8 / (latest.pages_now ->> 'checked')::integer)`,
  share_without_errors: sql`((latest.pages_now ->> 'without_errors')::float8 / (latest.pages_now ->> 'checked')::integer)`,
};

/** The sites that have reports: by default the one with the newest report first. */
export async function listSites(
  db: Kysely<Database>,
  query: SiteQuery,
  page: Page,
): Promise<Paginated<Site> & { counts: SiteCounts }> {
  const { accountId, guestToken, url, id, search, owner, tags, since, change, latest: state } = query;
  const isMine = isAmongHolders(query, sql`site.starting_url`, query.own ?? new Set());
  const { key, direction } = query.sort ?? { key: "last_report", direction: "desc" };
  const by = {
    worse: sql`coalesce(${sortColumns.change} > 0, false)`,
    better: sql`coalesce(${sortColumns.change} < 0, false)`,
    failed: sql`(newest_report.phase = 'Failed')`,
    running: sql`(newest_report.phase not in ('Complete', 'Failed'))`,
  };
  const found = sql.join(
    [
      ...(search === undefined
        ? [sql`true`]
        : [
            sql`(${sql.join(
              ["named.name", "site.starting_url", "held.owner"].map((column) => contains(column, search)),
              sql` or `,
            )})`,
          ]),
      ...(owner === undefined ? [] : [sql`held.owner = ${owner}`]),
      ...(query.mine ? [isMine] : []),
      ...(tags ? [hasTags("tagged.tags", tags)] : []),
      ...(change ? [by[change]] : []),
      ...(state ? [by[state]] : []),
    ],
    sql` and `,
  );
  const order = direction === "desc" ? sql`desc nulls last` : sql`asc nulls first`;
  const ties = sql.raw(direction === "desc" ? "asc" : "desc");
  const { rows } = await sql<{ total: number; page: Grouped[]; counts: SiteCounts }>`
    with site as materialized (
      select md5(starting_url) as id, starting_url, count(*)::integer as num_reports, max(inserted_at) as newest,
        (array_agg(id order by inserted_at desc, id))[1] as latest_id
      from reports
      where ${isOwn("reports", query)} and ${url === undefined ? sql`true` : sql`starting_url = ${url}`}
        and ${id === undefined ? sql`true` : sql`md5(starting_url) = ${id}`}
      group by starting_url
    ), listed as (
      select site.id, site.starting_url, site.num_reports, site.latest_id, named.name, named.target_score, named.target_on, tagged.tags, ${isMine} as is_mine,
        ${numbersOf("latest")} as numbers, ${numbersOf("earlier")} as before,
        ${found} as found, ${by.worse} as is_worse, ${by.better} as is_better, ${by.failed} as is_failed, ${by.running} as is_running,
        row_number() over (order by ${found} desc, ${sortColumns[key]} ${order}, site.starting_url collate "C" ${ties}) as place
      from site
      join reports newest_report on newest_report.id = site.latest_id
      left join sites named on named.account_id = ${accountId} and named.guest_token = coalesce(${guestToken}::text, '')
        and named.starting_url = site.starting_url
      ${holderOfSite(sql`${accountId}`, sql`${guestToken}::text`, sql`site.starting_url`)}
      cross join lateral (select coalesce(named.tags, '{}') as tags) tagged
      ${newestEnd(query, sql``)} latest on true
      ${newestEnd(query, sql`and r.inserted_at <= ${since} and e.series = latest.series`)} earlier on true
    ), counted as (
      select json_build_object('all', count(*), 'mine', count(*) filter (where is_mine), 'worse', count(*) filter (where is_worse), 'better', count(*) filter (where is_better),
        'failed', count(*) filter (where is_failed), 'running', count(*) filter (where is_running), 'tags', (
          select coalesce(json_agg(json_build_object('tag', tag, 'sites', sites) order by sites desc, tag collate "C"), '[]') from (
            select tag, count(*)::integer as sites from listed, unnest(listed.tags) tag group by 1 order by 2 desc, 1 limit ${MAX_TAGS}
          ) named
        )) as counts
      from listed
    ), page as (
      select listed.id, listed.starting_url, listed.num_reports, listed.latest_id, listed.name, listed.target_score, listed.target_on, listed.tags,
        listed.numbers, listed.before, listed.place, (
        select r.id from reports r
        where ${isOwn("r", query)} and r.starting_url = listed.starting_url and ${isWhole("r")}
        order by r.inserted_at desc, r.id limit 1
      ) as whole_id from listed where listed.found order by place limit ${page.limit} offset ${page.offset}
    )
    select (select count(*)::integer from listed where found) as total, (select counts from counted) as counts,
      (select coalesce(json_agg(page order by place), '[]') from page) as page`.execute(db);
  const [{ total, page: grouped, counts } = { total: 0, page: [], counts: noSites }] = rows;
  if (grouped.length === 0) return { rows: [], total, counts };
  const ids = grouped.flatMap(({ latest_id, whole_id }) => [latest_id, ...(whole_id === null ? [] : [whole_id])]);
  const urls = grouped.map(({ starting_url }) => starting_url);
  const latest = new Map((await findReports(db, ids)).map((report) => [report.id, report]));
  const [runs, nextRuns, held, worst] = [
    await runsOf(db, query, urls),
    await nextRunsOf(db, query, urls),
    await siteAssignments(db, query, urls),
    await worstRules(db, grouped),
  ];
  const sites = grouped.flatMap(({ latest_id, whole_id, before, ...site }) => {
    const report = latest.get(latest_id);
    // Deleted in the meantime: the next read has the site without it.
    if (!report) return [];
    return [
      {
        ...site,
        latest: report,
        latest_whole: latest.get(whole_id ?? "") ?? null,
        before: before && { ...before, worst: worst.get(site.numbers?.report_id ?? "") ?? null },
        runs: runs.get(site.starting_url) ?? [],
        next_run: nextRuns.get(site.starting_url) ?? null,
        assignment: held.get(site.starting_url) ?? null,
      },
    ];
  });
  return { rows: sites, total, counts };
}

/** As many tags are counted, those of the most sites. */
const MAX_TAGS = 50;
const noSites: SiteCounts = { all: 0, mine: 0, worse: 0, better: 0, failed: 0, running: 0, tags: [] };

/** The rule that adds the most errors of each site, by the report that has them. */
async function worstRules(db: Kysely<Database>, sites: readonly Pick<Grouped, "numbers" | "before">[]) {
  const pairs = sites.flatMap(({ numbers, before }) =>
    numbers && before && numbers.report_id !== before.report_id ? [[numbers.report_id, before.report_id]] : [],
  );
  const { rows } = await sql<{ report_id: string } & NonNullable<SiteChange["worst"]>>`
    select pair.now as report_id, added.* from unnest(${pairs.map(([now]) => now)}::uuid[], ${pairs.map(([, before]) => before)}::uuid[]) as pair (now, before)
    cross join lateral (
      select kind, rule, sum(case when report_id = pair.now then how_many else -how_many end)::integer as errors, (
          select k.role from role_counts k
          where not k.is_muted and k.common_id = any(array_agg(c.id) filter (where c.report_id = pair.now))
          group by k.role order by sum(k.how_many) desc, k.role limit 1
        ) as role
      from common_issues c where report_id in (pair.now, pair.before) and issue_type = 'error' and not outside_standard
      group by 1, 2 order by 3 desc, 1, 2 limit 1
    ) added where added.errors > 0`.execute(db);
  return new Map(rows.map(({ report_id, ...worst }) => [report_id, worst]));
}

/** How often a rule was found on a site, by the site's newest report of the whole site. */
export type SiteRule = Pick<Site, "starting_url" | "name"> & {
  site_id: string;
  report_id: string;
  kind: CheckKind;
  rule: string | null;
  /** Of its messages the one with the most elements. */
  common_id: string;
  errors: number;
  how_many: number;
  num_pages: number;
};

/** Rules that were found on sites, those with the most errors first. Elements that are muted are not counted. */
export async function listSiteRules(
  db: Kysely<Database>,
  scope: SiteScope,
  { kind, rule }: { kind?: CheckKind | undefined; rule?: string | undefined },
  { limit, offset }: Page,
): Promise<Paginated<SiteRule>> {
  const { rows } = await sql<{ total: number; page: SiteRule[] }>`
    with site as materialized (
      select distinct starting_url from reports where ${isOwn("reports", scope)}
    ), found as materialized (
      select site.starting_url, latest.report_id, c.kind, c.rule, array_agg(c.id order by c.how_many desc, c.id) as common_ids,
        sum(case when c.issue_type = 'error' and not c.outside_standard then c.how_many else 0 end)::integer as errors,
        sum(c.how_many)::integer as how_many
      from site
      ${newestEnd(scope, sql``)} latest on true
      join common_issues c on c.report_id = latest.report_id and c.how_many > 0
        and ${kind === undefined ? sql`true` : sql`c.kind = ${kind}`} and ${rule === undefined ? sql`true` : sql`c.rule = ${rule}`}
      group by site.starting_url, latest.report_id, c.kind, c.rule
    ), page as (
      select * from found order by errors desc, how_many desc, starting_url collate "C", kind, rule collate "C"
      limit ${limit} offset ${offset}
    )
    select (select count(*)::integer from found) as total, (select coalesce(json_agg(listed), '[]') from (
      select md5(page.starting_url) as site_id, page.starting_url, named.name, page.report_id, page.kind, page.rule,
        page.common_ids[1]::text as common_id, page.errors, page.how_many, (
          select count(distinct i.web_page_id)::integer from issues i
          where i.common_id = any(page.common_ids) and i.muting_id is null
        ) as num_pages
      from page
      left join sites named on named.account_id = ${scope.accountId} and named.guest_token = coalesce(${scope.guestToken}::text, '')
        and named.starting_url = page.starting_url
      order by page.errors desc, page.how_many desc, page.starting_url collate "C", page.kind, page.rule collate "C"
    ) listed) as page`.execute(db);
  const [listed] = rows;
  return { rows: listed?.page ?? [], total: listed?.total ?? 0 };
}

/** Names a site. Those that are left out stay. @returns false when it has no report */
export async function nameSite(
  db: Kysely<Database>,
  scope: SiteScope,
  id: string,
  { name, tags, target_score, target_on }: Partial<SiteNames>,
): Promise<boolean> {
  const { rows } = await sql`
    insert into sites as s (account_id, guest_token, starting_url, name, tags, target_score, target_on)
    select ${scope.accountId}, coalesce(${scope.guestToken}::text, ''), starting_url, ${name ?? null}, ${tags ?? []}::text[],
      ${target_score ?? null}::integer, ${target_on ?? null}::date
    from reports where ${isOwn("reports", scope)} and md5(starting_url) = ${id} limit 1
    on conflict (account_id, guest_token, starting_url) do update set
      name = case when ${name === undefined} then s.name else excluded.name end,
      tags = case when ${tags === undefined} then s.tags else excluded.tags end,
      target_score = case when ${target_score === undefined} then s.target_score else excluded.target_score end,
      target_on = case when ${target_on === undefined} then s.target_on else excluded.target_on end
    returning starting_url`.execute(db);
  return rows.length > 0;
}

/** A count of all kinds when the report ended first. */
export const countThen = (field: CountField) => sql<number | null>`(
  select sum((kind.value ->> ${sql.lit(field)})::integer)::integer
  from report_ends e, jsonb_each(e.counts) kind where e.report_id = listed.id
)`;

async function runsOf(db: Kysely<Database>, scope: SiteScope, urls: string[]) {
  const { rows } = await sql<SiteRun & { starting_url: string }>`
    select starting_url, id, inserted_at, phase, ${sql.join(
      (["errors", "warnings", "muted_errors", "muted_warnings"] as const).map(
        (field) => sql`${sumOfCounts("listed.id", field)} as ${sql.ref(field)}`,
      ),
    )}, ${countThen("errors")} as errors_then, ${countThen("warnings")} as warnings_then,
      ${isWhole("listed")} as is_whole, passed as passed_now, (
        case when exists (select from report_ends e where e.report_id = listed.id and listed.phase = 'Complete')
          then (select e.passed from report_ends e where e.report_id = listed.id) else passed end
      ) as passed, ${seriesOf(sql`spec`)} as series,
      case when spec_before is null then '{}' else ${settingsThatDiffer(sql`spec`, sql`spec_before`)} end as changes
    from (
      select *, lag(spec) over (partition by starting_url order by inserted_at, id desc) as spec_before
      from (
        select *, row_number() over (partition by starting_url order by inserted_at desc, id) as newest
        from reports
        where ${isOwn("reports", scope)} and starting_url = any(${urls})
      ) numbered
      where newest <= ${MAX_RUNS}
    ) listed
    order by inserted_at, id desc
  `.execute(db);
  return Map.groupBy(rows, ({ starting_url }) => starting_url);
}

/** The next run of each site: of several active schedules, the one that is due first. */
async function nextRunsOf(db: Kysely<Database>, scope: SiteScope, urls: string[]) {
  const { rows } = await sql<{ starting_url: string; schedule_id: string; at: Date | null }>`
    select distinct on (starting_url) starting_url, id as schedule_id, next_run_at as at
    from schedules
    where ${isOwn("schedules", scope)} and active and starting_url = any(${urls})
    order by starting_url, next_run_at, id
  `.execute(db);
  return new Map(rows.map(({ starting_url, schedule_id, at }) => [starting_url, { schedule_id, at }]));
}
