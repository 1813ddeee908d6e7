import { type Kysely, type Selectable, sql } from "kysely";
import type { CheckKind } from "../../domain/findings.ts";
import { contains, hasTags, type Page, type Paginated, readPage, type TagFilter } from "../lists.ts";
import type { Database } from "../tables.ts";

export type HtmlIssueRow = Selectable<Database["html_issues"]>;
export type A11yIssueRow = Selectable<Database["a11y_issues"]>;
export type CommonHtmlIssueRow = Selectable<Database["common_html_issues"]>;
export type CommonA11yIssueRow = Selectable<Database["common_a11y_issues"]>;

export type IssueQuery = {
  /** Part of an HTML issue's message or of an accessibility issue's help. */
  text?: string;
  tags?: TagFilter;
  /** The muted issues instead of the others. */
  muted: boolean;
  page: Page;
};

/** The HTML issues of one page: errors first, then the most frequent first. */
export async function listHtmlIssues(
  db: Kysely<Database>,
  webPageId: string,
  query: IssueQuery,
): Promise<Paginated<HtmlIssueRow>> {
  let found = db
    .selectFrom("html_issues")
    .where("web_page_id", "=", webPageId)
    .where("muting_id", query.muted ? "is not" : "is", null);
  if (query.text !== undefined) found = found.where(contains("message", query.text));
  if (query.tags) found = found.where(hasTags("tags", query.tags));
  const rows = found.selectAll().orderBy("issue_type").orderBy("how_many", "desc").orderBy("id");
  return readPage(found, rows, query.page);
}

/** The accessibility issues of one page: the most severe first, then the most frequent first. */
export async function listA11yIssues(
  db: Kysely<Database>,
  webPageId: string,
  query: IssueQuery,
): Promise<Paginated<A11yIssueRow>> {
  let found = db
    .selectFrom("a11y_issues")
    .where("web_page_id", "=", webPageId)
    .where("muting_id", query.muted ? "is not" : "is", null);
  if (query.text !== undefined) found = found.where(contains("help", query.text));
  if (query.tags) found = found.where(hasTags("tags", query.tags));
  const rows = found
    .selectAll()
    .orderBy("review")
    .orderBy("impact_order", "desc")
    .orderBy("how_many", "desc")
    .orderBy("id");
  return readPage(found, rows, query.page);
}

/** One issue of a page, muted or not. */
export function findHtmlIssue(db: Kysely<Database>, webPageId: string, id: string): Promise<HtmlIssueRow | undefined> {
  return db
    .selectFrom("html_issues")
    .selectAll()
    .where("id", "=", id)
    .where("web_page_id", "=", webPageId)
    .executeTakeFirst();
}

export function findA11yIssue(db: Kysely<Database>, webPageId: string, id: string): Promise<A11yIssueRow | undefined> {
  return db
    .selectFrom("a11y_issues")
    .selectAll()
    .where("id", "=", id)
    .where("web_page_id", "=", webPageId)
    .executeTakeFirst();
}

/**
 * How often each common issue of a report was found: without muted findings (its stored count),
 * or only the muted ones.
 */
function counts(kind: CheckKind, reportId: string, muted: boolean) {
  const issues = sql.table(`${kind}_issues`);
  const common = sql.table(`common_${kind}_issues`);
  const counted = muted
    ? sql<Counted>`(
        select common_id, sum(how_many)::integer as how_many from ${issues}
        where report_id = ${reportId} and muting_id is not null group by common_id
      )`
    : sql<Counted>`(
        select id as common_id, how_many from ${common} where report_id = ${reportId} and how_many > 0
      )`;
  return counted.as<"counted">(sql.ref("counted"));
}

type Counted = { common_id: string; how_many: number };

/** A report's HTML issues by kind: errors first, then the most frequent first. */
export async function listCommonHtmlIssues(
  db: Kysely<Database>,
  reportId: string,
  query: IssueQuery,
): Promise<Paginated<CommonHtmlIssueRow>> {
  let found = db
    .selectFrom("common_html_issues as common")
    .innerJoin(counts("html", reportId, query.muted), "counted.common_id", "common.id");
  if (query.text !== undefined) found = found.where(contains("common.message", query.text));
  if (query.tags) found = found.where(hasTags("common.tags", query.tags));
  const rows = found
    .selectAll("common")
    .select("counted.how_many")
    .orderBy("common.issue_type")
    .orderBy("counted.how_many", "desc")
    .orderBy("common.id");
  return readPage(found, rows, query.page);
}

/** A report's accessibility issues by kind: the most severe first, then the most frequent first. */
export async function listCommonA11yIssues(
  db: Kysely<Database>,
  reportId: string,
  query: IssueQuery,
): Promise<Paginated<CommonA11yIssueRow>> {
  let found = db
    .selectFrom("common_a11y_issues as common")
    .innerJoin(counts("a11y", reportId, query.muted), "counted.common_id", "common.id");
  if (query.text !== undefined) found = found.where(contains("common.help", query.text));
  if (query.tags) found = found.where(hasTags("common.tags", query.tags));
  const rows = found
    .selectAll("common")
    .select("counted.how_many")
    .orderBy("common.review")
    .orderBy("common.impact_order", "desc")
    .orderBy("counted.how_many", "desc")
    .orderBy("common.id");
  return readPage(found, rows, query.page);
}

/** One common issue of a report. */
export function findCommonHtmlIssue(
  db: Kysely<Database>,
  reportId: string,
  id: string,
): Promise<CommonHtmlIssueRow | undefined> {
  return db
    .selectFrom("common_html_issues")
    .selectAll()
    .where("id", "=", id)
    .where("report_id", "=", reportId)
    .executeTakeFirst();
}

export function findCommonA11yIssue(
  db: Kysely<Database>,
  reportId: string,
  id: string,
): Promise<CommonA11yIssueRow | undefined> {
  return db
    .selectFrom("common_a11y_issues")
    .selectAll()
    .where("id", "=", id)
    .where("report_id", "=", reportId)
    .executeTakeFirst();
}
