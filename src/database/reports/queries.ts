import { type Kysely, type RawBuilder, type Selectable, type SelectQueryBuilder, sql } from "kysely";
import type { CountField, CountsByKind } from "../../domain/findings/check-counts.ts";
import type { StateCount } from "../../domain/findings/finding-state.ts";
import { type CheckKind, checkKinds } from "../../domain/findings/findings.ts";
import { guestKnown } from "../accounts/guest-known.ts";
import { CHANNEL } from "../connection/channel.ts";
import { executePrepared } from "../connection/prepared.ts";
import { contains, hasTags, type Page, type Paginated, type TagFilter } from "../lists.ts";
import { fittingSize } from "../page-size.ts";
import type { Database } from "../tables.ts";
import { selectCounts } from "./check-counts.ts";

/** `guest_known`, `schedule_known`: the guest account or schedule that created the report still exists. */
export type ReportRow = Omit<Selectable<Database["reports"]>, "spec_bytes"> & {
  guest_known: boolean;
  schedule_known: boolean;
  counts: CountsByKind;
  /** With the report before it, once it has ended. */
  comparison: { base_id: string; counts: StateCount[] } | null;
};

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
    select json_build_object('base_id', c.base_id, 'counts', c.counts) from comparisons c
    where c.id = reports.comparison_id
  )`.as("comparison"),
];

/** Reports with what is read with each, for the caller to narrow down; deleted ones, too. */
export function reportsWithRelated(db: Kysely<Database>) {
  return db.selectFrom("reports").selectAll().select(relatedRows);
}

/** A report that is not deleted, whoever owns it. */
export async function findReport(db: Kysely<Database>, id: string): Promise<ReportRow | undefined> {
  const query = reportsWithRelated(db).where("id", "=", id).where("deleted_at", "is", null);
  return (await executePrepared(db, query)).rows[0];
}

/** The reports with these ids that are not deleted, in any order, whoever owns them. */
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
type CountKey = `${CheckKind}_${keyof typeof countKeys}`;
export type ReportSortKey = "url" | "num_web_pages" | CountKey | "last_checked_at";

/** What each sort key sorts by; ties of the first are sorted by the next. `kind`: whose counters these are. */
const sortColumns = new Map<ReportSortKey, { columns: RawBuilder<unknown>[]; kind?: CheckKind }>([
  ["url", { columns: [sql`starting_url collate "C"`] }],
  ["num_web_pages", { columns: [sql`num_pages`] }],
  ...checkKinds.flatMap((kind) =>
    (Object.keys(countKeys) as (keyof typeof countKeys)[]).map(
      (key) =>
        [`${kind}_${key}`, { kind, columns: countKeys[key].map((field) => sql.ref(`counts.${field}`)) }] as const,
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

/** Marks a report deleted at once; its rows are purged later. */
export async function markReportDeleted(db: Kysely<Database>, id: string, now: Date): Promise<void> {
  await db
    .updateTable("reports")
    .set({ deleted_at: now, updated_at: now })
    .where("id", "=", id)
    .where("deleted_at", "is", null)
    .returning(sql`pg_notify(${CHANNEL}, id::text)`.as("notified"))
    .execute();
}

/** Shares a report or stops sharing it, at once. */
export async function setReportShared(db: Kysely<Database>, id: string, shared: boolean, now: Date): Promise<void> {
  await db
    .updateTable("reports")
    .set({ shared, updated_at: now })
    .where("id", "=", id)
    .where("shared", "!=", shared)
    .returning(sql`pg_notify(${CHANNEL}, id::text)`.as("notified"))
    .execute();
}
