import { type Kysely, type RawBuilder, type Selectable, type SqlBool, sql } from "kysely";
import type { CheckKind, Screenshot } from "../../domain/findings/findings.ts";
import type { PageStatus } from "../../domain/site/page-status.ts";
import { contains, type Page, type Paginated } from "../lists.ts";
import type { CheckStatus, Database } from "../tables.ts";
import { hasMuted } from "./muted-elements.ts";

type PageRow = Selectable<Database["web_pages"]>;
export type CheckRow = Selectable<Database["checks"]>;

/** What may be stored of a page besides its issues. */
type StoredOfPage = CheckKind | "screenshot" | "source";

/** The part of the page that the screenshot covers (domain/findings/screenshots.ts). */
export type ScreenshotSize = Pick<Screenshot, "width" | "height" | "scale">;

/** A page and its checks; a kind is missing when the report does not perform it. */
export type WebPageRow = PageRow & {
  checks: Partial<Record<CheckKind, CheckRow>>;
  /** Which of them are stored: the raw checks, by kind, the screenshot, the source. */
  stored: ReadonlySet<StoredOfPage>;
  /** null without a screenshot. */
  screenshotSize: ScreenshotSize | null;
};

/** `errors` are those of all checks of the page. */
export const webPageSortKeys = ["errors", "url"] as const;

export type WebPageQuery = {
  url?: string;
  status?: PageStatus;
  sort?: { key: (typeof webPageSortKeys)[number]; direction: "asc" | "desc" };
  /** Only pages on which these common issues were found, by their kind. */
  commonIssueIds?: Partial<Record<CheckKind, string>>;
  /** Counts only the muted findings of a common issue, instead of the others. */
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

const errorsOfPage = sql`(select coalesce(sum(k.errors), 0) from checks k where k.web_page_id = web_pages.id)`;

/** A report's pages, by default in the order found. Ascending order is the exact reverse of descending order. */
export async function listWebPages(
  db: Kysely<Database>,
  reportId: string,
  query: WebPageQuery,
): Promise<Paginated<WebPageRow>> {
  let found = db.selectFrom("web_pages").where("web_pages.report_id", "=", reportId);
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
  if (query.status !== undefined) found = found.where(hasStatus(reportId, query.status));
  const { total } = await found.select((eb) => eb.fn.countAll<string>().as("total")).executeTakeFirstOrThrow();
  const { key, direction = "asc" } = query.sort ?? {};
  let sorted = found.selectAll("web_pages");
  if (key === "errors") sorted = sorted.orderBy(errorsOfPage, direction);
  if (key === "url") sorted = sorted.orderBy(sql`web_pages.url collate "C"`, direction);
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
  const storedByPage = Map.groupBy(await readStored(db, ids), ({ page }) => page);
  return pages.map((page) => {
    const stored = storedByPage.get(page.id) ?? [];
    return {
      ...page,
      checks: Object.fromEntries((byPage.get(page.id) ?? []).map((check) => [check.kind, check])),
      stored: new Set(stored.map(({ what }) => what)),
      screenshotSize: stored.find(({ size }) => size)?.size ?? null,
    };
  });
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
