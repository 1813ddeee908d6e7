import { type Kysely, type RawBuilder, type Selectable, type SqlBool, sql } from "kysely";
import type { Folder } from "../../domain/addresses/section.ts";
import type { RateParts } from "../../domain/estimate.ts";
import type { ExclusionReason } from "../../domain/failure.ts";
import { MAX_STORED_BYTES } from "../../domain/findings/bound-findings.ts";
import { byKind, type CheckStatus } from "../../domain/findings/check-counts.ts";
import { type CheckKind, checkKinds, type Screenshot } from "../../domain/findings/findings.ts";
import type { RoleCounts } from "../../domain/findings/role.ts";
import type { PageStatus } from "../../domain/page/page-status.ts";
import { type InboundLinks, readInboundLinks } from "../crawl/inbound-links.ts";
import { comparisonOf } from "../findings/findings.ts";
import { type FaultsOfPage, sumsOfPages } from "../findings/roles.ts";
import { contains, type Page, type Paginated, readPage } from "../lists.ts";
import { decompressText } from "../stored-text.ts";
import type { Database } from "../tables.ts";
import { isWithoutPage } from "./coverage.ts";
import { inFolder } from "./folders.ts";
import { hasMuted } from "./issues.ts";
import { viewsOfPage } from "./page-views.ts";

/** How many pages link to an address, and the first of them. */
export type Inbound = Omit<InboundLinks, "url">;

type PageRow = Selectable<Database["web_pages"]>;
export type CheckRow = Selectable<Database["checks"]>;

/** What may be stored of a page besides its issues. */
type StoredOfPage = CheckKind | "screenshot" | "source";

/** The part of the page that the screenshot covers (domain/findings/screenshots.ts). */
export type ScreenshotSize = Pick<Screenshot, "width" | "height" | "scale">;

/** A page and its checks; a kind is missing when the report does not perform it. */
export type WebPageRow = PageRow & {
  /** Errors that are not in the report that this one is compared with; null when it is not compared. */
  new_errors: number | null;
  /** Its elements with errors, without muted ones; one with errors of several kinds about the same thing counts once. */
  num_faults: number;
  /** Of its errors, without muted ones; null until the report has ended, and without errors. */
  roles: RoleCounts | null;
  /** What there is to mend on it, muted or not counted ones left out, and how much of it has which role. */
  faults: FaultsOfPage;
  /** Its address leads to no page. */
  withoutPage: boolean;
  /** How often it was viewed, by what its site was told last; null when that is not known. */
  views: number | null;
  checks: Partial<Record<CheckKind, CheckRow>>;
  /** Which of them are stored: the raw checks, by kind, the screenshot, the source. */
  stored: ReadonlySet<StoredOfPage>;
  /** null without a screenshot. */
  screenshotSize: ScreenshotSize | null;
  /** Which pages link to it; null where that is not counted: the crawler could fetch it. */
  inbound: Inbound | null;
};

/**
 * How the checks of a page ended, by the worst: it leads to no page, could not be checked, is still to be checked; has errors,
 * only warnings, or neither.
 */
export const pageResults = ["errors", "warnings", "nothing", "not_checked", "without_page", "waiting"] as const;
export type PageResult = (typeof pageResults)[number];

/** How many pages there are of each result, and with new errors. */
export type PageResultCounts = Record<PageResult | "all" | "new", number> & {
  /** Of all of them together. */
  errors_in_all: number;
  new_errors_in_all: number;
};

/**
 * `errors` are those of all checks of the page, `duration` is the time of its fetch and of its checks. Pages of which no views
 * are known come last in descending order, by their errors.
 */
export const webPageSortKeys = ["errors", "new_errors", "url", "duration", "last_checked", "views", "met"] as const;

export type WebPageQuery = {
  url?: string;
  /** Part of the title or of the address. */
  search?: string;
  result?: PageResult;
  /** Only these. */
  ids?: readonly string[];
  status?: PageStatus;
  /** Only addresses that lead to no page, or only others. */
  withoutPage?: boolean;
  folder?: Folder;
  /** Only pages with new errors. */
  hasNew?: boolean;
  sort?: { key: (typeof webPageSortKeys)[number]; direction: "asc" | "desc" };
  /** Only pages on which these common issues were found, by their kind. */
  commonIssueIds?: Partial<Record<CheckKind, string>>;
  /** Only pages on which this rule was found: its common issues with all of these. */
  rule?: { kind: CheckKind; rule: string; issueType?: "error" | "warning"; outsideStandard?: boolean };
  /** Counts only the muted findings of a common issue or rule, instead of the others. */
  muted?: boolean;
  page: Page;
};

/** The report's pages that have a check in one of these states; each state is found by its own index. */
const checksIn = (reportId: string, ...states: CheckStatus[]) =>
  sql.join(
    states.map(
      (state) => sql`select k.web_page_id from checks k where k.report_id = ${reportId} and k.status = ${state}`,
    ),
    sql` union all `,
  );
/** Evaluated page by page, because a list needs only the first few. */
const hasCheck = (condition: string) =>
  sql`(select coalesce(bool_or(k.status ${sql.raw(condition)}), false) from checks k where k.web_page_id = web_pages.id)`;

/** `pageStatus` as a condition. Few checks have failed or wait, so pages in these states are found by their checks. */
function hasStatus(reportId: string, status: PageStatus): RawBuilder<SqlBool> {
  const among = (...states: CheckStatus[]) => sql`web_pages.id = any(array(${checksIn(reportId, ...states)}))`;
  switch (status) {
    case "failed":
      return sql`${among("failed")}`;
    case "checked":
      return sql`not ${hasCheck("<> 'checked'")}`;
    case "pending":
      return sql`${among("queued")} and not ${hasCheck("<> 'queued'")}`;
    case "checking":
      return sql`${among("queued", "leased")} and not ${hasCheck("= 'failed'")} and ${hasCheck("<> 'queued'")}`;
  }
}

/** Its errors, and of pages with as many those last of which less is known: of the checks of a report, read once as `checked`. */
const errorsOfPage = sql`row(coalesce(checked.errors, 0), not checked.is_open)`;

const durationOfPage = sql`(
  coalesce(web_pages.fetch_ms, 0) + (select coalesce(sum(k.duration_ms), 0) from checks k where k.web_page_id = web_pages.id)
)`;

const newErrors = sql<number | null>`(
  select n.new_errors from compared_pages n
  where n.comparison_id = ${comparisonOf(sql`web_pages.report_id`)} and n.web_page_id = web_pages.id
)`;

/** The pages of a report with new errors. */
const hasNewErrors = (reportId: string) => sql<boolean>`web_pages.id in (
  select n.web_page_id from compared_pages n
  where n.comparison_id = ${comparisonOf(sql`${reportId}::uuid`)} and n.new_errors > 0
)`;

const sortedBy: Record<(typeof webPageSortKeys)[number], RawBuilder<unknown>> = {
  errors: errorsOfPage,
  new_errors: sql`coalesce(${newErrors}, 0)`,
  duration: durationOfPage,
  last_checked: sql`coalesce(web_pages.last_checked_at, '-infinity')`,
  url: sql`web_pages.url collate "C"`,
  views: sql`row(coalesce(${viewsOfPage}, -1), ${errorsOfPage})`,
  met: sql`row(coalesce(${viewsOfPage} * coalesce(checked.errors, 0), -1), ${errorsOfPage})`,
};

/** What the checks of a page have together is needed for these. */
const sortsByChecks: ReadonlySet<string> = new Set(["errors", "views", "met"]);

/** A condition for pages with a rule, in what is muted or in the others. */
function hasRule(
  reportId: string,
  { kind, rule, issueType, outsideStandard }: NonNullable<WebPageQuery["rule"]>,
  muted: boolean,
): RawBuilder<boolean> {
  return sql<boolean>`web_pages.id in (
    select web_page_id from issues where ${hasMuted(muted)} and common_id = any(array(
      select c.id from common_issues c where c.report_id = ${reportId} and c.kind = ${kind} and c.rule = ${rule}
        ${issueType === undefined ? sql`` : sql`and c.issue_type = ${issueType}`}
        ${outsideStandard === undefined ? sql`` : sql`and c.outside_standard = ${outsideStandard}`}
    ))
  )`;
}

/** The pages of a report with a result: its checks are read once, and not page by page. */
function hasResult(reportId: string, result: PageResult): RawBuilder<SqlBool> {
  const among = (condition: RawBuilder<unknown>) =>
    sql<SqlBool>`web_pages.id in (select c.web_page_id from (${checksByPage(reportId)}) c where ${condition})`;
  switch (result) {
    case "without_page":
      return sql`(${among(sql`c.failed`)} and ${isWithoutPage})`;
    case "not_checked":
      return sql`(${among(sql`c.failed`)} and not ${isWithoutPage})`;
    case "waiting":
      return among(sql`c.is_open and not c.failed`);
    case "errors":
      return among(sql`not c.is_open and c.errors > 0`);
    case "warnings":
      return among(sql`not c.is_open and c.errors = 0 and c.warnings > 0`);
    case "nothing":
      return among(sql`not c.is_open and c.errors = 0 and c.warnings = 0`);
  }
}

/** What the checks of each page of a report have together. */
const checksByPage = (reportId: string) => sql`
  select web_page_id, bool_or(status = 'failed') as failed, bool_or(status <> 'checked') as is_open, sum(errors) as errors,
    sum(warnings) as warnings
  from checks where report_id = ${reportId} group by 1`;

/** How many pages of a report there are of each result, in a folder and with a text in title or address. */
export async function countPageResults(
  db: Kysely<Database>,
  reportId: string,
  { folder, search, url }: Pick<WebPageQuery, "folder" | "search" | "url">,
): Promise<PageResultCounts> {
  const where = sql.join(
    [
      sql`web_pages.report_id = ${reportId}`,
      ...(folder ? [inFolder("web_pages", folder)] : []),
      ...(search === undefined ? [] : [hasText(search)]),
      ...(url === undefined ? [] : [contains("web_pages.url", url)]),
    ],
    sql` and `,
  );
  const { rows } = await sql<PageResultCounts>`
    with checked as (${checksByPage(reportId)}), found as (
      select case when failed then case when ${isWithoutPage} then 'without_page' else 'not_checked' end
          when is_open then 'waiting' when errors > 0 then 'errors' when warnings > 0 then 'warnings' else 'nothing' end as result, checked.errors, coalesce(n.new_errors, 0) as new_errors
      from web_pages join checked on checked.web_page_id = web_pages.id
      left join compared_pages n on n.comparison_id = ${comparisonOf(sql`${reportId}::uuid`)} and n.web_page_id = web_pages.id
      where ${where}
    )
    select count(*)::integer as "all", count(*) filter (where new_errors > 0)::integer as new,
      coalesce(sum(errors), 0)::integer as errors_in_all, coalesce(sum(new_errors), 0)::integer as new_errors_in_all,
      ${sql.join(pageResults.map((result) => sql`count(*) filter (where result = ${sql.lit(result)})::integer as ${sql.ref(result)}`))}
    from found`.execute(db);
  return rows[0] as PageResultCounts;
}

function hasText(search: string): RawBuilder<SqlBool> {
  const [title, url] = ["web_pages.title", "web_pages.url"].map((column) => contains(column, search));
  return sql<SqlBool>`(coalesce(${title}, false) or ${url})`;
}

/** A report's pages, by default in the order found. Ascending order is the exact reverse of descending order. */
export async function listWebPages(
  db: Kysely<Database>,
  reportId: string,
  query: WebPageQuery,
): Promise<Paginated<WebPageRow>> {
  let found = db.selectFrom("web_pages").where("web_pages.report_id", "=", reportId);
  if (query.hasNew) found = found.where(hasNewErrors(reportId));
  if (query.folder) found = found.where(inFolder("web_pages", query.folder));
  if (query.search !== undefined) found = found.where(hasText(query.search));
  if (query.result) found = found.where(hasResult(reportId, query.result));
  if (query.ids) found = found.where("web_pages.id", "=", sql<string>`any(${query.ids}::bigint[])`);
  if (query.url !== undefined) found = found.where(contains("web_pages.url", query.url));
  for (const [kind, commonId] of Object.entries(query.commonIssueIds ?? {}))
    found = found.where("web_pages.id", "in", (eb) =>
      eb
        .selectFrom("issues")
        .select("web_page_id")
        // The kind is looked up there: an index has all else that is read of the issues.
        .where("common_id", "=", sql<string>`(select id from common_issues where id = ${commonId} and kind = ${kind})`)
        .where(hasMuted(query.muted === true)),
    );
  if (query.rule) found = found.where(hasRule(reportId, query.rule, query.muted === true));
  if (query.withoutPage !== undefined)
    found = found.where(query.withoutPage ? isWithoutPage : sql<boolean>`not ${isWithoutPage}`);
  if (query.status !== undefined) found = found.where(hasStatus(reportId, query.status));
  const { total } = await found.select((eb) => eb.fn.countAll<string>().as("total")).executeTakeFirstOrThrow();
  const { key, direction = "asc" } = query.sort ?? {};
  const sums = sql`(${checksByPage(reportId)})`.as<"checked">(sql`checked`);
  const all = (
    key && sortsByChecks.has(key)
      ? found.leftJoin(sums, (join) => join.on(sql<SqlBool>`checked.web_page_id = web_pages.id`))
      : found
  ).selectAll("web_pages");
  const sorted = key ? all.orderBy(sortedBy[key], direction) : all;
  const rows = await sorted
    .orderBy("web_pages.id", key === undefined || direction === "desc" ? "asc" : "desc")
    .limit(query.page.limit)
    .offset(query.page.offset)
    .execute();
  return { rows: await withChecks(db, rows), total: Number(total) };
}

/** One page of a report. */
export async function findWebPage(db: Kysely<Database>, reportId: string, id: string): Promise<WebPageRow | undefined> {
  const rows = await db
    .selectFrom("web_pages")
    .selectAll()
    .where("id", "=", id)
    .where("report_id", "=", reportId)
    .execute();
  return (await withChecks(db, rows))[0];
}

async function withChecks(db: Kysely<Database>, pages: PageRow[]): Promise<WebPageRow[]> {
  if (pages.length === 0) return [];
  const ids = pages.map((page) => page.id);
  const checks = await db
    .selectFrom("checks")
    .selectAll()
    .where("web_page_id", "=", sql<string>`any(${ids}::bigint[])`)
    .execute();
  const byPage = Map.groupBy(checks, (check) => check.web_page_id);
  const { rows: compared } = await sql<{ id: string; new_errors: number }>`
    select web_pages.id, coalesce(${newErrors}, 0) as new_errors from web_pages
    where web_pages.id = any(${ids}::bigint[]) and ${comparisonOf(sql`web_pages.report_id`)} is not null`.execute(db);
  const found = await sumsOfPages(db, pages[0]?.report_id ?? "", ids);
  const { rows: further } = await sql<{ id: string; withoutPage: boolean; views: number | null }>`
    select id, coalesce(${isWithoutPage}, false) as "withoutPage", ${viewsOfPage} as views
    from web_pages where id = any(${ids}::bigint[])`.execute(db);
  const known = new Map(further.map((page) => [page.id, page]));
  const newOf = new Map(compared.map(({ id, new_errors }) => [id, new_errors]));
  const inbound = await readInbound(
    db,
    pages.filter(({ fetched }) => !fetched),
  );
  const storedByPage = Map.groupBy(await readStored(db, ids), ({ page }) => page);
  return pages.map((page) => {
    const stored = storedByPage.get(page.id) ?? [];
    return {
      ...page,
      checks: Object.fromEntries((byPage.get(page.id) ?? []).map((check) => [check.kind, check])),
      roles: found.get(page.id)?.roles ?? null,
      withoutPage: known.get(page.id)?.withoutPage ?? false,
      views: known.get(page.id)?.views ?? null,
      faults: found.get(page.id)?.faults ?? { all: 0, content: 0, template: 0, design: 0 },
      num_faults: found.get(page.id)?.num_faults ?? 0,
      new_errors: newOf.get(page.id) ?? null,
      inbound: page.fetched ? null : inbound(page),
      stored: new Set(stored.map(({ what }) => what)),
      screenshotSize: stored.find(({ size }) => size)?.size ?? null,
    };
  });
}

type Linked = { report_id: string; url: string; linked_from: string | null };

/** Reads the links to some addresses of a report. The only page that links to one is stored with the address itself. */
async function readInbound(db: Kysely<Database>, rows: readonly Linked[]): Promise<(row: Linked) => Inbound> {
  const [{ report_id = "" } = {}] = rows;
  const urls = rows.map(({ url }) => url);
  const stored = await readInboundLinks(db, report_id, urls);
  return ({ url, linked_from: only }) =>
    stored.get(url) ?? (only === null ? { howMany: 0, pages: [] } : { howMany: 1, pages: [only] });
}

type Stored = { page: string; what: StoredOfPage; size: ScreenshotSize | null };

async function readStored(db: Kysely<Database>, ids: readonly string[]): Promise<Stored[]> {
  const { rows } = await sql<Stored>`
    select web_page_id as page, kind as what, null::json as size from raw_checks where web_page_id = any(${ids}::bigint[])
    union all select web_page_id, 'screenshot',
      case when scale is not null then json_build_object('width', width, 'height', height, 'scale', scale) end
    from screenshots where web_page_id = any(${ids}::bigint[])
    union all select web_page_id, 'source', null from page_sources where web_page_id = any(${ids}::bigint[]) and kept`.execute(
    db,
  );
  return rows;
}

/** `inbound` is null where links are not counted: a limit was met. */
export type ExcludedUrlRow = Selectable<Database["excluded_urls"]> & { inbound: Inbound | null };

/** Beyond these limits nobody reads the links; what was removed was a page. */
const uncounted: ReadonlySet<ExclusionReason> = new Set<ExclusionReason>([
  ...(["page_limit", "sitemap_limit", "link_limit", "list_limit", "deleted"] as const),
]);

/** How many URLs a report's crawler left out, by reason. */
export async function countExcludedUrls(
  db: Kysely<Database>,
  reportId: string,
): Promise<Partial<Record<ExclusionReason, number>>> {
  const { rows } = await sql<{ reason: ExclusionReason; how_many: number }>`
    select reason, count(*)::integer as how_many from excluded_urls where report_id = ${reportId} group by 1`.execute(
    db,
  );
  return Object.fromEntries(rows.map(({ reason, how_many }) => [reason, how_many]));
}

/** The URLs that a report's crawler left out, in the order found. @param reason only for this reason */
export async function listExcludedUrls(
  db: Kysely<Database>,
  reportId: string,
  reason: ExclusionReason | undefined,
  page: Page,
): Promise<Paginated<ExcludedUrlRow>> {
  let found = db.selectFrom("excluded_urls").where("report_id", "=", reportId);
  if (reason) found = found.where("reason", "=", reason);
  const { rows, total } = await readPage(found, found.selectAll().orderBy("id"), page);
  const inbound = await readInbound(db, rows);
  return { rows: rows.map((row) => ({ ...row, inbound: uncounted.has(row.reason) ? null : inbound(row) })), total };
}

export type RawCheck = { id: string; kind: CheckKind; raw: unknown; inserted_at: Date };

/**
 * An engine's unprocessed output for a page, if it was stored. Output that does not decompress, is too large or is not
 * JSON counts as not stored: a compromised checker may have written anything.
 */
export async function findRawCheck(
  db: Kysely<Database>,
  webPageId: string,
  kind: CheckKind,
): Promise<RawCheck | undefined> {
  const row = await db
    .selectFrom("raw_checks")
    .select(["id", "kind", "raw_zstd", "inserted_at"])
    .where("web_page_id", "=", webPageId)
    .where("kind", "=", kind)
    .where(sql<number>`octet_length(raw_zstd)`, "<=", MAX_STORED_BYTES.raw)
    .executeTakeFirst();
  if (!row) return undefined;
  const { raw_zstd, ...check } = row;
  const stored = await parsed(raw_zstd).catch(() => undefined);
  return stored && { ...check, ...stored };
}

async function parsed(compressed: Buffer): Promise<{ raw: unknown }> {
  return { raw: JSON.parse(await decompressText(compressed, MAX_STORED_BYTES.raw)) };
}

/** A page's screenshot as PNG, if it was stored. */
export async function findScreenshot(db: Kysely<Database>, webPageId: string): Promise<Buffer | undefined> {
  const row = await db
    .selectFrom("screenshots")
    .select("png")
    .where("web_page_id", "=", webPageId)
    .where(sql<number>`octet_length(png)`, "<=", MAX_STORED_BYTES.screenshot)
    .executeTakeFirst();
  return row?.png;
}

/** The most pages that are read, so that a large report takes no longer than a small one. */
const MAX_PAGES = 300;

/**
 * When the newest checks of a report ended, by kind. Checks run in the order of their pages, so the newest ended ones
 * belong to the pages before the first one that waits. Checks that must run alone wait for all others, and are ignored.
 */
export async function recentEnds(db: Kysely<Database>, reportId: string): Promise<Record<CheckKind, Date[]>> {
  const { rows } = await sql<{ kind: CheckKind; finished_at: Date }>`
    select kinds.kind, c.finished_at from unnest(${sql.val(checkKinds)}::text[]) as kinds (kind)
    cross join lateral (
      select w.id from web_pages w
      where w.report_id = ${reportId} and w.id <= coalesce((
        select q.web_page_id from checks q
        where q.report_id = ${reportId} and q.kind = kinds.kind and q.status = 'queued' and not q.alone
        order by q.id limit 1
      ), 9223372036854775807)
      order by w.id desc limit ${MAX_PAGES}
    ) pages
    join checks c on c.web_page_id = pages.id and c.kind = kinds.kind
    where c.finished_at is not null`.execute(db);
  return byKind((kind) => rows.filter((row) => row.kind === kind).map(({ finished_at }) => finished_at));
}

/** How many pages of a report were checked by all kinds, how many could not be, and how many ended in each part of its time. */
export type PageProgress = { checked: number; failed: number; ended: number[] };

export async function pageProgress(
  db: Kysely<Database>,
  reportId: string,
  { from, secondsEach, parts }: RateParts,
): Promise<PageProgress> {
  const { rows } = await sql<{ part: number; checked: number; failed: number }>`
    select floor(extract(epoch from ended_at - ${from}::timestamptz) / ${secondsEach})::integer as part,
      count(*) filter (where not failed)::integer as checked, count(*) filter (where failed)::integer as failed
    from (
      select bool_or(status = 'failed') as failed, max(finished_at) as ended_at from checks
      where report_id = ${reportId} group by web_page_id having bool_and(status in ('checked', 'failed'))
    ) page group by 1`.execute(db);
  const sum = (of: "checked" | "failed") => rows.reduce((total, row) => total + row[of], 0);
  const ended = Array.from({ length: parts }, (_, part) => {
    const row = rows.find((one) => one.part === part);
    return row ? row.checked + row.failed : 0;
  });
  return { checked: sum("checked"), failed: sum("failed"), ended };
}
