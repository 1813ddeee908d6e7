import { type Kysely, sql } from "kysely";
import type { Folder } from "../../domain/addresses/section.ts";
import {
  type ExportedCheck,
  type ExportedFinding,
  type ExportedPage,
  ReportChangedError,
} from "../../domain/export/exported.ts";
import { type ExportedIssue, exportedFindings } from "../../domain/export/exported-findings.ts";
import type { FindingState } from "../../domain/findings/finding-state.ts";
import { type CheckKind, checkKinds, type Impact, impactOrder } from "../../domain/findings/findings.ts";
import type { Role } from "../../domain/findings/role.ts";
import { planForParts } from "../connection/statements.ts";
import { inFolder } from "../reports/folders.ts";
import type { Database } from "../tables.ts";
import { causeOfFinding } from "./causes.ts";
import { faultOfFinding } from "./faults.ts";
import { roleOfFinding } from "./roles.ts";

const PAGES_AT_ONCE = 200;
/** Bytes of issues that are read at once, unless a single page has more. */
const BYTES_AT_ONCE = 2_000_000;

type PageRow = { id: string; url: string; title: string | null; checks: (ExportedCheck & { bytes: number })[] };

/**
 * The pages of a report in the order in which they were found, with their findings. They are read in parts, so that
 * memory is limited and no connection is held while a client reads.
 *
 * @throws ReportChangedError when the report or its comparison is gone before the last page was read
 */
export async function* exportPages(
  db: Kysely<Database>,
  reportId: string,
  query: ExportQuery,
): AsyncGenerator<ExportedPage> {
  const comparisonId = await ownComparison(db, reportId);
  // A report that is queued has no row yet.
  if (comparisonId === undefined) return;
  const kinds = query.kind ? [query.kind] : checkKinds;
  for (let last = "0"; ; ) {
    const pages = await readPages(db, reportId, kinds, last, query.folder);
    for (const part of inParts(pages)) yield* await readPart(db, part, { ...query, comparisonId });
    // Rows of deleted reports and comparisons may be purged while this reads.
    const now = await ownComparison(db, reportId);
    if (now === undefined || (comparisonId !== null && now !== comparisonId)) throw new ReportChangedError();
    const next = pages.at(-1)?.id;
    if (next === undefined || pages.length < PAGES_AT_ONCE) return;
    last = next;
  }
}

/** @returns undefined when there is no such report, or it is deleted */
async function ownComparison(db: Kysely<Database>, reportId: string): Promise<string | null | undefined> {
  const row = await db
    .selectFrom("reports")
    .select("comparison_id")
    .where("id", "=", reportId)
    .where("deleted_at", "is", null)
    .executeTakeFirst();
  return row?.comparison_id;
}

async function readPages(
  db: Kysely<Database>,
  reportId: string,
  kinds: readonly CheckKind[],
  after: string,
  folder: Folder | undefined,
): Promise<PageRow[]> {
  const { rows } = await sql<PageRow>`
    select p.id, p.url, p.title, (
      select coalesce(json_agg(json_build_object('kind', c.kind, 'status', c.status, 'failure_code', c.failure_code,
        'failure_detail', c.failure_detail, 'bytes', c.stored_bytes) order by array_position(array[${sql.join(kinds)}], c.kind)), '[]')
      from checks c where c.web_page_id = p.id and c.kind in (${sql.join(kinds)})
    ) as checks
    from web_pages p where p.report_id = ${reportId} and p.id > ${after}::bigint
      and ${folder ? inFolder("p", folder) : sql`true`}
    order by p.id limit ${PAGES_AT_ONCE}`.execute(db);
  return rows;
}

/** Splits pages into parts whose issues may be read together, in order. */
function inParts(pages: readonly PageRow[]): PageRow[][] {
  const parts: PageRow[][] = [];
  let bytes = 0;
  for (const page of pages) {
    const own = page.checks.reduce((sum, check) => sum + check.bytes, 0);
    const part = parts.at(-1);
    if (part && bytes + own <= BYTES_AT_ONCE) part.push(page);
    else {
      parts.push([page]);
      bytes = 0;
    }
    bytes += own;
  }
  return parts;
}

async function readPart(
  db: Kysely<Database>,
  pages: readonly PageRow[],
  query: ExportQuery & { comparisonId: string | null },
): Promise<ExportedPage[]> {
  const findings = new Map<string, ExportedFinding[]>(pages.map(({ id }) => [id, []]));
  await db.transaction().execute(async (trx) => {
    await planForParts(trx);
    for (const issue of await readIssues(trx, [...findings.keys()], query))
      findings.get(issue.web_page_id)?.push(...exportedFindings(issue));
  });
  return pages.map(({ id, url, title, checks }) => ({ url, title, checks, findings: findings.get(id) ?? [] }));
}

/** Which findings are exported. */
export type ExportQuery = {
  kind?: CheckKind | undefined;
  rule?: string | undefined;
  issueType?: "error" | "warning" | undefined;
  impact?: Impact | undefined;
  state?: FindingState | undefined;
  folder?: Folder | undefined;
  role?: Role | undefined;
  /** The muted ones instead of the others, or any. */
  muted: boolean | "any";
  /** Whether the reader owns the report, and so may see why its mutings exist. */
  owned?: boolean | undefined;
};

/** The issues of some pages of a report, by page. */
async function readIssues(
  db: Kysely<Database>,
  pageIds: readonly string[],
  {
    kind,
    rule,
    issueType,
    impact,
    state,
    role,
    muted,
    owned = false,
    comparisonId,
  }: ExportQuery & { comparisonId: string | null },
): Promise<ExportedIssue[]> {
  const conditions = [
    sql`f.web_page_id = any(${[...pageIds]}::bigint[])`,
    ...(muted === "any" ? [] : [muted ? sql`f.muting_id is not null` : sql`f.muting_id is null`]),
    ...(kind === undefined ? [] : [sql`f.kind = ${kind}`]),
    ...(rule === undefined ? [] : [sql`f.rule = ${rule}`]),
    ...(issueType === undefined ? [] : [sql`f.issue_type = ${issueType}`]),
    ...(impact === undefined ? [] : [sql`f.impact_order = ${impactOrder(impact)}`]),
    ...(state === undefined ? [] : [sql`c.state = ${state}`]),
    ...(role === undefined ? [] : [sql`${roleOfFinding} = ${role}`]),
  ];
  const { rows } = await sql<ExportedIssue>`
    with found as (
      select f.issue_id, json_agg(json_build_object(
        'fingerprint', encode(f.fingerprint, 'hex'), 'component', encode(f.component, 'hex'),
        'fault', encode(${faultOfFinding}, 'hex'), 'cause', encode(${causeOfFinding}, 'hex'),
        'selector', f.selector, 'rule', f.rule, 'issue_type', f.issue_type, 'outside_standard', f.outside_standard,
        'impact_order', f.impact_order, 'how_many', coalesce(c.how_many, f.how_many), 'state', c.state, 'role', ${roleOfFinding},
        'muting', case when f.muting_id is not null then json_build_object('id', f.muting_id::text,
          'reason', coalesce(case when ${owned} then m.reason end, m.comment)) end,
        'first_seen_at', extract(epoch from coalesce(c.first_seen_at, f.found_at))
      ) order by f.id, c.state) as findings
      from findings f
      left join mutings m on m.id = f.muting_id
      left join compared_findings c on c.comparison_id = ${comparisonId}::bigint and c.finding_id = f.id
      where ${sql.join(conditions, sql` and `)}
      group by 1
    )
    select i.web_page_id, i.kind, p.url, i.message, i.help_url, i.tags, i.html, found.findings
    from found join issues i on i.id = found.issue_id
    join web_pages p on p.id = i.web_page_id
    order by i.web_page_id, array_position(array[${sql.join(checkKinds)}], i.kind), i.id`.execute(db);
  return rows;
}
