import { type Kysely, type Selectable, sql } from "kysely";
import type { CheckKind } from "../../domain/findings.ts";
import { contains, type Page, type Paginated } from "../lists.ts";
import type { Database } from "../tables.ts";

type PageRow = Selectable<Database["web_pages"]>;
export type CheckRow = Selectable<Database["checks"]>;

/** What may be stored of a page beside its issues. */
export type StoredOfPage = "html" | "a11y" | "screenshot";

/** A page and its checks; a kind is missing when the report does not perform it. */
export type WebPageRow = PageRow & {
  checks: Partial<Record<CheckKind, CheckRow>>;
  /** The raw checks, by kind, and the screenshot that are stored. */
  stored: ReadonlySet<StoredOfPage>;
};

export type WebPageQuery = {
  url?: string;
  /** Only pages on which this common issue was found. */
  commonHtmlIssueId?: string;
  commonA11yIssueId?: string;
  /** Counts only the muted findings of a common issue, instead of the others. */
  muted?: boolean;
  page: Page;
};

/** A report's pages in the order found. */
export async function listWebPages(
  db: Kysely<Database>,
  reportId: string,
  query: WebPageQuery,
): Promise<Paginated<WebPageRow>> {
  let found = db.selectFrom("web_pages").where("web_pages.report_id", "=", reportId);
  if (query.url !== undefined) found = found.where(contains("web_pages.url", query.url));
  for (const [table, commonId] of [
    ["html_issues", query.commonHtmlIssueId],
    ["a11y_issues", query.commonA11yIssueId],
  ] as const) {
    if (commonId === undefined) continue;
    found = found.where("web_pages.id", "in", (eb) =>
      eb
        .selectFrom(table)
        .select("web_page_id")
        .where("common_id", "=", commonId)
        .where("muting_id", query.muted ? "is not" : "is", null),
    );
  }
  const { total } = await found.select((eb) => eb.fn.countAll<string>().as("total")).executeTakeFirstOrThrow();
  const rows = await found
    .selectAll("web_pages")
    .orderBy("web_pages.id")
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
  const checks = await db.selectFrom("checks").selectAll().where("web_page_id", "in", ids).execute();
  const byPage = Map.groupBy(checks, (check) => check.web_page_id);
  const stored = Map.groupBy(await readStored(db, ids), ({ page }) => page);
  return pages.map((page) => ({
    ...page,
    checks: Object.fromEntries((byPage.get(page.id) ?? []).map((check) => [check.kind, check])),
    stored: new Set((stored.get(page.id) ?? []).map(({ what }) => what)),
  }));
}

async function readStored(
  db: Kysely<Database>,
  ids: readonly string[],
): Promise<{ page: string; what: StoredOfPage }[]> {
  const { rows } = await sql<{ page: string; what: StoredOfPage }>`
    select web_page_id as page, kind as what from raw_checks where web_page_id = any(${ids}::bigint[])
    union all select web_page_id, 'screenshot' from screenshots where web_page_id = any(${ids}::bigint[])`.execute(db);
  return rows;
}
