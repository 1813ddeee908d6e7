import { type Kysely, type RawBuilder, type Selectable, type SelectQueryBuilder, sql } from "kysely";
import { type Noun, nounOf } from "../../checks/kinds.ts";
import type { Whose } from "../../domain/accounts/principal.ts";
import type { CountField, CountsByKind } from "../../domain/findings/check-counts.ts";
import type { StateCount } from "../../domain/findings/finding-state.ts";
import { type CheckKind, checkKinds } from "../../domain/findings/findings.ts";
import type { RoleCounts } from "../../domain/findings/role.ts";
import type { SignInPicture } from "../../domain/sign-in/sign-in-picture.ts";
import { guestKnown } from "../accounts/guests.ts";
import { isOnSites } from "../accounts/site-roles.ts";
import { executePrepared } from "../connection/statements.ts";
import { contains, fittingSize, hasTags, type Page, type Paginated, type TagFilter } from "../lists.ts";
import type { Database } from "../tables.ts";
import { selectCounts } from "./check-counts.ts";
import { settingsThatDiffer } from "./series.ts";

/** `guest_known`, `schedule_known`: the guest account or schedule that created the report still exists. */
export type ReportRow = Omit<Selectable<Database["reports"]>, "spec_bytes"> & {
  guest_known: boolean;
  schedule_known: boolean;
  /** Of its sign-in, in the order of the steps. */
  sign_in_pictures: Omit<SignInPicture, "png">[];
  counts: CountsByKind;
  /** With the report before it, once it has ended. `differs`: the settings of a series that the two do not share. */
  comparison:
    | ({ base_id: string; base_url: string; base_inserted_at: string; differs: string[] } & StoredStates)
    | null;
  /** What was counted when it ended first, and how it was judged when it ended last. */
  end:
    | ({
        ended_at: string;
        counts: CountsByKind;
        comparison: ({ base_id: string; base_url: string | null } & StoredStates) | null;
      } & Verdict)
    | null;
  /** Of its errors, without muted ones; null until it has ended. */
  roles: RoleCounts | null;
  /** Its elements with errors, without muted ones; null until it has ended. */
  num_faults: number | null;
  /** Why it is never deleted by itself, and who has said so; null when it may be. */
  pin: { reason: string; pinned_by: string; inserted_at: string } | null;
  /** Of a schedule's run: the settings of a series that differ from those of the run before it. */
  changes: string[];
};

type Verdict = Pick<Selectable<Database["reports"]>, "passed" | "gate_results">;
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
    select json_build_object('base_id', c.base_id, 'base_url', b.starting_url, 'states', c.counts, 'muted_states', c.muted_counts,
      'base_inserted_at', b.inserted_at, 'differs', to_json(${settingsThatDiffer(sql`reports.spec`, sql`b.spec`)}))
    from comparisons c join reports b on b.id = c.base_id where c.id = reports.comparison_id
  )`.as("comparison"),
  sql<ReportRow["end"]>`(
    select json_build_object('ended_at', e.ended_at, 'counts', e.counts, 'passed', e.passed, 'gate_results', e.gate_results, 'comparison', case when e.base_id is not null then
      json_build_object('base_id', e.base_id, 'base_url', (select b.starting_url from reports b where b.id = e.base_id), 'states', e.states, 'muted_states', e.muted_states) end)
    from report_ends e where e.report_id = reports.id
  )`.as("end"),
  sql<ReportRow["pin"]>`(
    select json_build_object('reason', p.reason, 'pinned_by', p.pinned_by, 'inserted_at', p.inserted_at)
    from pins p where p.report_id = reports.id
  )`.as("pin"),
  sql<ReportRow["roles"]>`(select l.roles from component_lists l where l.report_id = reports.id)`.as("roles"),
  sql<number | null>`(select l.num_faults from component_lists l where l.report_id = reports.id)`.as("num_faults"),
  sql<ReportRow["sign_in_pictures"]>`(
    select coalesce(json_agg(json_build_object('step', p.step, 'action', p.action, 'failed', p.failed) order by p.step, p.failed), '[]')
    from (select distinct on (step) step, action, failed from sign_in_pictures where report_id = reports.id order by step, failed desc) p
  )`.as("sign_in_pictures"),
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
  return db.selectFrom("reports").selectAll("reports").select(relatedRows);
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
export type ReportSortKey = "url" | "num_web_pages" | CountKey | "last_checked_at" | "bytes";

/** What has become of a report; the first two by its limits when it ended. */
export const reportResults = ["passed", "not_passed", "no_limits", "failed", "running"] as const;
export type ReportResult = (typeof reportResults)[number];
export type ReportResultCounts = Record<"all" | "pinned" | ReportResult, number>;

/** One of them, as `passed` and `phase` of the API say it. */
const resultOfReport = sql<ReportResult>`(
  case when phase = 'Failed' then 'failed' when phase <> 'Complete' then 'running' else (
    select case v.passed when true then 'passed' when false then 'not_passed' else 'no_limits' end
    from (select case when e.report_id is null then reports.passed else e.passed end as passed
      from (select 1) one left join report_ends e on e.report_id = reports.id) v
  ) end)`;
const isPinned = sql<boolean>`exists (select from pins p where p.report_id = reports.id)`;

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
  ["bytes", { columns: [sql`stored_bytes`] }],
]);
export const reportSortKeys: readonly ReportSortKey[] = [...sortColumns.keys()];

export type ReportQuery = Pick<Whose, "accountId" | "sites"> & {
  /** Whose reports: the account's own (`me`), its guests', both, or those of certain guests. */
  createdBy: "me" | "guests" | "all" | { guestTokens: string[] };
  url?: string;
  tags?: TagFilter;
  scheduleId?: string;
  ids?: readonly string[];
  /** Created from this time on, and before that one. */
  from?: Date | undefined;
  to?: Date | undefined;
  result?: ReportResult | undefined;
  pinned?: boolean | undefined;
  sort: { key: ReportSortKey; direction: "asc" | "desc" };
  page: Page;
};

/** An account's reports. Ties are sorted by id; ascending order is the exact reverse of descending order. */
export async function listReports(db: Kysely<Database>, query: ReportQuery): Promise<Paginated<ReportRow>> {
  const { result, pinned, sort, page } = query;
  let found = reportsOf(db, query);
  if (result !== undefined) found = found.where(resultOfReport, "=", result);
  if (pinned !== undefined) found = found.where(isPinned, "=", pinned);

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

/** The reports of a query, of whatever result. */
function reportsOf(db: Kysely<Database>, query: Omit<ReportQuery, "sort" | "page">) {
  const { createdBy, url, tags, scheduleId, ids, from, to } = query;
  let found = db
    .selectFrom("reports")
    .where("account_id", "=", query.accountId)
    .where("deleted_at", "is", null)
    .where(isOnSites("reports", query));
  if (createdBy === "me") found = found.where("guest_token", "is", null);
  else if (createdBy === "guests") found = found.where("guest_token", "is not", null);
  else if (createdBy !== "all") found = found.where("guest_token", "in", createdBy.guestTokens);
  if (url !== undefined) found = found.where(contains("starting_url", url));
  if (tags) found = found.where(hasTags("tags", tags));
  if (scheduleId !== undefined) found = found.where("schedule_id", "=", scheduleId);
  if (ids) found = found.where("id", "in", ids);
  if (from) found = found.where("inserted_at", ">=", from);
  if (to) found = found.where("inserted_at", "<", to);
  return found;
}

/** How many of the reports of a query have which result, regardless of the one that it names. */
export async function countReportResults(
  db: Kysely<Database>,
  query: Omit<ReportQuery, "sort" | "page">,
): Promise<ReportResultCounts> {
  const rows = await reportsOf(db, query)
    .select([resultOfReport.as("result"), isPinned.as("pinned"), sql<string>`count(*)`.as("number")])
    .groupBy(["result", "pinned"])
    .execute();
  const sum = (of: (row: (typeof rows)[number]) => boolean) =>
    rows.filter(of).reduce((total, { number }) => total + Number(number), 0);
  const counts = reportResults.map((result) => [result, sum((row) => row.result === result)] as const);
  return {
    ...{ all: sum(() => true), pinned: sum(({ pinned }) => pinned) },
    ...(Object.fromEntries(counts) as Record<ReportResult, number>),
  };
}

/** Adds the reports' counters of a kind, in a form that lets PostgreSQL read them in the order of an index. */
function withCounts<Query>(found: SelectQueryBuilder<Database, "reports", Query>, accountId: string, kind: CheckKind) {
  const counts = sql<{ report_id: string }>`(
    select report_id, errors, warnings from check_counts where account_id = ${accountId} and kind = ${kind}
  )`;
  const joined = found.innerJoin(counts.as("counts"), (join) => join.onRef("counts.report_id", "=", "reports.id"));
  return joined as unknown as typeof found;
}

/** How many reports an account has, its guests' included. */
export async function countReports(db: Kysely<Database>, accountId: string): Promise<number> {
  const row = await db
    .selectFrom("reports")
    .select(({ fn }) => fn.countAll<string>().as("number"))
    .where("account_id", "=", accountId)
    .where("deleted_at", "is", null)
    .executeTakeFirstOrThrow();
  return Number(row.number);
}
