import { type Kysely, type RawBuilder, type Selectable, type SelectQueryBuilder, sql } from "kysely";
import { type Noun, nounOf } from "../../checks/kinds.ts";
import type { CountField, CountsByKind } from "../../domain/findings/check-counts.ts";
import type { StateCount } from "../../domain/findings/finding-state.ts";
import { type CheckKind, checkKinds } from "../../domain/findings/findings.ts";
import type { RoleCounts } from "../../domain/findings/role.ts";
import type { ReportPhase } from "../../schema/status.ts";
import { guestKnown } from "../accounts/guests.ts";
import { executePrepared } from "../connection/statements.ts";
import { contains, fittingSize, hasTags, type Page, type Paginated, type TagFilter } from "../lists.ts";
import type { Database } from "../tables.ts";
import { selectCounts, sumOfCounts } from "./check-counts.ts";
import { isWhole, seriesOf, settingsThatDiffer } from "./series.ts";

/** `guest_known`, `schedule_known`: the guest account or schedule that created the report still exists. */
export type ReportRow = Omit<Selectable<Database["reports"]>, "spec_bytes"> & {
  guest_known: boolean;
  schedule_known: boolean;
  counts: CountsByKind;
  /** With the report before it, once it has ended. `differs`: the settings of a series that the two do not share. */
  comparison: ({ base_id: string; base_inserted_at: string; differs: string[] } & StoredStates) | null;
  /** What was counted when it ended first. */
  end: { ended_at: string; counts: CountsByKind; comparison: ({ base_id: string } & StoredStates) | null } | null;
  /** Of its errors, without muted ones; null until it has ended. */
  roles: RoleCounts | null;
  /** Its elements with errors, without muted ones; null until it has ended. */
  num_faults: number | null;
  /** Of a schedule's run: the settings of a series that differ from those of the run before it. */
  changes: string[];
};

type StoredStates = { states: StateCount[]; muted_states: StateCount[] };

/** The creation time is used for reports that have not been checked yet. */
function checkedAt(report: string): RawBuilder<Date> {
  return sql<Date>`coalesce(${sql.ref(`${report}.last_checked_at`)}, ${sql.ref(`${report}.inserted_at`)})`;
}

/** Subqueries with `limit 1`, one lookup per row: with `exists` PostgreSQL might read all schedules. */
export const relatedRows = [
  guestKnown("reports"),
  selectCounts("reports.id").as("counts"),
  // The schedule id comes from a label, so it counts only within the account and, for a guest, if it is the guest's.
  sql<boolean>`coalesce((
    select true from schedules s
    where s.id = reports.schedule_id and s.account_id = reports.account_id and s.deleted_at is null
      and (reports.guest_token is null or s.guest_token = reports.guest_token)
    limit 1
  ), false)`.as("schedule_known"),
  sql<ReportRow["comparison"]>`(
    select json_build_object('base_id', c.base_id, 'states', c.counts, 'muted_states', c.muted_counts,
      'base_inserted_at', b.inserted_at, 'differs', to_json(${settingsThatDiffer(sql`reports.spec`, sql`b.spec`)}))
    from comparisons c join reports b on b.id = c.base_id where c.id = reports.comparison_id
  )`.as("comparison"),
  sql<ReportRow["end"]>`(
    select json_build_object('ended_at', e.ended_at, 'counts', e.counts, 'comparison', case when e.base_id is not null then
      json_build_object('base_id', e.base_id, 'states', e.states, 'muted_states', e.muted_states) end)
    from report_ends e where e.report_id = reports.id
  )`.as("end"),
  sql<ReportRow["roles"]>`(select l.roles from component_lists l where l.report_id = reports.id)`.as("roles"),
  sql<number | null>`(select l.num_faults from component_lists l where l.report_id = reports.id)`.as("num_faults"),
  // Lists have the last checked run first, which is the order of the index.
  sql<string[]>`coalesce((
    select ${settingsThatDiffer(sql`reports.spec`, sql`b.spec`)} from reports b
    where b.schedule_id = reports.schedule_id and b.account_id = reports.account_id and b.deleted_at is null
      and b.guest_token is not distinct from reports.guest_token
      and ${checkedAt("b")} <= ${checkedAt("reports")} and (${checkedAt("b")} < ${checkedAt("reports")} or b.id > reports.id)
    order by ${checkedAt("b")} desc, b.id limit 1
  ), '{}')`.as("changes"),
];

/** Reports with what is read with each, for the caller to narrow down; deleted ones, too. */
export function reportsWithRelated(db: Kysely<Database>) {
  return db.selectFrom("reports").selectAll().select(relatedRows);
}

/** A report of any owner that is not deleted. */
export async function findReport(db: Kysely<Database>, id: string): Promise<ReportRow | undefined> {
  const query = reportsWithRelated(db).where("id", "=", id).where("deleted_at", "is", null);
  return (await executePrepared(db, query)).rows[0];
}

/** The reports of any owner with these ids that are not deleted, in any order. */
export function findReports(db: Kysely<Database>, ids: readonly string[]): Promise<ReportRow[]> {
  return reportsWithRelated(db).where("id", "in", ids).where("deleted_at", "is", null).execute();
}

/** An account's report by the name of its resource, the newest one, even if it is deleted. */
export function findReportNamed(
  db: Kysely<Database>,
  accountId: string,
  namespace: string,
  name: string,
): Promise<ReportRow | undefined> {
  return reportsWithRelated(db)
    .where("namespace", "=", namespace)
    .where("name", "=", name)
    .where("account_id", "=", accountId)
    .orderBy("inserted_at", "desc")
    .executeTakeFirst();
}

/** The sort keys of each kind's counters: `html_errors` and so on. */
const countKeys = {
  issues: ["errors", "warnings"],
  errors: ["errors"],
  warnings: ["warnings"],
} as const satisfies Record<string, CountField[]>;
type CountKey = `${Noun}_${keyof typeof countKeys}`;
export type ReportSortKey = "url" | "num_web_pages" | CountKey | "last_checked_at";

/** What each sort key sorts by; ties of the first are sorted by the next. `kind`: whose counters these are. */
const sortColumns = new Map<ReportSortKey, { columns: RawBuilder<unknown>[]; kind?: CheckKind }>([
  ["url", { columns: [sql`starting_url collate "C"`] }],
  ["num_web_pages", { columns: [sql`num_pages`] }],
  ...checkKinds.flatMap((kind) =>
    (Object.keys(countKeys) as (keyof typeof countKeys)[]).map(
      (key) =>
        [
          `${nounOf(kind)}_${key}`,
          { kind, columns: countKeys[key].map((field) => sql.ref(`counts.${field}`)) },
        ] as const,
    ),
  ),
  // The creation time is used for reports that have not been checked yet.
  ["last_checked_at", { columns: [sql`coalesce(last_checked_at, inserted_at)`] }],
]);
export const reportSortKeys: readonly ReportSortKey[] = [...sortColumns.keys()];

export type ReportQuery = {
  accountId: string;
  /** Whose reports: the account's own (`me`), its guests', both, or those of certain guests. */
  createdBy: "me" | "guests" | "all" | { guestTokens: string[] };
  url?: string;
  tags?: TagFilter;
  scheduleId?: string;
  sort: { key: ReportSortKey; direction: "asc" | "desc" };
  page: Page;
};

/** An account's reports. Ties are sorted by id; ascending order is the exact reverse of descending order. */
export async function listReports(db: Kysely<Database>, query: ReportQuery): Promise<Paginated<ReportRow>> {
  const { createdBy, url, tags, scheduleId, sort, page } = query;
  let found = db.selectFrom("reports").where("account_id", "=", query.accountId).where("deleted_at", "is", null);
  if (createdBy === "me") found = found.where("guest_token", "is", null);
  else if (createdBy === "guests") found = found.where("guest_token", "is not", null);
  else if (createdBy !== "all") found = found.where("guest_token", "in", createdBy.guestTokens);
  if (url !== undefined) found = found.where(contains("starting_url", url));
  if (tags) found = found.where(hasTags("tags", tags));
  if (scheduleId !== undefined) found = found.where("schedule_id", "=", scheduleId);

  const { columns, kind } = sortColumns.get(sort.key) ?? { columns: [] };
  let ordered = found.select("id");
  if (kind) ordered = withCounts(ordered, query.accountId, kind);
  for (const column of columns) ordered = ordered.orderBy(column, sort.direction);
  ordered = ordered.orderBy("id", sort.direction === "desc" ? "asc" : "desc");
  const { total } = await found.select(sql<string>`count(*)`.as("total")).executeTakeFirstOrThrow();
  // Rows before the page are only sorted; their other columns are not read.
  const { rows: places } = await sql<{ id: string; bytes: number }>`
    select id, (select r.spec_bytes from reports r where r.id = page.id) as bytes
    from (${ordered.limit(page.limit).offset(page.offset)}) page`.execute(db);
  const size = fittingSize(
    places.map(({ bytes }) => bytes),
    page,
  );
  const ids = places.slice(0, size).map(({ id }) => id);
  const rows = ids.length === 0 ? [] : await findReports(db, ids);
  const byId = new Map(rows.map((row) => [row.id, row]));
  return { rows: ids.flatMap((id) => byId.get(id) ?? []), total: Number(total), size };
}

/** Adds the reports' counters of a kind, in a form that lets PostgreSQL read them in the order of an index. */
function withCounts<Query>(found: SelectQueryBuilder<Database, "reports", Query>, accountId: string, kind: CheckKind) {
  const counts = sql<{ report_id: string }>`(
    select report_id, errors, warnings from check_counts where account_id = ${accountId} and kind = ${kind}
  )`;
  const joined = found.innerJoin(counts.as("counts"), (join) => join.onRef("counts.report_id", "=", "reports.id"));
  return joined as unknown as typeof found;
}

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
  series: string;
  /** The settings of a series that differ from those of the run before it. */
  changes: string[];
};

/** The latest runs that start at one URL. */
export type Site = {
  /** The starting URL's digest. */
  id: string;
  starting_url: string;
  num_reports: number;
  latest: ReportRow;
  /** The newest one that has the results of its whole site. */
  latest_whole: ReportRow | null;
  /** The newest runs, the oldest of them first. */
  runs: SiteRun[];
  /** When the next run starts, and which schedule starts it; null without an active schedule. */
  next_run: { schedule_id: string; at: Date | null } | null;
};

/** Whose sites: an account's own, or a guest's. */
export type SiteScope = { accountId: string; guestToken: string | null };

/** `url`: only the site that starts at it. */
export type SiteQuery = SiteScope & { url?: string | undefined };

/** The most runs of each site. */
const MAX_RUNS = 20;

type Grouped = {
  id: string;
  starting_url: string;
  num_reports: number;
  latest_id: string;
  whole_id: string | null;
  total: string;
};

/** The sites that have reports, the most recently checked first. */
export async function listSites(db: Kysely<Database>, scope: SiteQuery, page: Page): Promise<Paginated<Site>> {
  const { accountId, guestToken, url } = scope;
  const { rows } = await sql<Grouped>`
    select site.*, (
      select r.id from reports r
      where r.account_id = ${accountId} and r.starting_url = site.starting_url and r.deleted_at is null
        and r.guest_token is not distinct from ${guestToken} and ${isWhole("r")}
      order by r.inserted_at desc, r.id limit 1
    ) as whole_id from (
      select md5(starting_url) as id, starting_url, count(*)::integer as num_reports, max(inserted_at) as newest,
        (array_agg(id order by inserted_at desc, id))[1] as latest_id, count(*) over () as total
      from reports
      where account_id = ${accountId} and guest_token is not distinct from ${guestToken} and deleted_at is null
        and ${url === undefined ? sql`true` : sql`starting_url = ${url}`}
      group by starting_url
      order by newest desc, starting_url collate "C"
      limit ${page.limit} offset ${page.offset}
    ) site
    order by newest desc, starting_url collate "C"
  `.execute(db);
  if (rows.length === 0) return { rows: [], total: page.offset === 0 ? 0 : await countSites(db, scope) };
  const ids = rows.flatMap(({ latest_id, whole_id }) => [latest_id, ...(whole_id === null ? [] : [whole_id])]);
  const urls = rows.map(({ starting_url }) => starting_url);
  const latest = new Map((await findReports(db, ids)).map((report) => [report.id, report]));
  const runs = await runsOf(db, scope, urls);
  const nextRuns = await nextRunsOf(db, scope, urls);
  const sites = rows.flatMap(({ id, starting_url, num_reports, latest_id, whole_id }) => {
    const report = latest.get(latest_id);
    // Deleted in the meantime: the next read has the site without it.
    if (!report) return [];
    const next_run = nextRuns.get(starting_url) ?? null;
    const latest_whole = latest.get(whole_id ?? "") ?? null;
    return [
      { id, starting_url, num_reports, latest: report, latest_whole, runs: runs.get(starting_url) ?? [], next_run },
    ];
  });
  return { rows: sites, total: Number(rows[0]?.total) };
}

async function countSites(db: Kysely<Database>, { accountId, guestToken, url }: SiteQuery): Promise<number> {
  const { rows } = await sql<{ total: string }>`
    select count(distinct starting_url) as total from reports
    where account_id = ${accountId} and guest_token is not distinct from ${guestToken} and deleted_at is null
      and ${url === undefined ? sql`true` : sql`starting_url = ${url}`}
  `.execute(db);
  return Number(rows[0]?.total);
}

/** A count of all kinds when the report ended first. */
const countThen = (field: CountField) => sql<number | null>`(
  select sum((kind.value ->> ${sql.lit(field)})::integer)::integer
  from report_ends e, jsonb_each(e.counts) kind where e.report_id = listed.id
)`;

async function runsOf(db: Kysely<Database>, { accountId, guestToken }: SiteScope, urls: string[]) {
  const { rows } = await sql<SiteRun & { starting_url: string }>`
    select starting_url, id, inserted_at, phase, ${sql.join(
      (["errors", "warnings", "muted_errors", "muted_warnings"] as const).map(
        (field) => sql`${sumOfCounts("listed.id", field)} as ${sql.ref(field)}`,
      ),
    )}, ${countThen("errors")} as errors_then, ${countThen("warnings")} as warnings_then,
      ${isWhole("listed")} as is_whole, ${seriesOf(sql`spec`)} as series,
      case when spec_before is null then '{}' else ${settingsThatDiffer(sql`spec`, sql`spec_before`)} end as changes
    from (
      select *, lag(spec) over (partition by starting_url order by inserted_at, id desc) as spec_before
      from (
        select *, row_number() over (partition by starting_url order by inserted_at desc, id) as newest
        from reports
        where account_id = ${accountId} and guest_token is not distinct from ${guestToken} and deleted_at is null
          and starting_url = any(${urls})
      ) numbered
      where newest <= ${MAX_RUNS}
    ) listed
    order by inserted_at, id desc
  `.execute(db);
  return Map.groupBy(rows, ({ starting_url }) => starting_url);
}

/** The next run of each site: of several active schedules, the one that is due first. */
async function nextRunsOf(db: Kysely<Database>, { accountId, guestToken }: SiteScope, urls: string[]) {
  const { rows } = await sql<{ starting_url: string; schedule_id: string; at: Date | null }>`
    select distinct on (starting_url) starting_url, id as schedule_id, next_run_at as at
    from schedules
    where account_id = ${accountId} and guest_token is not distinct from ${guestToken} and deleted_at is null
      and active and starting_url = any(${urls})
    order by starting_url, next_run_at, id
  `.execute(db);
  return new Map(rows.map(({ starting_url, schedule_id, at }) => [starting_url, { schedule_id, at }]));
}
