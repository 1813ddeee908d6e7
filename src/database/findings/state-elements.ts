import { type RawBuilder, sql } from "kysely";
import type { FindingState } from "../../domain/findings/finding-state.ts";

/** How many elements are in which state; null when they are not compared. */
export type StateElements = Partial<Record<FindingState, number>> | null;

/** A report's automatic comparison, with the report before it. */
export function comparisonOf(reportId: RawBuilder<unknown>): RawBuilder<string | null> {
  return sql<string | null>`(select r.comparison_id from reports r where r.id = ${reportId})`;
}
