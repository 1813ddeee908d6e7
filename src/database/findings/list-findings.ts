import { type Kysely, sql } from "kysely";
import { fittingSize } from "../page-size.ts";
import type { Database } from "../tables.ts";
import { type FindingFilter, findingsWhere, ruleOrder, severityOrder } from "./finding-query.ts";
import { bytesOfFinding, type FindingDetails, readFindings } from "./read-findings.ts";

/** A page of the list begins after this finding. Its place is known even when it is gone. */
export type FindingPlace = { issueType: string; severity: number; rule: string; id: string };

/** `next`: where the page after this one begins; undefined for the last one. */
export type FindingPage = { rows: FindingDetails[]; next: FindingPlace | undefined };

/**
 * A page of a report's findings: errors first, the most severe first, then by rule, then in the order found. Reads only
 * the findings of this page, however far into the list it is.
 *
 * @param reportIds the report, its base, or both: each has findings in other states
 */
export async function listFindings(
  db: Kysely<Database>,
  reportIds: readonly string[],
  filter: FindingFilter,
  { size, after }: { size: number; after?: FindingPlace },
): Promise<FindingPage> {
  const beyond = after
    ? sql`and (f.issue_type, ${severityOrder}, ${ruleOrder}, f.id)
        > (${after.issueType}::text, ${after.severity}::integer, ${after.rule}::text, ${after.id}::bigint)`
    : sql``;
  if (reportIds.length === 0) return { rows: [], next: undefined };
  // Separately for each report, because no index has the findings of two reports in one order.
  const ofReports = reportIds.map(
    (id) => sql`(
      select f.issue_type, ${severityOrder} as severity, f.rule, f.id
      from ${findingsWhere(id, filter)} ${beyond}
      order by f.issue_type, ${severityOrder}, ${ruleOrder}, f.id limit ${size + 1}
    )`,
  );
  const { rows: places } = await sql<FindingPlace>`
    select issue_type as "issueType", severity, rule, id from (${sql.join(ofReports, sql` union all `)}) f
    order by issue_type, severity, ${ruleOrder}, id limit ${size + 1}`.execute(db);
  const page = places.slice(0, size);
  const ids = page.map(({ id }) => id);
  const rows = await readFindings(db, ids, filter.comparisonId);
  // Pages are not numbered, so a page of large rows may be shorter.
  const fitting = fittingSize(rows.map(bytesOfFinding), { limit: size, offset: 0 });
  if (fitting >= rows.length) return { rows, next: places.length > size ? page.at(-1) : undefined };
  const last = rows[fitting - 1]?.id;
  return { rows: rows.slice(0, fitting), next: page.find(({ id }) => id === last) };
}
