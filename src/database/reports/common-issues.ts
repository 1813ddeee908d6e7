import { type Kysely, type RawBuilder, type Selectable, sql } from "kysely";
import type { CheckKind } from "../../domain/findings/findings.ts";
import type { StateElements } from "../findings/state-elements.ts";
import { type Paginated, readPage } from "../lists.ts";
import type { Database } from "../tables.ts";
import { commonIssueStates, type IssueQuery, type IssueSort, issueConditions } from "./issue-query.ts";
import { elementsMuted, hasMuted } from "./muted-elements.ts";

/** `num_pages`: on how many pages it was found. */
export type CommonIssueRow = Selectable<Database["common_issues"]> & {
  num_pages: number;
  states: StateElements;
  first_seen_at: Date;
};

type Occurrences = { common_id: string; how_many: number };

/**
 * How often each common issue of a report was found: without muted findings (its stored count),
 * or only the muted ones.
 */
function occurrences(kind: CheckKind, reportId: string, muted: boolean) {
  const counted = muted
    ? sql<Occurrences>`(
        select common_id, sum(${elementsMuted(true)})::integer as how_many from issues
        where report_id = ${reportId} and kind = ${kind} and ${hasMuted(true)} group by common_id
      )`
    : sql<Occurrences>`(
        select id as common_id, how_many from common_issues
        where report_id = ${reportId} and kind = ${kind} and how_many > 0
      )`;
  return counted.as<"counted">(sql.ref("counted"));
}

function numPages(muted: boolean): RawBuilder<number> {
  return sql<number>`(
    select count(distinct i.web_page_id)::integer from issues i
    where i.common_id = common.id and ${hasMuted(muted)}
  )`;
}

function commonSelection(reportId: string, muted: boolean) {
  const { states, firstSeenAt } = commonIssueStates(reportId, muted);
  return [
    sql<number>`coalesce(counted.how_many, 0)`.as("how_many"),
    numPages(muted).as("num_pages"),
    states.as("states"),
    firstSeenAt.as("first_seen_at"),
  ] as const;
}

/** The order that a query asks for: ascending order is the exact reverse of descending order. */
function orderOf(muted: boolean, { key, direction }: IssueSort): RawBuilder<unknown> {
  const first = { impact: sql`common.impact_order`, how_many: undefined, pages: numPages(muted) }[key];
  const keys = [...(first ? [first] : []), sql`counted.how_many`, sql`-common.id`];
  return sql.join(keys.map((column) => sql`${column} ${sql.raw(direction)}`));
}

/** What a report's issues of a kind have in common: by default as `listIssues` orders them. */
export async function listCommonIssues(
  db: Kysely<Database>,
  kind: CheckKind,
  reportId: string,
  query: IssueQuery,
): Promise<Paginated<CommonIssueRow>> {
  const { muted, state, sort } = query;
  let found = db
    .selectFrom("common_issues as common")
    .innerJoin(occurrences(kind, reportId, muted), "counted.common_id", "common.id");
  for (const condition of issueConditions("common", query)) found = found.where(condition);
  if (state) found = found.where(commonIssueStates(reportId, muted).has(state));
  const rows = found.selectAll("common").select(commonSelection(reportId, muted));
  const ordered = sort
    ? rows.orderBy(orderOf(muted, sort))
    : rows
        .orderBy("common.issue_type")
        .orderBy("common.impact_order", "desc")
        .orderBy("counted.how_many", "desc")
        .orderBy("common.id");
  return readPage(found, ordered, query.page);
}

/** One common issue of a report; how often it was found as `occurrences` has it, 0 when not at all. */
export function findCommonIssue(
  db: Kysely<Database>,
  kind: CheckKind,
  reportId: string,
  id: string,
  muted: boolean,
): Promise<CommonIssueRow | undefined> {
  return db
    .selectFrom("common_issues as common")
    .leftJoin(occurrences(kind, reportId, muted), "counted.common_id", "common.id")
    .selectAll("common")
    .select(commonSelection(reportId, muted))
    .where("common.id", "=", id)
    .where("common.report_id", "=", reportId)
    .where("common.kind", "=", kind)
    .executeTakeFirst();
}
