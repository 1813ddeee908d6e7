import { type RawBuilder, sql } from "kysely";
import type { FindingState } from "../../domain/finding-state.ts";
import { type Impact, impactOrder } from "../../domain/findings.ts";

export type FindingFilter = {
  /** The comparison that states are taken from; null when the report is not compared. */
  comparisonId: string | null;
  rule?: string;
  impact?: Impact;
  issueType?: "error" | "warning";
  state?: FindingState;
  /** Digest in hex. */
  component?: string;
  /** The muted findings instead of the others. */
  muted: boolean;
};

/** Orders what is more severe first; findings of HTML have no impact. The index of lists has this expression. */
export const severityOrder = sql<number>`(4 - coalesce(f.impact_order, 0))`;
/** Names of rules in the order of their characters, wherever the database runs. */
export const ruleOrder = sql<string>`f.rule collate "C"`;

/** A report's findings `f`, as a FROM clause with its conditions; with a state, `c` is the state of each. */
export function findingsWhere(reportId: string, filter: FindingFilter): RawBuilder<unknown> {
  const { rule, impact, issueType, component, muted } = filter;
  const conditions = [
    sql`f.report_id = ${reportId}::uuid`,
    muted ? sql`f.muting_id is not null` : sql`f.muting_id is null`,
    ...(rule === undefined ? [] : [sql`${ruleOrder} = ${rule}`]),
    ...(impact === undefined ? [] : [sql`${severityOrder} = ${4 - impactOrder(impact)}`]),
    ...(issueType === undefined ? [] : [sql`f.issue_type = ${issueType}`]),
    ...(component === undefined ? [] : [sql`f.component = decode(${component}, 'hex')`]),
  ];
  return sql`findings f ${inState(filter)} where ${sql.join(conditions, sql` and `)}`;
}

function inState({ state, comparisonId }: FindingFilter): RawBuilder<unknown> {
  if (state === undefined) return sql``;
  return sql`join compared_findings c
    on c.comparison_id = ${comparisonId}::bigint and c.finding_id = f.id and c.state = ${state}`;
}
