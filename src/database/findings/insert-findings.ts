import { type Kysely, sql } from "kysely";
import { type CheckKind, type Issue, impactOrder } from "../../domain/findings/findings.ts";
import type { Finding } from "../../domain/identity/identify-issue.ts";
import { storableJson } from "../json-text.ts";
import type { Database } from "../tables.ts";

/** A finding as it is sent to the database: digests in hex. */
export type FindingRow = {
  web_page_id: string;
  issue_id: string;
  rule: string;
  issue_type: "error" | "warning";
  impact_order: number | null;
  outside_standard: boolean;
  tag: string | null;
  path: string | null;
  selector: string | null;
  fingerprint: string;
  component: string;
  how_many: number;
  muting_id: string | null;
};

/** Bytes of a finding in the database, with its indexes, besides its selector. */
const FINDING_BYTES = 380;

/** Bytes of findings in the database, which count towards the account's limit. */
export function findingBytes(findings: readonly Finding[]): number {
  return findings.reduce((sum, { element }) => sum + FINDING_BYTES + Buffer.byteLength(element?.selector ?? ""), 0);
}

/** Stores the findings of issues that are stored already. */
export async function insertFindings(
  trx: Kysely<Database>,
  kind: CheckKind,
  reportId: string,
  rows: readonly FindingRow[],
  now: Date,
): Promise<void> {
  if (rows.length === 0) return;
  await sql`
    insert into findings (report_id, kind, found_at, web_page_id, issue_id, rule, issue_type,
      impact_order, outside_standard, tag, path, selector, fingerprint, component, how_many, muting_id)
    select ${reportId}::uuid, ${kind}, ${now}, web_page_id, issue_id, rule, issue_type,
      impact_order, outside_standard, decode(tag, 'hex'), decode(path, 'hex'), selector, decode(fingerprint, 'hex'),
      decode(component, 'hex'), how_many, muting_id
    from json_to_recordset(${storableJson(byIssue(rows))}::json) as issue(
        web_page_id bigint, issue_id bigint, rule text, issue_type text, impact_order smallint,
        outside_standard boolean, findings json),
      json_to_recordset(findings) as finding(
        tag text, path text, selector text, fingerprint text, component text, how_many integer, muting_id bigint)
  `.execute(trx);
}

/** Groups rows, so that what all findings of an issue share is sent once: an issue may have hundreds of them. */
function byIssue(rows: readonly FindingRow[]) {
  return [...Map.groupBy(rows, ({ issue_id }) => issue_id).values()].map((ofIssue) => {
    const [{ web_page_id, issue_id, rule, issue_type, impact_order, outside_standard }] = ofIssue as [FindingRow];
    const findings = ofIssue.map(({ tag, path, selector, fingerprint, component, how_many, muting_id }) => ({
      tag,
      path,
      selector,
      fingerprint,
      component,
      how_many,
      muting_id,
    }));
    return { web_page_id, issue_id, rule, issue_type, impact_order, outside_standard, findings };
  });
}

/** The stored issue that a finding belongs to. */
export type IssueOfFinding = {
  issue: Issue;
  issueId: string;
  webPageId: string;
  mutingId: string | null;
};

export function findingRow(finding: Finding, { issueId, webPageId, mutingId, issue }: IssueOfFinding): FindingRow {
  const { rule, fingerprint, component, element, howMany } = finding;
  return {
    web_page_id: webPageId,
    issue_id: issueId,
    muting_id: mutingId,
    rule,
    fingerprint,
    component,
    tag: element?.tag ?? null,
    path: element?.path ?? null,
    how_many: howMany,
    selector: element?.selector ?? null,
    issue_type: issue.issue_type,
    impact_order: impactOrder(issue.impact),
    outside_standard: issue.outside_standard === true,
  };
}
