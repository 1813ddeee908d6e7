import { type Kysely, type RawBuilder, type Selectable, sql } from "kysely";
import type { CheckKind } from "../../domain/findings/findings.ts";
import type { StateElements } from "../findings/state-elements.ts";
import { type Paginated, readPage } from "../lists.ts";
import type { Database } from "../tables.ts";
import { commonIssueStates, type IssueQuery, type IssueSort, issueConditions } from "./issue-query.ts";
import { elementsMuted, hasMuted } from "./muted-elements.ts";

/** `num_pages`: on how many pages it was found. */
type Counts = { num_pages: number; states: StateElements; first_seen_at: Date };
export type CommonHtmlIssueRow = Selectable<Database["common_html_issues"]> & Counts;
export type CommonA11yIssueRow = Selectable<Database["common_a11y_issues"]> & Counts;

type Occurrences = { common_id: string; how_many: number };

/**
 * How often each common issue of a report was found: without muted findings (its stored count),
 * or only the muted ones.
 */
function occurrences(kind: CheckKind, reportId: string, muted: boolean) {
  const counted = muted
    ? sql<Occurrences>`(
        select common_id, sum(${elementsMuted(true)})::integer as how_many from ${sql.table(`${kind}_issues`)}
        where report_id = ${reportId} and ${hasMuted(true)} group by common_id
      )`
    : sql<Occurrences>`(
        select id as common_id, how_many from ${sql.table(`common_${kind}_issues`)}
        where report_id = ${reportId} and how_many > 0
      )`;
  return counted.as<"counted">(sql.ref("counted"));
}

function numPages(kind: CheckKind, muted: boolean): RawBuilder<number> {
  return sql<number>`(
    select count(distinct i.web_page_id)::integer from ${sql.table(`${kind}_issues`)} i
    where i.common_id = common.id and ${hasMuted(muted)}
  )`;
}

function selection(kind: CheckKind, reportId: string, muted: boolean) {
  const { states, firstSeenAt } = commonIssueStates(kind, reportId, muted);
  return [
    sql<number>`coalesce(counted.how_many, 0)`.as("how_many"),
    numPages(kind, muted).as("num_pages"),
    states.as("states"),
    firstSeenAt.as("first_seen_at"),
  ] as const;
}

/** The order that a query asks for: ascending order is the exact reverse of descending order. */
function orderOf(kind: CheckKind, muted: boolean, { key, direction }: IssueSort): RawBuilder<unknown> {
  const first = { impact: sql`common.impact_order`, how_many: undefined, pages: numPages(kind, muted) }[key];
  const keys = [...(first ? [first] : []), sql`counted.how_many`, sql`-common.id`];
  return sql.join(keys.map((column) => sql`${column} ${sql.raw(direction)}`));
}

/** A report's HTML issues by kind: by default errors first, then the most frequent first. */
export async function listCommonHtmlIssues(
  db: Kysely<Database>,
  reportId: string,
  query: IssueQuery,
): Promise<Paginated<CommonHtmlIssueRow>> {
  const { muted, state, sort } = query;
  let found = db
    .selectFrom("common_html_issues as common")
    .innerJoin(occurrences("html", reportId, muted), "counted.common_id", "common.id");
  for (const condition of issueConditions("html", "common", query)) found = found.where(condition);
  if (state) found = found.where(commonIssueStates("html", reportId, muted).has(state));
  const rows = found.selectAll("common").select(selection("html", reportId, muted));
  const ordered = sort
    ? rows.orderBy(orderOf("html", muted, sort))
    : rows.orderBy("common.issue_type").orderBy("counted.how_many", "desc").orderBy("common.id");
  return readPage(found, ordered, query.page);
}

/** A report's accessibility issues by kind: by default the most severe first, then the most frequent first. */
export async function listCommonA11yIssues(
  db: Kysely<Database>,
  reportId: string,
  query: IssueQuery,
): Promise<Paginated<CommonA11yIssueRow>> {
  const { muted, state, sort } = query;
  let found = db
    .selectFrom("common_a11y_issues as common")
    .innerJoin(occurrences("a11y", reportId, muted), "counted.common_id", "common.id");
  for (const condition of issueConditions("a11y", "common", query)) found = found.where(condition);
  if (state) found = found.where(commonIssueStates("a11y", reportId, muted).has(state));
  const rows = found.selectAll("common").select(selection("a11y", reportId, muted));
  const ordered = sort
    ? rows.orderBy(orderOf("a11y", muted, sort))
    : rows
        .orderBy("common.review")
        .orderBy("common.impact_order", "desc")
        .orderBy("counted.how_many", "desc")
        .orderBy("common.id");
  return readPage(found, ordered, query.page);
}

/** One common issue of a report; how often it was found as `occurrences` has it, 0 when not at all. */
export function findCommonHtmlIssue(
  db: Kysely<Database>,
  reportId: string,
  id: string,
  muted: boolean,
): Promise<CommonHtmlIssueRow | undefined> {
  return db
    .selectFrom("common_html_issues as common")
    .leftJoin(occurrences("html", reportId, muted), "counted.common_id", "common.id")
    .selectAll("common")
    .select(selection("html", reportId, muted))
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
    .leftJoin(occurrences("a11y", reportId, muted), "counted.common_id", "common.id")
    .selectAll("common")
    .select(selection("a11y", reportId, muted))
    .where("common.id", "=", id)
    .where("common.report_id", "=", reportId)
    .executeTakeFirst();
}
