import { type RawBuilder, sql } from "kysely";
import type { FindingState } from "../../domain/findings/finding-state.ts";
import { type Impact, impactOrder } from "../../domain/findings/findings.ts";

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

/** Orders the most severe first; HTML findings have no impact. The index for lists uses this expression. */
export const severityOrder = sql<number>`(4 - coalesce(f.impact_order, 0))`;
/** Orders names of rules by code points, whatever the database's locale. */
export const ruleOrder = sql<string>`f.rule collate "C"`;

/** A FROM clause with conditions for a report's findings `f`; with a state, `c` is the state of each. */
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
