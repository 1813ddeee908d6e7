import { type Expression, type RawBuilder, type SqlBool, sql } from "kysely";
import { type CheckKind, manifestOf } from "../../checks/kinds.ts";
import type { FindingState } from "../../domain/findings/finding-state.ts";
import { type Impact, impactOrder } from "../../domain/findings/findings.ts";
import { comparisonOf, type StateElements } from "../findings/state-elements.ts";
import { contains, hasTags, type Page, type TagFilter } from "../lists.ts";

export type IssueSort = { key: "impact" | "how_many" | "pages"; direction: "asc" | "desc" };

/** What a list of issues of a kind can be sorted by: a page's issues, or the common ones, which are on several pages. */
export function issueSortKeys(kind: CheckKind, { common }: { common: boolean }): IssueSort["key"][] {
  return [
    ...(manifestOf(kind).hasImpact ? ["impact" as const] : []),
    "how_many",
    ...(common ? ["pages" as const] : []),
  ];
}

export type IssueQuery = {
  /** Part of its message. */
  text?: string;
  tags?: TagFilter;
  /** The engine's name of the rule. */
  rule?: string;
  impact?: Impact;
  issueType?: "error" | "warning";
  /** Issues with an element in this state. */
  state?: FindingState;
  /** The muted issues instead of the others. */
  muted: boolean;
  sort?: IssueSort;
  page: Page;
};

/** The conditions of a query on columns of the issue; `table` is its table or alias. */
export function issueConditions(table: string, query: IssueQuery): Expression<SqlBool>[] {
  const is = (column: string, value: unknown) => sql<SqlBool>`${ref(table, column)} = ${value}`;
  const conditions: Expression<SqlBool>[] = [];
  if (query.text !== undefined) conditions.push(contains(`${table}.message`, query.text));
  if (query.tags) conditions.push(hasTags(`${table}.tags`, query.tags));
  if (query.rule !== undefined) conditions.push(is("rule", query.rule));
  if (query.impact !== undefined) conditions.push(is("impact_order", impactOrder(query.impact)));
  if (query.issueType !== undefined) conditions.push(is("issue_type", query.issueType));
  return conditions;
}

/**
 * The number of elements of one page's issue in each state, and when the oldest was first seen: either the muted ones
 * or the others. For an issue that is muted as a whole, all of them either way.
 */
export function pageIssueStates(webPageId: string, muted: boolean) {
  const report = sql`(select p.report_id from web_pages p where p.id = ${webPageId}::bigint)`;
  const compared = sql`findings f left join compared_findings c
    on c.finding_id = f.id and c.comparison_id = ${comparisonOf(report)}
    where f.issue_id = issues.id and (issues.muting_id is not null or (f.muting_id is not null) = ${muted})`;
  return {
    states: sql<StateElements>`(
      select json_object_agg(state, how_many) from (
        select c.state, sum(c.how_many)::integer as how_many from ${compared} and c.state is not null group by 1
      ) counted
    )`,
    firstSeenAt: sql<Date>`coalesce(
      (select min(coalesce(c.first_seen_at, f.found_at)) from ${compared}), issues.inserted_at
    )`,
    has: (state: FindingState) => sql<SqlBool>`exists (select from ${compared} and c.state = ${state})`,
  };
}

/** The same for a common issue, as counted when its report was compared. `common` is its alias. */
export function commonIssueStates(reportId: string, muted: boolean) {
  const counted = sql`compared_issues s
    where s.comparison_id = ${comparisonOf(sql`${reportId}::uuid`)}
      and s.common_id = common.id and s.is_muted = ${muted}`;
  return {
    states: sql<StateElements>`(select json_object_agg(s.state, s.how_many) from ${counted})`,
    firstSeenAt: sql<Date>`coalesce((select min(s.first_seen_at) from ${counted}), common.inserted_at)`,
    has: (state: FindingState) => sql<SqlBool>`exists (select from ${counted} and s.state = ${state})`,
  };
}

function ref(table: string, column: string): RawBuilder<unknown> {
  return sql.ref(`${table}.${column}`);
}
