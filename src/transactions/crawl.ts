import type { Kysely, Transaction } from "kysely";
import { writeAnswers } from "../database/crawl/answers.ts";
import {
  type CrawlBatch,
  type CrawlEnd,
  CrawlGoneError,
  countCrawled,
  emptyBatch,
  excludeFrontier,
  markCrawlEnded,
  writeExclusions,
  writeFrontier,
  writePages,
} from "../database/crawl/crawl.ts";
import { deleteSeenLinks, writeInboundLinks, writeSeenLinks } from "../database/crawl/inbound-links.ts";
import { writeNotices } from "../database/crawl/notices.ts";
import type { Database } from "../database/tables.ts";
import type { CheckKind } from "../domain/findings/findings.ts";

/** Marks the crawl as begun before its first page, so that the report's phase shows it. @throws CrawlGoneError */
export async function beginCrawl(db: Kysely<Database>, reportId: string): Promise<void> {
  await storeBatch(db, reportId, [], emptyBatch());
}

/** Stores a batch; repeating it has no effect. @throws CrawlGoneError */
export async function storeBatch(
  db: Kysely<Database>,
  reportId: string,
  kinds: readonly CheckKind[],
  batch: CrawlBatch,
): Promise<void> {
  await db.transaction().execute((trx) => writeBatch(trx, reportId, kinds, batch));
}

/** Stores the last batch, excludes the rest of the frontier, and ends the crawl. @throws CrawlGoneError */
export async function endCrawl(
  db: Kysely<Database>,
  reportId: string,
  kinds: readonly CheckKind[],
  batch: CrawlBatch,
  end: CrawlEnd,
): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await writeBatch(trx, reportId, kinds, batch);
    await deleteSeenLinks(trx, reportId);
    const { bytes, left } = await excludeFrontier(trx, reportId, end.maxExcluded);
    // The list of excluded URLs may be full: that the limit ended the crawl is said nevertheless, with the number.
    if (left > 0) await writeNotices(trx, reportId, [{ code: "page_limit", url: "", howMany: left, detail: "" }]);
    await markCrawlEnded(trx, reportId, end, bytes);
  });
}

async function writeBatch(
  trx: Transaction<Database>,
  reportId: string,
  kinds: readonly CheckKind[],
  { frontier, excluded, notices, pages, inbound, seen, answers, startFailure, startForms, siteOrigin }: CrawlBatch,
): Promise<void> {
  await writeFrontier(trx, reportId, frontier);
  const excludedBytes = await writeExclusions(trx, reportId, excluded);
  await writeNotices(trx, reportId, notices);
  const answerBytes = await writeAnswers(trx, reportId, answers);
  const seenBytes = await writeSeenLinks(trx, reportId, seen);
  const inboundBytes = await writeInboundLinks(trx, reportId, inbound);
  const { bytes, ...numbers } = await writePages(trx, reportId, kinds, pages);
  // The report's row and its counters come last: checkers lock in the same order, and they are locked only for a short time.
  const added = excludedBytes + answerBytes + seenBytes + inboundBytes + bytes;
  const crawled = {
    ...numbers,
    bytes: added,
    startFailure,
    ...(startForms && { startForms }),
    ...(siteOrigin && { siteOrigin }),
  };
  if (!(await countCrawled(trx, reportId, crawled))) throw new CrawlGoneError();
}
