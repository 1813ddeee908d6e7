import { type Kysely, sql } from "kysely";
import type { CheckKind } from "../../domain/findings/findings.ts";
import type { CountedFinding, CountedIssue } from "../../domain/findings/recount.ts";
import type { Database } from "../tables.ts";

/** @returns the findings of each of the issues, in the order in which they were found */
export async function readCountedFindings(
  trx: Kysely<Database>,
  kind: CheckKind,
  issues: readonly string[],
): Promise<Map<string, CountedFinding[]>> {
  if (issues.length === 0) return new Map();
  const issueId = sql.ref(`${kind}_issue_id`);
  const { rows } = await sql<CountedFinding & { issueId: string }>`
    select id, ${issueId} as "issueId", encode(fingerprint, 'hex') as fingerprint, selector, how_many as "howMany",
      muting_id as "mutingId"
    from findings where ${issueId} = any(${issues}::bigint[]) order by id`.execute(trx);
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
  const html = kind === "html";
  const text = sql.ref(html ? "message" : "help");
  const rule = html ? sql`coalesce(issue_sub_type, '')` : sql.ref("rule_id");
  const isError = html ? sql`issue_type = 'error'` : sql`not review`;
  const isOutside = html ? sql`false` : sql.ref("outside_standard");
  const { rows } = await sql<Omit<CountedIssue, "checkId"> & { webPageId: string }>`
    select id, web_page_id as "webPageId", common_id as "commonId", ${text} as text, ${rule} as rule,
      how_many as "howMany", muted_count as "mutedCount",
      case when ${isOutside} then 'outside_standard' when ${isError} then 'errors' else 'warnings' end as counts,
      ${html ? sql`null` : sql`case when not outside_standard then impact end`} as severity, muting_id as "mutingId"
    from ${sql.table(`${kind}_issues`)}
    where web_page_id = any(${[...checkIds.keys()]}::bigint[])`.execute(trx);
  return rows.map(({ webPageId, ...issue }) => ({ ...issue, checkId: checkIds.get(webPageId) ?? "" }));
}
