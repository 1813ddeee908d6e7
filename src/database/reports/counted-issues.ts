import { type Kysely, sql } from "kysely";
import { type CheckKind, impactOf } from "../../domain/findings/findings.ts";
import type { CountedFinding, CountedIssue } from "../../domain/findings/recount.ts";
import type { Database } from "../tables.ts";

/** @returns the findings of each of the issues, in the order in which they were found */
export async function readCountedFindings(
  trx: Kysely<Database>,
  issues: readonly string[],
): Promise<Map<string, CountedFinding[]>> {
  if (issues.length === 0) return new Map();
  const { rows } = await sql<CountedFinding & { issueId: string }>`
    select id, issue_id as "issueId", encode(fingerprint, 'hex') as fingerprint, selector, how_many as "howMany",
      muting_id as "mutingId"
    from findings where issue_id = any(${issues}::bigint[]) order by id`.execute(trx);
  const byIssue = new Map<string, CountedFinding[]>(issues.map((id) => [id, []]));
  for (const { issueId: id, ...finding } of rows) byIssue.get(id)?.push(finding);
  return byIssue;
}

/** The issues of the pages of these checks, as mutings and counters see them. */
export async function readCountedIssues(
  trx: Kysely<Database>,
  kind: CheckKind,
  checks: readonly { id: string; web_page_id: string }[],
): Promise<CountedIssue[]> {
  const checkIds = new Map(checks.map((check) => [check.web_page_id, check.id]));
  const { rows } = await sql<Omit<CountedIssue, "checkId" | "severity"> & { webPageId: string; impact: number | null }>`
    select id, web_page_id as "webPageId", common_id as "commonId", message as text, coalesce(rule, '') as rule,
      how_many as "howMany", muted_count as "mutedCount",
      case when outside_standard then 'outside_standard' when issue_type = 'error' then 'errors' else 'warnings' end as counts,
      case when not outside_standard then impact_order end as impact, muting_id as "mutingId"
    from issues
    where web_page_id = any(${[...checkIds.keys()]}::bigint[]) and kind = ${kind}`.execute(trx);
  return rows.map(({ webPageId, impact, ...issue }) => ({
    ...issue,
    severity: impactOf(impact),
    checkId: checkIds.get(webPageId) ?? "",
  }));
}
