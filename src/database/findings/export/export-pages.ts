import { type Kysely, sql } from "kysely";
import {
  type ExportedCheck,
  type ExportedFinding,
  type ExportedPage,
  ReportChangedError,
} from "../../../domain/export/exported.ts";
import { type CheckKind, checkKinds } from "../../../domain/findings/findings.ts";
import type { Database } from "../../tables.ts";
import { planForParts } from "../plan-for-parts.ts";
import { exportedFindings } from "./exported-findings.ts";
import { type ExportQuery, readIssues } from "./read-issues.ts";

const PAGES_AT_ONCE = 200;
/** Bytes of issues that are read at once, unless a single page has more. */
const BYTES_AT_ONCE = 2_000_000;

type PageRow = { id: string; url: string; checks: (ExportedCheck & { bytes: number })[] };

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
    const pages = await readPages(db, reportId, kinds, last);
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
): Promise<PageRow[]> {
  const { rows } = await sql<PageRow>`
    select p.id, p.url, (
      select coalesce(json_agg(json_build_object('kind', c.kind, 'status', c.status, 'failure_code', c.failure_code,
        'failure_detail', c.failure_detail, 'bytes', c.stored_bytes) order by array_position(array[${sql.join(kinds)}], c.kind)), '[]')
      from checks c where c.web_page_id = p.id and c.kind in (${sql.join(kinds)})
    ) as checks
    from web_pages p where p.report_id = ${reportId} and p.id > ${after}::bigint
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
  return pages.map(({ id, url, checks }) => ({ url, checks, findings: findings.get(id) ?? [] }));
}
