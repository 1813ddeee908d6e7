import { createHash } from "node:crypto";
import { type Kysely, type RawBuilder, sql } from "kysely";
import { manifestOf } from "../../checks/kinds.ts";
import { type CheckKind, type Issue, impactOrder } from "../../domain/findings/findings.ts";
import type { JudgedIssue } from "../../domain/findings/judge-check.ts";
import { countedElements } from "../../domain/findings/muting.ts";
import type { Finding } from "../../domain/identity/identify-issue.ts";
import { storableJson } from "../stored-text.ts";
import type { Database } from "../tables.ts";

/** One page's issue, ready to store. What mutings silence is stored but not counted. */
export type StoredIssue = JudgedIssue & {
  webPageId: string;
  /** The issue's `html` as storable JSON. */
  html: string;
};

/** The columns that issues share with their common issues, and their types. */
const shared = {
  issue_type: "text",
  rule: "text",
  message: "text",
  help_url: "text",
  impact_order: "smallint",
  outside_standard: "boolean",
  tags: "text[]",
};
const columns = Object.keys(shared);
const types = Object.values(shared);

/**
 * Replaces the findings of one kind on some pages of a report, and adds the difference to the
 * common issues' counts. Every writer locks common issues in the order of their key, which
 * prevents deadlocks.
 *
 * @param rules those that are replaced; all if not given
 */
export async function replaceFindings(
  trx: Kysely<Database>,
  kind: CheckKind,
  reportId: string,
  webPageIds: readonly string[],
  issues: readonly StoredIssue[],
  now: Date,
  rules?: readonly string[],
): Promise<void> {
  const removed = await removeFindings(trx, kind, webPageIds, rules);
  if (removed.length === 0 && issues.length === 0) return;
  const rows = issues.map(({ webPageId, issue, html, mutingId, howMany, mutedCount }) => {
    const ofIssue = sharedColumns(issue);
    return {
      ...ofIssue,
      web_page_id: webPageId,
      html,
      how_many: howMany,
      muted_count: mutedCount,
      counted: countedElements({ mutingId, howMany }),
      muting_id: mutingId,
      key: commonKey(kind, ofIssue),
    };
  });
  const commonIds = await countCommon(trx, kind, reportId, rows, removed);
  const issueIds = await insertIssues(trx, kind, reportId, rows, commonIds);
  const found = issues.flatMap(({ findings, issue, webPageId }, index) => {
    const issueId = issueIds.get(`${webPageId} ${commonIds.get(rows[index]?.key ?? "")}`);
    return issueId === undefined
      ? []
      : findings.map((finding) => findingRow(finding, { issueId, webPageId, mutingId: finding.mutingId, issue }));
  });
  await insertFindings(trx, kind, reportId, found, now);
}

type Removed = { key: string; common_id: string; how_many: number; shared: Record<string, unknown> };

/** @returns how much each common issue loses, with keys in hex */
async function removeFindings(
  trx: Kysely<Database>,
  kind: CheckKind,
  webPageIds: readonly string[],
  rules: readonly string[] | undefined,
): Promise<Removed[]> {
  const { rows } = await sql<Removed>`
    with removed as (
      delete from issues where web_page_id = any(${webPageIds}::bigint[]) and kind = ${kind}
        and ${rules ? sql`rule = any(${[...rules]}::text[])` : sql`true`}
      returning common_id, case when muting_id is null then how_many else 0 end as how_many
    )
    select encode(c.key, 'hex') as key, removed.common_id, sum(removed.how_many)::integer as how_many,
      json_build_object(${sql.join(columns.flatMap((name) => [sql.lit(name), sql.ref(`c.${name}`)]))}) as shared
    from removed join common_issues c on c.id = removed.common_id
    group by c.id, removed.common_id`.execute(trx);
  return rows;
}

/** `html` is JSON. */
type IssueRow = Record<string, unknown> & { key: string; counted: number; html: string };

/** @returns the common issues' ids by key */
async function countCommon(
  trx: Kysely<Database>,
  kind: CheckKind,
  reportId: string,
  rows: readonly IssueRow[],
  removed: readonly Removed[],
): Promise<Map<string, string>> {
  const common = new Map<string, Record<string, unknown> & { key: string; how_many: number }>();
  for (const row of rows) {
    const known = common.get(row.key);
    if (known) known.how_many += row.counted;
    else common.set(row.key, { ...pick(row, columns), key: row.key, how_many: row.counted });
  }
  const lost = removed.filter((row) => row.how_many > 0);
  // Common issues that only lose findings are included: this statement takes all locks, in order.
  for (const { key, shared } of removed) if (!common.has(key)) common.set(key, { ...shared, key, how_many: 0 });
  const { rows: stored } = await sql<{ id: string; key: string }>`
    insert into common_issues as common (report_id, kind, key, how_many, ${names(columns)})
    select ${reportId}::uuid, ${kind}, decode(x.key, 'hex'), x.how_many, ${names(columns, "x")}
    from json_to_recordset(${storableJson([...common.values()])}::json) as x(key text, how_many integer, ${typed(columns, types)})
    order by x.key
    on conflict (report_id, kind, key) do update set how_many = common.how_many + excluded.how_many, updated_at = now()
    returning id, encode(key, 'hex') as key`.execute(trx);
  if (lost.length > 0) {
    await sql`
      update common_issues c set how_many = c.how_many - x.how_many, updated_at = now()
      from json_to_recordset(${JSON.stringify(lost.map((row) => pick(row, ["common_id", "how_many"])))}::json)
        as x(common_id bigint, how_many integer)
      where c.id = x.common_id`.execute(trx);
  }
  return new Map(stored.map(({ key, id }) => [key, id]));
}

/** @returns the issues' ids by page and common issue */
async function insertIssues(
  trx: Kysely<Database>,
  kind: CheckKind,
  reportId: string,
  rows: readonly IssueRow[],
  commonIds: ReadonlyMap<string, string>,
): Promise<Map<string, string>> {
  if (rows.length === 0) return new Map();
  const own = ["web_page_id", "common_id", "how_many", "muted_count", "muting_id", ...columns];
  const all = [...own, "html"];
  const allTypes = ["bigint", "bigint", "integer", "integer", "bigint", ...types, "jsonb"];
  const objects = rows.map((row) => {
    const json = storableJson({ ...pick(row, own), common_id: commonIds.get(row.key) });
    return `${json.slice(0, -1)},"html":${row.html}}`;
  });
  const { rows: stored } = await sql<{ id: string; web_page_id: string; common_id: string }>`
    insert into issues (report_id, kind, ${names(all)})
    select ${reportId}::uuid, ${kind}, ${names(all, "x")}
    from json_to_recordset(${`[${objects.join(",")}]`}::json) as x(${typed(all, allTypes)})
    returning id, web_page_id, common_id`.execute(trx);
  return new Map(stored.map(({ id, web_page_id, common_id }) => [`${web_page_id} ${common_id}`, id]));
}

function sharedColumns({ issue_type, rule, message, help_url, impact, outside_standard, tags }: Issue) {
  const impact_order = impactOrder(impact);
  return { issue_type, rule, message, help_url, impact_order, outside_standard: outside_standard ?? false, tags };
}

/** The digest of what makes issues of a kind the same, in hex. */
function commonKey(kind: CheckKind, issue: ReturnType<typeof sharedColumns>): string {
  // Computed from the text as stored: texts that differ only in characters that cannot be stored are the same.
  const parts = storableJson(manifestOf(kind).commonBy.map((column) => issue[column]));
  return createHash("sha256").update(parts).digest("hex").slice(0, 32);
}

function pick(row: Record<string, unknown>, columns: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(columns.map((column) => [column, row[column]]));
}

const names = (columns: readonly string[], table?: string): RawBuilder<unknown> =>
  sql.join(columns.map((column) => sql.ref(table ? `${table}.${column}` : column)));
const typed = (columns: readonly string[], types: readonly string[]): RawBuilder<unknown> =>
  sql.join(columns.map((column, i) => sql`${sql.ref(column)} ${sql.raw(types[i] ?? "text")}`));

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
  fault: string | null;
  cause: string;
  how_many: number;
  repaired: number;
  consequences: number;
  muting_id: string | null;
};

/** Bytes of a finding in the database, with its indexes, besides its selector. */
const FINDING_BYTES = 430;

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
      impact_order, outside_standard, tag, path, selector, fingerprint, component, fault, cause, how_many, repaired, consequences,
      muting_id)
    select ${reportId}::uuid, ${kind}, ${now}, web_page_id, issue_id, rule, issue_type,
      impact_order, outside_standard, decode(tag, 'hex'), decode(path, 'hex'), selector, decode(fingerprint, 'hex'),
      decode(component, 'hex'), decode(fault, 'hex'), decode(cause, 'hex'), how_many, repaired, consequences,
      muting_id
    from json_to_recordset(${storableJson(byIssue(rows))}::json) as issue(
        web_page_id bigint, issue_id bigint, rule text, issue_type text, impact_order smallint,
        outside_standard boolean, findings json),
      json_to_recordset(findings) as finding(
        tag text, path text, selector text, fingerprint text, component text, fault text, cause text,
        how_many integer, repaired integer, consequences integer, muting_id bigint)
  `.execute(trx);
}

const ownColumns = [
  "tag",
  "path",
  "selector",
  "fingerprint",
  "component",
  "fault",
  "cause",
  "how_many",
  "repaired",
  "consequences",
  "muting_id",
];

/** Groups rows, so that what all findings of an issue share is sent once: an issue may have hundreds of them. */
function byIssue(rows: readonly FindingRow[]) {
  return [...Map.groupBy(rows, ({ issue_id }) => issue_id).values()].map((ofIssue) => {
    const [{ web_page_id, issue_id, rule, issue_type, impact_order, outside_standard }] = ofIssue as [FindingRow];
    const findings = ofIssue.map((finding) => pick(finding, ownColumns));
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

function findingRow(finding: Finding, { issueId, webPageId, mutingId, issue }: IssueOfFinding): FindingRow {
  const { rule, fingerprint, component, fault, cause, element, howMany, repaired, consequences } = finding;
  return {
    web_page_id: webPageId,
    issue_id: issueId,
    muting_id: mutingId,
    rule,
    fingerprint,
    component,
    fault,
    cause,
    repaired,
    consequences,
    tag: element?.tag ?? null,
    path: element?.path ?? null,
    how_many: howMany,
    selector: element?.selector ?? null,
    issue_type: issue.issue_type,
    impact_order: impactOrder(issue.impact),
    outside_standard: issue.outside_standard === true,
  };
}
