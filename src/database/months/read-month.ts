import { type Kysely, sql } from "kysely";
import type { CheckKind } from "../../checks/kinds.ts";
import { type CountsByKind, sumOf } from "../../domain/findings/check-counts.ts";
import { checkKinds } from "../../domain/findings/findings.ts";
import { judgeCriteria } from "../../domain/findings/judged-criteria.ts";
import type { RoleCounts } from "../../domain/findings/role.ts";
import { criterionOfTag } from "../../domain/findings/success-criteria.ts";
import { type Month, monthAfter, startOf } from "../../domain/months/calendar.ts";
import {
  type CriterionErrors,
  type MonthRows,
  type MonthRun,
  type MonthSite,
  type RuleErrors,
  YEAR,
} from "../../domain/months/month-report.ts";
import type { ReportSpec } from "../../schema/report.ts";
import { isOnSites } from "../accounts/site-roles.ts";
import { holderOfSite } from "../findings/assignments.ts";
import { sumOfCounts } from "../reports/check-counts.ts";
import { isWhole } from "../reports/series.ts";
import { isOwn, type PageCounts, type SiteScope } from "../reports/sites.ts";
import { countsOfRun, runsWithNumbers } from "../retention/past-runs.ts";
import type { Database } from "../tables.ts";

/** Weeks whose runs are drawn of each site. */
export const MONTH_WEEKS = 12;

type SiteRow = Pick<MonthSite, "id" | "starting_url" | "name" | "owner" | "tags" | "is_scheduled"> & {
  without_result: { report_id: string; ended_at: string; code: string | null } | null;
};

/** The last run of a site in a month, or a week. */
type RunRow = {
  starting_url: string;
  report_id: string;
  is_past: boolean;
  ended_at: Date;
  month: Month;
  /** Before the end: 0 is the last one. */
  week: number;
  is_last_of_month: boolean;
  errors: number;
  pages: PageCounts;
  num_runs: number;
  /** Of the month and the one before it. */
  details:
    | (Pick<MonthRun, "series" | "engines" | "roles" | "passed" | "passed_now"> & {
        counts: CountsByKind;
        spec: Pick<ReportSpec, "standard" | "a11yDepth" | "storeIncompleteChecks"> | null;
      })
    | null;
};

/**
 * What a month is made of: the sites that had a report by its end, with their last runs in it, before it, and by week and month
 * for drawings; and of the reports of these runs the errors by rule and by criterion.
 *
 * @param until the end of the month, or now while it runs
 */
export async function readMonth(db: Kysely<Database>, scope: SiteScope, month: Month, until: Date): Promise<MonthRows> {
  const [sites, runs] = [await sitesUntil(db, scope, month, until), await runsUntil(db, scope, month, until)];
  const byUrl = Map.groupBy(runs, ({ starting_url }) => starting_url);
  const read = sites.map((site) => siteOf(month, site, byUrl.get(site.starting_url) ?? []));
  const there = (run: MonthRun | null) => (run && !run.is_past ? [run.report_id] : []);
  const now = read.flatMap((site) => there(site.now));
  const specs = new Map(runs.flatMap(({ report_id, details }) => (details ? [[report_id, details] as const] : [])));
  return {
    sites: read,
    rules: await rulesOf(db, [...now, ...read.flatMap(({ before }) => there(before))]),
    criteria: await criteriaOf(db, now, specs),
  };
}

/** The month of the first report; undefined without any. */
export async function firstMonth(db: Kysely<Database>, scope: SiteScope): Promise<Month | undefined> {
  const { rows } = await sql<{ month: Month | null }>`
    select to_char(least(
      (select min(r.inserted_at) from reports r where ${isOwn("r", scope)}),
      (select min(n.ended_at) from past_runs n where n.account_id = ${scope.accountId} and n.guest_token is not distinct from ${scope.guestToken}
        and ${isOnSites("n", scope)})
    ) at time zone 'UTC', 'YYYY-MM') as month`.execute(db);
  return rows[0]?.month ?? undefined;
}

/** The sites with a report by then, and how their last one ended if it has no result. */
async function sitesUntil(db: Kysely<Database>, scope: SiteScope, month: Month, until: Date): Promise<SiteRow[]> {
  const { rows } = await sql<SiteRow>`
    with site as materialized (
      select distinct starting_url from reports r where ${isOwn("r", scope)} and r.inserted_at < ${until}
      union
      select n.starting_url from past_runs n where n.account_id = ${scope.accountId}
        and n.guest_token is not distinct from ${scope.guestToken} and n.inserted_at < ${until}
        and exists (select from reports r where ${isOwn("r", scope)} and r.starting_url = n.starting_url)
    )
    select md5(site.starting_url) as id, site.starting_url, named.name, held.owner, coalesce(named.tags, '{}') as tags,
      exists (select from schedules s where ${isOwn("s", scope)} and s.active and s.starting_url = site.starting_url) as is_scheduled, (
        select case when latest.is_whole then null else
          json_build_object('report_id', latest.id, 'ended_at', latest.ended_at, 'code', latest.failure_code) end
        from (
          select r.id, r.failure_code, coalesce(r.last_checked_at, r.inserted_at) as ended_at, ${isWhole("r")} as is_whole from reports r
          where ${isOwn("r", scope)} and r.starting_url = site.starting_url and r.phase in ('Complete', 'Failed')
            and coalesce(r.last_checked_at, r.inserted_at) >= ${startOf(month)}
            and coalesce(r.last_checked_at, r.inserted_at) < ${until}
          order by r.inserted_at desc, r.id limit 1
        ) latest
      ) as without_result
    from site left join sites named on named.account_id = ${scope.accountId}
      and named.guest_token = coalesce(${scope.guestToken}::text, '') and named.starting_url = site.starting_url
    ${holderOfSite(sql`${scope.accountId}`, sql`${scope.guestToken}::text`, sql`site.starting_url`)}
    order by site.starting_url collate "C"`.execute(db);
  return rows;
}

/** Of each site the last run with a result in each month and in each of the last weeks, until then. */
async function runsUntil(db: Kysely<Database>, scope: SiteScope, month: Month, until: Date): Promise<RunRow[]> {
  const ended = sql`e.ended_at at time zone 'UTC'`;
  const isShown = sql`e.month in (${month}, ${monthAfter(month, -1)}) and e.is_last_of_month`;
  const { rows } = await sql<RunRow>`
    with runs as materialized (
      select e.starting_url, e.report_id, e.is_past, e.ended_at, to_char(${ended}, 'YYYY-MM') as month,
        floor(extract(epoch from ${until}::timestamptz - e.ended_at) / 604800)::integer as week, e.past_counts, e.pages, e.series, e.engines
      from ${runsWithNumbers(scope, startOf(monthAfter(month, 1 - YEAR)))} e
      where e.ended_at < ${until}
    ), places as (
      select e.report_id, row_number() over (partition by starting_url, month order by ended_at desc, report_id) = 1 as is_last_of_month,
        row_number() over (partition by starting_url, week order by ended_at desc, report_id) = 1 as is_last_of_week,
        count(*) over (partition by starting_url, month) as num_runs
      from runs e
    ), e as (
      select runs.*, places.is_last_of_month, places.num_runs::integer as num_runs
      from runs join places using (report_id)
      where places.is_last_of_month or (places.is_last_of_week and runs.week < ${MONTH_WEEKS})
    )
    select e.starting_url, e.report_id, e.is_past, e.ended_at, e.month, e.week, e.is_last_of_month, e.num_runs, e.pages,
      coalesce((select sum((kind.value ->> 'errors')::integer)::integer from jsonb_each(e.past_counts) kind),
        ${sumOfCounts("e.report_id", "errors")}) as errors,
      case when ${isShown} then (
        select json_build_object('series', e.series, 'engines', e.engines, 'counts', ${countsOfRun("e")}, 'roles', l.roles,
          'passed', ends.passed, 'passed_now', r.passed, 'spec', case when r.id is not null then json_build_object(
            'standard', r.spec -> 'standard', 'a11yDepth', r.spec -> 'a11yDepth',
            'storeIncompleteChecks', r.spec -> 'storeIncompleteChecks') end)
        from (select e.report_id as id) one
        left join reports r on r.id = one.id and not e.is_past
        left join report_ends ends on ends.report_id = r.id
        left join component_lists l on l.report_id = r.id
      ) end as details
    from e order by e.ended_at`.execute(db);
  return rows;
}

function siteOf(month: Month, { without_result, ...site }: SiteRow, runs: readonly RunRow[]): MonthSite {
  const ofMonth = (one: Month) => runs.find((run) => run.is_last_of_month && run.month === one);
  const [now, before] = [ofMonth(month), ofMonth(monthAfter(month, -1))];
  const known = runs.findLast((run) => run.month < month);
  return {
    ...site,
    num_runs: now?.num_runs ?? 0,
    now: now ? runOf(now) : null,
    before: before ? runOf(before) : null,
    last_known: known
      ? {
          ...{ report_id: known.report_id, is_past: known.is_past, ended_at: known.ended_at, errors: known.errors },
          pages: known.pages.checked,
        }
      : null,
    without_result: without_result && { ...without_result, ended_at: new Date(without_result.ended_at) },
    months: runs.flatMap((run) => (run.is_last_of_month ? [shown(run.month, run)] : [])),
    weeks: lastOfWeeks(runs),
  };
}

function shown<When>(when: When, { errors, pages }: RunRow) {
  return { when, errors, pages: pages.checked };
}

/** @param runs the oldest first */
function lastOfWeeks(runs: readonly RunRow[]): MonthSite["weeks"] {
  const byWeek = new Map<number, RunRow>();
  for (const run of runs) if (run.week < MONTH_WEEKS) byWeek.set(run.week, run);
  return [...byWeek].map(([week, run]) => shown(week, run));
}

function runOf({ report_id, ended_at, is_past, errors, pages, details }: RunRow): MonthRun | null {
  if (!details) return null;
  const { series, engines, counts, roles, passed, passed_now } = details;
  return {
    ...{ report_id, ended_at, is_past, errors, critical: sumOf(counts, "critical"), pages: pages.checked },
    pages_left: Math.max(0, pages.known - pages.without_page - pages.checked),
    ...{ series, engines, roles: roles as RoleCounts | null, passed, passed_now },
    errors_by_kind: Object.fromEntries(checkKinds.map((kind) => [kind, counts[kind].errors])),
  };
}

/** The errors of reports by rule, as lists count them: without muted ones, and within the standard. */
async function rulesOf(db: Kysely<Database>, reportIds: readonly string[]): Promise<RuleErrors[]> {
  const { rows } = await sql<RuleErrors>`
    select report_id, kind, coalesce(rule, '') as rule,
      case when min(message) = max(message) then min(message) end as message, max(impact_order) as impact, sum(how_many)::integer as errors
    from common_issues
    where report_id = any(${[...reportIds]}::uuid[]) and issue_type = 'error' and not outside_standard and how_many > 0
    group by 1, 2, 3`.execute(db);
  return rows;
}

/** What reports say of the criteria of their standards. */
async function criteriaOf(
  db: Kysely<Database>,
  reportIds: readonly string[],
  details: ReadonlyMap<string, NonNullable<RunRow["details"]>>,
): Promise<CriterionErrors[]> {
  const { rows } = await sql<{ report_id: string; tag: string; errors: number; warnings: number }>`
    select c.report_id, tag, coalesce(sum(how_many) filter (where issue_type = 'error'), 0)::integer as errors,
      coalesce(sum(how_many) filter (where issue_type = 'warning'), 0)::integer as warnings
    from common_issues c, unnest(c.tags) as tag
    where c.report_id = any(${[...reportIds]}::uuid[]) and c.how_many > 0 and not c.outside_standard and tag like 'wcag%'
    group by 1, 2`.execute(db);
  const found = Map.groupBy(rows, ({ report_id }) => report_id);
  return reportIds.flatMap((report_id) => {
    const { spec, counts } = details.get(report_id) ?? {};
    if (!spec || !counts) return [];
    const checked = checkKinds.filter((kind: CheckKind) => counts[kind].checked > 0);
    const ofReport = (found.get(report_id) ?? []).flatMap(({ tag, errors, warnings }) => {
      const criterion = criterionOfTag(tag);
      return criterion ? [{ number: criterion.number, errors, warnings }] : [];
    });
    return judgeCriteria(spec, checked, ofReport).map(({ number, state, errors }) => ({
      ...{ report_id, number, state, errors },
    }));
  });
}
