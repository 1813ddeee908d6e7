import { type Kysely, type RawBuilder, sql } from "kysely";
import type { KnownReport, Wanted } from "../../domain/retention/decide.ts";
import { hasPending } from "../reports/check-counts.ts";
import { isUncut, seriesOf } from "../reports/series.ts";
import { hasNumbers } from "../reports/sites.ts";
import type { Database } from "../tables.ts";

/** All that decides whether a report is deleted, and what it takes. */
export type StoredReport = KnownReport & {
  /** Of all that is stored for it. */
  bytes: number;
};

/**
 * The reports of an account that are not deleted, its guests' included.
 *
 * @param which `near`: only those that decide about these, of the same sites and schedules, and what is compared with them;
 *   `only`: these alone
 */
export async function readKnownReports(
  db: Kysely<Database>,
  accountId: string,
  which?: { near: readonly string[] } | { only: readonly string[] },
): Promise<StoredReport[]> {
  type Row = Omit<StoredReport, "bytes"> & { bytes: string };
  const chosen = !which
    ? sql`true`
    : "near" in which
      ? isNear(which.near)
      : sql`r.id = any(${[...which.only]}::uuid[])`;
  const { rows } = await sql<Row>`
    select r.id, r.guest_token as "guestToken", r.starting_url as "startingUrl", s.id as "scheduleId",
      coalesce(e.series, ${seriesOf(sql`r.spec`)}) as series, r.inserted_at as "createdAt",
      case when r.phase in ('Complete', 'Failed') and not ${hasPending("r.id")}
        then coalesce(r.completed_at, e.ended_at, r.last_checked_at, r.inserted_at) end as "endedAt",
      ${isUncut("r")} as "isBase", coalesce(${hasNumbers("e")}, false) as "isWhole",
      exists (select from pins p where p.report_id = r.id) as "isPinned", c.base_id as "baseId",
      nullif(r.spec ->> 'baseId', '') as "namedBaseId", r.stored_bytes as bytes
    from reports r
    left join report_ends e on e.report_id = r.id
    left join comparisons c on c.id = r.comparison_id
    left join schedules s on s.id = r.schedule_id and s.account_id = r.account_id and s.deleted_at is null
    where r.account_id = ${accountId} and r.deleted_at is null and ${chosen}`.execute(db);
  return rows.map(({ bytes, ...report }) => ({ ...report, bytes: Number(bytes) }));
}

/** A union, so that each part is found by its own index. */
function isNear(ids: readonly string[]): RawBuilder<boolean> {
  const these = sql`reports a where a.id = any(${[...ids]}::uuid[])`;
  return sql<boolean>`r.id in (
    select n.id from reports n where (n.account_id, n.starting_url) in (select a.account_id, a.starting_url from ${these}) and n.deleted_at is null
    union select n.id from reports n where n.schedule_id in (select a.schedule_id from ${these})
    union select n.id from comparisons c join reports n on n.comparison_id = c.id where c.base_id = any(${[...ids]}::uuid[])
    union select n.id from reports n where n.phase not in ('Complete', 'Failed') and n.deleted_at is null
      and n.spec ->> 'baseId' = any(${[...ids]}::text[])
  )`;
}

/** What else refers to reports of an account: bases that schedules name, and comparisons that somebody waits for. */
export async function readWanted(db: Kysely<Database>, accountId: string): Promise<Wanted> {
  const { rows } = await sql<{ id: string }>`
    select s.spec ->> 'baseId' as id from schedules s
    where s.account_id = ${accountId} and s.deleted_at is null and s.spec ->> 'baseId' <> ''
    union select unnest(array[q.report_id, q.base_id])::text from comparison_requests q
    where q.account_id = ${accountId} and q.failed_at is null`.execute(db);
  return new Set(rows.map(({ id }) => id));
}

/** The bytes of a part of each report that has it. */
export async function readPartBytes(
  db: Kysely<Database>,
  part: "pictures" | "raw",
  ids: readonly string[],
): Promise<Map<string, number>> {
  const tables = part === "raw" ? [sizes("raw_checks", "raw_zstd")] : pictureSizes;
  const { rows } = await sql<{ id: string; bytes: string }>`
    select w.report_id as id, sum(stored.bytes) as bytes
    from web_pages w join (${sql.join(tables, sql` union all `)}) stored on stored.page = w.id
    where w.report_id = any(${[...ids]}::uuid[]) group by 1`.execute(db);
  return new Map(rows.map(({ id, bytes }) => [id, Number(bytes)]));
}

/** The length of a value is known without reading it. */
const sizes = (table: string, column: string) =>
  sql`select web_page_id as page, octet_length(${sql.ref(column)}) as bytes from ${sql.table(table)}`;
const pictureSizes = [sizes("screenshots", "png"), sizes("element_pictures", "webp")];

/** The first of these ids that is no report of the account. */
export async function findForeign(
  db: Kysely<Database>,
  accountId: string,
  ids: readonly string[],
): Promise<string | undefined> {
  const { rows } = await sql<{ id: string }>`
    select given.id from unnest(${[...ids]}::uuid[]) with ordinality as given (id, place)
    where not exists (
      select from reports r where r.id = given.id and r.account_id = ${accountId} and r.deleted_at is null
    ) order by given.place limit 1`.execute(db);
  return rows[0]?.id;
}
