import type { Kysely } from "kysely";
import { type BatchSizes, inBatches } from "../database/batches.ts";
import { continueOnFailure, type OnFailure } from "../database/connection/errors.ts";
import { deleteSeenLinks } from "../database/crawl/inbound-links.ts";
import {
  deleteReportRow,
  deleteSome,
  deleteSources,
  findDeletedReport,
  listFrontiers,
  listLostComparisons,
  listPageIds,
  type Purged,
  type WatchedNamespaces,
} from "../database/reports/purge.ts";
import { deleteLostSessions } from "../database/reports/site-sessions.ts";
import type { Database } from "../database/tables.ts";

/** Of rows that nothing depends on. */
const singleRows: BatchSizes = { first: 500, most: 5_000 };
/** Of rows with which others are deleted, or that are large. */
const heavyRows: BatchSizes = { first: 50, most: 1_000 };

/** Pages whose rows the same statements look for: each passes over those that the statements before it have deleted. */
const PAGES_AT_ONCE = 100;

/** What a page has, in an order in which no row takes others with it. */
const ofPages: readonly (readonly [table: keyof Database, sizes: BatchSizes])[] = [
  ["findings", singleRows],
  ["issues", singleRows],
  ["page_sources", heavyRows],
  ["page_references", heavyRows],
  ["raw_checks", heavyRows],
  ["reusable_outcomes", heavyRows],
  ["screenshots", heavyRows],
];

/** What a report has besides. Pages come last: as long as there are some, the rest may be there, too. */
const ofReport: readonly (readonly [table: keyof Database, key: Purged["column"], sizes: BatchSizes])[] = [
  ["excluded_urls", "report_id", singleRows],
  ["report_notices", "report_id", singleRows],
  ["inbound_links", "report_id", singleRows],
  ["seen_links", "report_id", heavyRows],
  ["answers", "report_id", singleRows],
  ["frontier", "report_id", singleRows],
  ["components", "report_id", singleRows],
  ["element_counts", "report_id", singleRows],
  ["rule_pages", "report_id", singleRows],
  ["page_sums", "report_id", singleRows],
  ["common_issues", "report_id", singleRows],
  ["comparisons", "report_id", { first: 1, most: 50 }],
  ["comparisons", "base_id", { first: 1, most: 50 }],
  ["checks", "report_id", singleRows],
  ["web_pages", "report_id", singleRows],
];

/**
 * Deletes what only running reports need, in many short transactions: frontiers of crawls that have ended, and page
 * sources of reports that have ended. A page that is checked again later is fetched again. Also deletes the findings'
 * states of comparisons that are gone.
 *
 * @param signal stops between two transactions; the next call continues
 * @param onFailure called with the id of each report whose frontier and of each comparison that cannot be deleted, and if
 *   the sources cannot be, and with the error
 * @returns how many rows are gone
 */
export async function purgeWorkingRows(
  db: Kysely<Database>,
  signal: AbortSignal,
  onFailure?: OnFailure,
): Promise<number> {
  let purged = 0;
  const deleteAll = (id: string, sizes: BatchSizes, deleteSized: (size: number) => Promise<number>) =>
    continueOnFailure(id, onFailure, async () => {
      purged += await inBatches(sizes, deleteSized, signal);
    });
  for (const report of await listFrontiers(db)) {
    const ofReport = { column: "report_id", ids: [report] } as const;
    // The frontier comes last, because it is what reports are found by.
    await deleteAll(report, heavyRows, (size) => deleteSeenLinks(db, report, size));
    await deleteAll(report, singleRows, (size) => deleteSome(db, "frontier", ofReport, size));
  }
  await continueOnFailure("site_sessions", onFailure, async () => {
    purged += await deleteLostSessions(db);
  });
  await deleteAll("page_sources", heavyRows, (size) => deleteSources(db, size));
  for (const comparison of await listLostComparisons(db)) {
    const ofComparison = { column: "comparison_id", ids: [comparison] } as const;
    await deleteAll(comparison, singleRows, (size) => deleteSome(db, "compared_findings", ofComparison, size));
  }
  return purged;
}

/**
 * Deletes the rows of reports that were marked deleted before `before`, in many short
 * transactions: a report may have a million pages, and other reports are written meanwhile.
 *
 * @param signal stops between two transactions; the next call continues
 * @param options.onFailure called with the id of each report that cannot be purged, and the error
 * @param options.watched the namespaces whose resources the controller deletes, all when left out. In others the
 *   report's own row stays, without its pages: a resource that the API could not delete must not be a new report when
 *   its namespace is watched again.
 * @returns how many reports were purged
 */
export async function purgeDeletedReports(
  db: Kysely<Database>,
  before: Date,
  signal: AbortSignal,
  { onFailure, watched }: { onFailure?: OnFailure | undefined; watched?: WatchedNamespaces } = {},
): Promise<number> {
  let purged = 0;
  const failed: string[] = [];
  while (!signal.aborted) {
    const id = await findDeletedReport(db, before, { failed, watched });
    if (id === undefined) break;
    const done = await continueOnFailure(id, onFailure, async () => {
      if (await purgeReport(db, id, watched, signal)) purged++;
    });
    if (!done) failed.push(id);
  }
  return purged;
}

/**
 * Deletes the rows of a deleted report in many short transactions. How many rows one deletes follows what they cost: the
 * time of each statement is limited, and a page may have thousands of findings.
 *
 * @param watched where the report's own row is deleted, too
 * @returns false when `signal` stopped it before the report was gone
 */
async function purgeReport(
  db: Kysely<Database>,
  id: string,
  watched: WatchedNamespaces,
  signal: AbortSignal,
): Promise<boolean> {
  await purgePages(db, id, signal);
  for (const [table, key, sizes] of ofReport)
    await inBatches(sizes, (size) => deleteSome(db, table, { column: key, ids: [id] }, size), signal);
  if (signal.aborted) return false;
  await deleteReportRow(db, id, watched);
  return true;
}

/** Deletes what the pages have, a few pages at a time: each statement finds its rows by the pages' ids. */
async function purgePages(db: Kysely<Database>, id: string, signal: AbortSignal): Promise<void> {
  for (let last = "0"; !signal.aborted; ) {
    const ids = await listPageIds(db, id, last, PAGES_AT_ONCE);
    const end = ids.at(-1);
    if (end === undefined) return;
    const pages = { column: "web_page_id", ids } as const;
    for (const [table, sizes] of ofPages) await inBatches(sizes, (size) => deleteSome(db, table, pages, size), signal);
    last = end;
  }
}
