import { type Kysely, type Selectable, sql } from "kysely";
import type { CheckKind } from "../../domain/findings.ts";
import { MAX_PAGE_BYTES } from "../../domain/page-size.ts";
import { bytesOf, contains, hasTags, type Page, type Paginated, readPage, type TagFilter } from "../lists.ts";
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

/** All columns but the elements. */
const sharedColumns = [
  "id",
  "report_id",
  "web_page_id",
  "common_id",
  "tags",
  "how_many",
  "help_url",
  "muting_id",
] as const;
const times = ["inserted_at", "updated_at"] as const;
const htmlColumns = [...sharedColumns, "issue_type", "issue_sub_type", "message", ...times] as const;
const a11yColumns = [...sharedColumns, "rule_id", "help", "impact", "impact_order", "review", ...times] as const;

/** The elements of an issue, as many as fit a response: issues of earlier versions have no limit of their own. */
const boundedHtml = <Html>() =>
  sql<Html>`
  case when octet_length(html::text) <= ${sql.lit(MAX_PAGE_BYTES)} then html else (
    select coalesce(jsonb_agg(element order by place), '[]') from (
      select element, place, sum(octet_length(element::text) + 2) over (order by place) as bytes
      from jsonb_array_elements(html) with ordinality as elements (element, place)
    ) counted where bytes <= ${sql.lit(MAX_PAGE_BYTES)}
  ) end`.as("html");

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
  const rows = found
    .select([...htmlColumns, boundedHtml<HtmlIssueRow["html"]>()])
    .orderBy("issue_type")
    .orderBy("how_many", "desc")
    .orderBy("id");
  return readPage(found, rows, query.page, bytesOf("html"));
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
    .select([...a11yColumns, boundedHtml<A11yIssueRow["html"]>()])
    .orderBy("review")
    .orderBy("impact_order", "desc")
    .orderBy("how_many", "desc")
    .orderBy("id");
  return readPage(found, rows, query.page, bytesOf("html"));
}

/** One issue of a page, muted or not. */
export function findHtmlIssue(db: Kysely<Database>, webPageId: string, id: string): Promise<HtmlIssueRow | undefined> {
  return db
    .selectFrom("html_issues")
    .select([...htmlColumns, boundedHtml<HtmlIssueRow["html"]>()])
    .where("id", "=", id)
    .where("web_page_id", "=", webPageId)
    .executeTakeFirst();
}

export function findA11yIssue(db: Kysely<Database>, webPageId: string, id: string): Promise<A11yIssueRow | undefined> {
  return db
    .selectFrom("a11y_issues")
    .select([...a11yColumns, boundedHtml<A11yIssueRow["html"]>()])
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

/** One common issue of a report; how often it was found as `counts` has it, 0 when not at all. */
export function findCommonHtmlIssue(
  db: Kysely<Database>,
  reportId: string,
  id: string,
  muted: boolean,
): Promise<CommonHtmlIssueRow | undefined> {
  return db
    .selectFrom("common_html_issues as common")
    .leftJoin(counts("html", reportId, muted), "counted.common_id", "common.id")
    .selectAll("common")
    .select(sql<number>`coalesce(counted.how_many, 0)`.as("how_many"))
    .where("common.id", "=", id)
    .where("common.report_id", "=", reportId)
    .executeTakeFirst();
}

export function findCommonA11yIssue(
  db: Kysely<Database>,
  reportId: string,
  id: string,
  muted: boolean,
): Promise<CommonA11yIssueRow | undefined> {
  return db
    .selectFrom("common_a11y_issues as common")
    .leftJoin(counts("a11y", reportId, muted), "counted.common_id", "common.id")
    .selectAll("common")
    .select(sql<number>`coalesce(counted.how_many, 0)`.as("how_many"))
    .where("common.id", "=", id)
    .where("common.report_id", "=", reportId)
    .executeTakeFirst();
}
