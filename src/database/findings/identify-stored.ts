import { type Kysely, sql } from "kysely";
import { type A11yIssue, type CheckKind, checkKinds, type HtmlIssue } from "../../domain/findings/findings.ts";
import { elementKey } from "../../domain/identity/element-key.ts";
import { identifyIssue } from "../../domain/identity/identify-issue.ts";
import { pageKey } from "../../domain/identity/page-key.ts";
import { describeStartTag } from "../../domain/identity/start-tag.ts";
import { type BatchSizes, inBatches } from "../batches.ts";
import { continueOnFailure, type OnFailure } from "../connection/continue-on-failure.ts";
import type { Database } from "../tables.ts";
import { findingRow, insertFindings } from "./insert-findings.ts";
import { planForParts } from "./plan-for-parts.ts";

/** Checks per transaction: a page may have thousands of findings. */
const checksAtOnce: BatchSizes = { first: 5, most: 20 };

type StoredElement = (HtmlIssue["html"] | A11yIssue["html"])[number];
type StoredIssue = { id: string; webPageId: string; url: string; mutingId: string | null; at: Date } & (
  | HtmlIssue
  | A11yIssue
);

/**
 * Identifies the findings of checks that a program of an earlier version ended. It stored the source of each element
 * only, so these findings are identified by their start tags, not by their places.
 *
 * @param signal stops between two transactions; the next call continues
 */
export async function identifyStored(db: Kysely<Database>, reportId: string, signal?: AbortSignal): Promise<void> {
  for (const kind of checkKinds)
    await inBatches(checksAtOnce, (size) => identifyBatch(db, reportId, kind, size), signal);
}

/**
 * The same for every report that has such findings, each once.
 *
 * @param onFailure called with the id of each report whose findings cannot be identified, and the error
 */
export async function identifyAllStored(
  db: Kysely<Database>,
  signal: AbortSignal,
  onFailure: OnFailure,
): Promise<void> {
  for (let last: string | undefined; !signal.aborted; ) {
    const next = await findUnidentified(db, last);
    if (next === undefined) return;
    last = next;
    await continueOnFailure(next, onFailure, () => identifyStored(db, next, signal));
  }
}

/**
 * A report with findings that have no identity yet.
 *
 * @param after the id of a report; only those with a higher one
 */
export async function findUnidentified(db: Kysely<Database>, after?: string): Promise<string | undefined> {
  const { rows } = await sql<{ id: string }>`
    select report_id as id from checks
    where status = 'checked' and identified_at is distinct from finished_at
      and ${after === undefined ? sql`true` : sql`report_id > ${after}`}
    order by report_id limit 1`.execute(db);
  return rows[0]?.id;
}

async function identifyBatch(db: Kysely<Database>, reportId: string, kind: CheckKind, size: number): Promise<number> {
  return db.transaction().execute(async (trx) => {
    await planForParts(trx);
    const { rows: checks } = await sql<{ id: string; web_page_id: string }>`
      select id, web_page_id from checks
      where report_id = ${reportId} and kind = ${kind} and status = 'checked'
        and identified_at is distinct from finished_at
      order by web_page_id limit ${size} for update`.execute(trx);
    if (checks.length === 0) return 0;
    const pages = checks.map(({ web_page_id }) => web_page_id);
    // Not by report: that would read all of its findings for each batch.
    await sql`delete from findings where kind = ${kind} and web_page_id = any(${pages}::bigint[])`.execute(trx);
    const issues = await readIssues(trx, kind, pages);
    const byTime = Map.groupBy(issues, ({ at }) => at.getTime());
    for (const [time, found] of byTime)
      await insertFindings(
        trx,
        kind,
        reportId,
        found.flatMap((issue) => rowsOf(kind, issue)),
        new Date(time),
      );
    await sql`update checks set identified_at = finished_at
      where id = any(${checks.map(({ id }) => id)}::bigint[])`.execute(trx);
    return checks.length;
  });
}

async function readIssues(trx: Kysely<Database>, kind: CheckKind, pages: readonly string[]): Promise<StoredIssue[]> {
  const { rows } = await sql<StoredIssue>`
    select i.*, i.web_page_id as "webPageId", w.url, i.muting_id as "mutingId", c.finished_at as at
    from ${sql.table(`${kind}_issues`)} i
    join web_pages w on w.id = i.web_page_id
    join checks c on c.web_page_id = i.web_page_id and c.kind = ${kind}
    where i.web_page_id = any(${[...pages]}::bigint[])`.execute(trx);
  return rows;
}

function rowsOf(kind: CheckKind, { id, webPageId, url, mutingId, at: _, ...issue }: StoredIssue) {
  const origin = URL.parse(url)?.origin ?? "";
  const html = issue.html.map((element) => ({ ...element, element: keyOf(element, origin) }));
  const { findings } = identifyIssue(kind, { ...issue, html } as HtmlIssue | A11yIssue, pageKey(url));
  return findings.map((finding) => findingRow(finding, { issue, issueId: id, webPageId, mutingId }));
}

function keyOf(element: StoredElement, origin: string) {
  const { extract } = element;
  const source =
    "coordinates" in element
      ? extract.slice(
          element.coordinates.hilite_start,
          element.coordinates.hilite_start + element.coordinates.hilite_length,
        )
      : extract;
  const tag = describeStartTag(source);
  return tag ? elementKey({ ...tag, ancestors: [] }, origin) : null;
}
