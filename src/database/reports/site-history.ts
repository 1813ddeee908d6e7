import { type Kysely, type RawBuilder, sql } from "kysely";
import type { CheckKind } from "../../checks/kinds.ts";
import type { CountsByKind } from "../../domain/findings/check-counts.ts";
import type { ReportPhase } from "../../schema/status.ts";
import type { Page, Paginated } from "../lists.ts";
import { countsOfRun, runsWithNumbers } from "../retention/past-runs.ts";
import type { Database } from "../tables.ts";
import { sumOfCounts } from "./check-counts.ts";
import { isUncut, isWhole, settingsThatDiffer } from "./series.ts";
import { countThen, hasNumbers, isOwn, type PageCounts, type SiteScope } from "./sites.ts";

/** A report that has the results of its whole site. */
export type SiteDay = {
  /** The day on which it ended, in UTC. */
  date: string;
  ended_at: Date;
  report_id: string;
  /** The report is gone, and its numbers are those that it had then. */
  is_past: boolean;
  counts: CountsByKind;
  pages: PageCounts;
  /** What was counted when it ended first. */
  counts_then: CountsByKind;
  series: string;
  /** The kinds whose engine is another than in the one before it in the list, and the settings of a series that are. */
  engines: Partial<Record<CheckKind, { from: string; to: string }>>;
  changes: string[];
};

/** As many reports are in a history in which each is one. */
export const MAX_HISTORY = 500;

type HistoryQuery = {
  since: Date;
  /** The last report of each day, or each report: the newest of these. */
  each: "day" | "report";
};

/** The reports of a site that ended since some time, the oldest first. */
export async function readSiteDays(
  db: Kysely<Database>,
  scope: SiteScope,
  startingUrl: string,
  { since, each }: HistoryQuery,
): Promise<SiteDay[]> {
  type Row = Omit<SiteDay, "engines"> & { engines: EngineNames; engines_before: EngineNames | null };
  const oneADay = each === "day" ? sql`distinct on (date)` : sql``;
  const order = each === "day" ? sql`date, e.ended_at desc` : sql`e.ended_at desc`;
  const { rows } = await sql<Row>`
    select date, ended_at, report_id, is_past, counts, counts_then, pages, series, engines, engines_before,
      case when spec_before is null then '{}' else ${settingsThatDiffer(sql`spec`, sql`spec_before`)} end as changes
    from (
      select *, lag(engines) over days as engines_before, lag(spec) over days as spec_before from (
        select ${oneADay} to_char(e.ended_at at time zone 'UTC', 'YYYY-MM-DD') as date, e.report_id, e.is_past, ${countsOfRun("e")} as counts,
          e.counts_then, e.pages, e.series, e.ended_at, e.engines, e.settings as spec
        from ${runsWithNumbers(scope, since, startingUrl)} e where e.ended_at >= ${since}
        order by ${order} limit ${MAX_HISTORY}
      ) listed window days as (order by ended_at)
    ) compared order by ended_at`.execute(db);
  return rows.map(({ engines_before, ...day }) => ({
    ...day,
    engines: changedEngines(engines_before ?? {}, day.engines),
  }));
}

type EngineNames = Partial<Record<CheckKind, { name: string; version: string }>>;

function changedEngines(before: EngineNames, now: EngineNames): SiteDay["engines"] {
  const text = (engine: EngineNames[CheckKind]) => engine && `${engine.name} ${engine.version}`;
  const kinds = Object.keys(now) as CheckKind[];
  return Object.fromEntries(
    kinds.flatMap((kind) => {
      const [from, to] = [text(before[kind]), text(now[kind])];
      return from !== undefined && to !== undefined && from !== to ? [[kind, { from, to }]] : [];
    }),
  );
}

/** The reports of a site that ended since some time without a result of the whole site, the oldest first; the newest hundred. */
export async function runsWithoutResult(
  db: Kysely<Database>,
  scope: SiteScope,
  startingUrl: string,
  since: Date,
): Promise<{ id: string; ended_at: Date }[]> {
  const { rows } = await sql<{ id: string; ended_at: Date }>`
    select r.id, coalesce(r.last_checked_at, r.inserted_at) as ended_at from reports r
    where ${isOwn("r", scope)} and r.starting_url = ${startingUrl} and r.phase in ('Complete', 'Failed') and not ${isWhole("r")}
      and coalesce(r.last_checked_at, r.inserted_at) >= ${since}
    order by 2 desc, 1 limit 100`.execute(db);
  return rows.reverse();
}

/** A report of a site in the list of its runs. */
export type ListedRun = {
  id: string;
  inserted_at: Date;
  /** Null while it runs. */
  ended_at: Date | null;
  phase: ReportPhase;
  /** It has the results of its whole site. */
  is_whole: boolean;
  errors: number;
  warnings: number;
  muted_errors: number;
  muted_warnings: number;
  errors_then: number | null;
  warnings_then: number | null;
  /** Null without a result of the whole site. */
  pages: PageCounts | null;
  num_pages: number;
  passed: boolean | null;
  passed_now: boolean | null;
  failure_code: string | null;
  /** The newest report of the same series before it that has a result. */
  before: { report_id: string; errors: number } | null;
  schedule_id: string | null;
};

/** The reports of a site that were created since some time, the newest first. */
export async function listSiteRuns(
  db: Kysely<Database>,
  scope: SiteScope,
  startingUrl: string,
  since: Date,
  { limit, offset }: Page,
): Promise<Paginated<ListedRun>> {
  const found = sql`reports r where ${isOwn("r", scope)} and r.starting_url = ${startingUrl} and r.inserted_at >= ${since}`;
  const { rows: counted } = await sql<{ total: number }>`select count(*)::integer as total from ${found}`.execute(db);
  const { rows } = await sql<ListedRun>`
    select listed.id, listed.inserted_at, listed.phase, listed.num_pages, listed.failure_code, listed.schedule_id,
      coalesce(e.ended_at, listed.last_checked_at) as ended_at, ${sql.join(
        (["errors", "warnings", "muted_errors", "muted_warnings"] as const).map(
          (field) => sql`${sumOfCounts("listed.id", field)} as ${sql.ref(field)}`,
        ),
      )}, ${countThen("errors")} as errors_then, ${countThen("warnings")} as warnings_then, ${isWhole("listed")} as is_whole,
      case when ${hasNumbers("e")} then e.pages_now end as pages, listed.passed as passed_now,
      case when listed.phase = 'Complete' and e.report_id is not null then e.passed else listed.passed end as passed, (
        select json_build_object('report_id', b.report_id, 'errors', ${sumOfCounts("b.report_id", "errors")})
        from reports r join report_ends b on b.report_id = r.id
        where ${isUncut("listed")} and ${hasNumbers("e")} and ${isOwn("r", scope)} and r.starting_url = listed.starting_url
          and r.inserted_at < listed.inserted_at and ${hasNumbers("b")} and b.series = e.series
        order by r.inserted_at desc, r.id limit 1
      ) as before
    from (select * from ${found} order by r.inserted_at desc, r.id limit ${limit} offset ${offset}) listed
    left join report_ends e on e.report_id = listed.id
    order by listed.inserted_at desc, listed.id`.execute(db);
  return { rows, total: counted[0]?.total ?? 0 };
}

/** What all sites together have on a day. */
export type DayOfSites = {
  date: string;
  /** Sites with a result on or before that day. */
  sites: number;
  pages: number;
  errors: Record<CheckKind, number>;
};

/**
 * The errors and checked pages of all sites at the end of each day since some time on which that changed: of each site the last
 * report with a result until then.
 */
export async function readDaysOfSites(
  db: Kysely<Database>,
  scope: SiteScope,
  since: Date,
  kinds: readonly CheckKind[],
): Promise<DayOfSites[]> {
  const errorsOf = (kind: CheckKind): RawBuilder<unknown> =>
    sql`coalesce((shown.past_counts -> ${sql.lit(kind)} ->> 'errors')::integer,
      (select k.errors from check_counts k where k.report_id = shown.report_id and k.kind = ${kind}), 0)`;
  const column = (kind: CheckKind) => sql.ref(`errors_${kind}`);
  const { rows } = await sql<{ date: string; sites: number; pages: number } & Record<`errors_${CheckKind}`, number>>`
    with ends as (
      select e.starting_url, e.report_id, e.past_counts, e.ended_at, (e.pages ->> 'checked')::integer as pages,
        greatest((e.ended_at at time zone 'UTC')::date, (${since}::timestamptz at time zone 'UTC')::date) as day
      from ${runsWithNumbers(scope, since)} e
    ), shown as (
      select distinct on (starting_url, day) * from ends order by starting_url, day, ended_at desc
    ), steps as (
      select shown.*, ${sql.join(kinds.map((kind) => sql`${errorsOf(kind)} as ${column(kind)}`))} from shown
    ), changes as (
      select day, pages - coalesce(lag(pages) over site, 0) as pages, case when lag(pages) over site is null then 1 else 0 end as sites,
        ${sql.join(kinds.map((kind) => sql`${column(kind)} - coalesce(lag(${column(kind)}) over site, 0) as ${column(kind)}`))}
      from steps window site as (partition by starting_url order by day)
    ), days as (
      select day, sum(pages) as pages, sum(sites) as sites, ${sql.join(kinds.map((kind) => sql`sum(${column(kind)}) as ${column(kind)}`))}
      from changes group by day
    )
    select to_char(day, 'YYYY-MM-DD') as date, (sum(sites) over until)::integer as sites, (sum(pages) over until)::integer as pages,
      ${sql.join(kinds.map((kind) => sql`(sum(${column(kind)}) over until)::integer as ${column(kind)}`))}
    from days window until as (order by day) order by day`.execute(db);
  return rows.map(({ date, sites, pages, ...more }) => ({
    ...{ date, sites, pages },
    errors: Object.fromEntries(kinds.map((kind) => [kind, more[`errors_${kind}`]])) as Record<CheckKind, number>,
  }));
}
