import { type Expression, type RawBuilder, type SqlBool, sql } from "kysely";
import type { FindingState } from "../../domain/findings/finding-state.ts";
import type { CheckKind, Impact } from "../../domain/findings/findings.ts";
import { comparisonOf, type StateElements } from "../findings/state-elements.ts";
import { contains, hasTags, type Page, type TagFilter } from "../lists.ts";

/** What each list of issues can be sorted by. HTML issues have no impact, and a page's issue is only on that page. */
export const issueSortKeys = {
  html: ["how_many"],
  a11y: ["impact", "how_many"],
  commonHtml: ["how_many", "pages"],
  commonA11y: ["impact", "how_many", "pages"],
} as const;

export type IssueSort = { key: "impact" | "how_many" | "pages"; direction: "asc" | "desc" };

export type IssueQuery = {
  /** Part of an HTML issue's message or of an accessibility issue's help. */
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

const filtered = {
  html: {
    text: "message",
    rule: "issue_sub_type",
    isError: (table: string) => sql`${ref(table, "issue_type")} = 'error'`,
  },
  a11y: { text: "help", rule: "rule_id", isError: (table: string) => sql`not ${ref(table, "review")}` },
} as const;

/** The conditions of a query on columns of the issue; `table` is its table or alias. */
export function issueConditions(kind: CheckKind, table: string, query: IssueQuery): Expression<SqlBool>[] {
  const { text, rule, isError } = filtered[kind];
  const conditions: Expression<SqlBool>[] = [];
  if (query.text !== undefined) conditions.push(contains(`${table}.${text}`, query.text));
  if (query.tags) conditions.push(hasTags(`${table}.tags`, query.tags));
  if (query.rule !== undefined) conditions.push(sql<SqlBool>`${ref(table, rule)} = ${query.rule}`);
  if (query.impact !== undefined) conditions.push(sql<SqlBool>`${ref(table, "impact")} = ${query.impact}`);
  if (query.issueType !== undefined)
    conditions.push(sql<SqlBool>`(${isError(table)}) = ${query.issueType === "error"}`);
  return conditions;
}

/**
 * The number of elements of one page's issue in each state, and when the oldest was first seen: either the muted ones
 * or the others. For an issue that is muted as a whole, all of them either way.
 */
export function pageIssueStates(kind: CheckKind, webPageId: string, muted: boolean) {
  const table = `${kind}_issues`;
  const report = sql`(select p.report_id from web_pages p where p.id = ${webPageId}::bigint)`;
  const compared = sql`findings f left join compared_findings c
    on c.finding_id = f.id and c.comparison_id = ${comparisonOf(report)}
    where ${sql.ref(`f.${kind}_issue_id`)} = ${ref(table, "id")}
      and (${ref(table, "muting_id")} is not null or (f.muting_id is not null) = ${muted})`;
  return {
    states: sql<StateElements>`(
      select json_object_agg(state, how_many) from (
        select c.state, sum(c.how_many)::integer as how_many from ${compared} and c.state is not null group by 1
      ) counted
    )`,
    firstSeenAt: sql<Date>`coalesce(
      (select min(coalesce(c.first_seen_at, f.found_at)) from ${compared}), ${ref(table, "inserted_at")}
    )`,
    has: (state: FindingState) => sql<SqlBool>`exists (select from ${compared} and c.state = ${state})`,
  };
}

/** The same for a common issue, as counted when its report was compared. `common` is its alias. */
export function commonIssueStates(kind: CheckKind, reportId: string, muted: boolean) {
  const counted = sql`compared_issues s
    where s.comparison_id = ${comparisonOf(sql`${reportId}::uuid`)} and s.kind = ${kind}
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
