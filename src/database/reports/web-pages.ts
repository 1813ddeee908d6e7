import type { Kysely, Selectable } from "kysely";
import type { CheckKind } from "../../domain/findings.ts";
import { contains, type Page, type Paginated } from "../lists.ts";
import type { Database } from "../tables.ts";

type PageRow = Selectable<Database["web_pages"]>;
export type CheckRow = Selectable<Database["checks"]>;

/** A page and its checks; a kind is missing when the report does not perform it. */
export type WebPageRow = PageRow & { checks: Partial<Record<CheckKind, CheckRow>> };

export type WebPageQuery = {
  url?: string;
  /** Only pages on which this common issue was found, without muted findings. */
  commonHtmlIssueId?: string;
  commonA11yIssueId?: string;
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
      eb.selectFrom(table).select("web_page_id").where("common_id", "=", commonId).where("muting_id", "is", null),
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
  const checks = await db
    .selectFrom("checks")
    .selectAll()
    .where(
      "web_page_id",
      "in",
      pages.map((page) => page.id),
    )
    .execute();
  const byPage = Map.groupBy(checks, (check) => check.web_page_id);
  return pages.map((page) => ({
    ...page,
    checks: Object.fromEntries((byPage.get(page.id) ?? []).map((check) => [check.kind, check])),
  }));
}
