import type { Kysely } from "kysely";
import type { CrawlBatch, CrawlEnd } from "../database/crawl/crawl.ts";
import type { Database } from "../database/tables.ts";
import type { CheckKind } from "../domain/findings/findings.ts";
import type { Mask } from "../domain/sign-in/known-secrets.ts";
import { endCrawl, storeBatch } from "../transactions/crawl.ts";
import { type Frontier, takeBatch } from "./frontier.ts";

/** A batch is written when it has this many pages … */
const BATCH_PAGES = 50;
/** … or this long after the previous batch. */
const BATCH_DELAY_MS = 200;
/** The crawl waits while this many pages are not yet stored. This bounds memory. */
const MAX_PAGES = 200;
const MAX_SOURCE_BYTES = 12_000_000;
/** The same two limits for URLs: a page may have fifty thousand links. */
const BATCH_URLS = 2_000;
const MAX_URLS = 20_000;
/** And for the links to them. */
const MAX_LINKS = 200_000;

/** Runs a statement or transaction on the crawl's own session; repeats it after a lost connection. */
export type RunInSession = <T>(operation: (db: Kysely<Database>) => Promise<T>) => Promise<T>;

export type BatchWriter = {
  /**
   * Call it after every change of the frontier. Resolves when the next change may follow.
   *
   * @throws the error of a failed write
   */
  changed(): Promise<void>;
  /** Writes the remaining changes. */
  flush(): Promise<void>;
  /** Writes the remaining changes and ends the crawl in the same transaction. */
  end(end: CrawlEnd): Promise<void>;
};

/** Writes a frontier's changes in the background, one batch at a time. */
export function createBatchWriter(
  frontier: Frontier,
  options: { reportId: string; kinds: readonly CheckKind[]; run: RunInSession; mask?: Mask },
): BatchWriter {
  const { reportId, kinds, run, mask = (value) => value } = options;
  let writing: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let failure: unknown;
  /** When the last write started. A change long after that is written at once. */
  let last = 0;

  const write = (): void => {
    clearTimeout(timer);
    timer = undefined;
    if (writing || isEmpty(frontier)) return;
    last = performance.now();
    const batch = masked(takeBatch(frontier), mask);
    writing = run((db) => storeBatch(db, reportId, kinds, batch))
      .catch((error: unknown) => {
        failure ??= error;
      })
      .finally(() => {
        writing = undefined;
        if (failure === undefined) schedule();
      });
  };

  const schedule = (): void => {
    if (writing || isEmpty(frontier)) return;
    if (frontier.batch.pages.length >= BATCH_PAGES || frontier.changed.size >= BATCH_URLS) write();
    else timer ??= setTimeout(write, Math.max(0, last + BATCH_DELAY_MS - performance.now()));
  };

  const drain = async (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    // The end of a write may start the next one.
    while (writing) await writing;
    clearTimeout(timer);
    timer = undefined;
    if (failure !== undefined) throw failure;
  };

  return {
    async changed() {
      if (failure !== undefined) throw failure;
      schedule();
      while (writing && isFull(frontier)) await writing;
      if (failure !== undefined) throw failure;
    },
    async flush() {
      await drain();
      write();
      await drain();
    },
    async end(end) {
      await drain();
      const batch = masked(takeBatch(frontier), mask);
      await run((db) => endCrawl(db, reportId, kinds, batch, mask(end)));
    },
  };
}

/** Without known secrets in what people read. Addresses of pages stay as they are: they are requested again. */
function masked(batch: CrawlBatch, mask: Mask): CrawlBatch {
  const withFailure = <Item extends { failure?: unknown }>(item: Item): Item =>
    item.failure ? { ...item, failure: mask(item.failure) } : item;
  return {
    ...batch,
    excluded: batch.excluded.map((one) => ({ ...one, url: mask(one.url) })),
    notices: mask(batch.notices),
    pages: batch.pages.map((page) => withFailure(page.title ? { ...page, title: mask(page.title) } : page)),
    answers: batch.answers.map(withFailure),
    startFailure: mask(batch.startFailure),
  };
}

function isEmpty({ batch, changed, inbound }: Frontier): boolean {
  return (
    batch.pages.length === 0 &&
    batch.excluded.length === 0 &&
    batch.notices.length === 0 &&
    changed.size === 0 &&
    inbound.pending === 0 &&
    !batch.startFailure
  );
}

function isFull({ batch, changed, inbound, pendingBytes }: Frontier): boolean {
  const isMany = batch.pages.length >= MAX_PAGES || changed.size >= MAX_URLS || inbound.pending >= MAX_LINKS;
  return isMany || pendingBytes >= MAX_SOURCE_BYTES;
}
