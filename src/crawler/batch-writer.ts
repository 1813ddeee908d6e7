import type { Kysely } from "kysely";
import { type CrawlEnd, endCrawl, storeBatch } from "../database/crawl/crawl.ts";
import type { Database } from "../database/tables.ts";
import type { CheckKind } from "../domain/findings.ts";
import { type Frontier, takeBatch } from "./frontier.ts";

/** A batch is written when it has this many pages, … */
const PAGES = 50;
/** … or when its first change is this old. */
const DELAY_MS = 200;
/** With so many pages on their way to the database the crawl waits: memory is bounded. */
const MAX_PAGES = 200;
const MAX_SOURCE_BYTES = 12_000_000;
/** The same for URLs: a page may have fifty thousand links. */
const URLS = 2_000;
const MAX_URLS = 20_000;

/** Runs a statement or transaction on the crawl's own session, again when the connection was lost. */
export type RunInSession = <T>(operation: (db: Kysely<Database>) => Promise<T>) => Promise<T>;

export type BatchWriter = {
  /** To be called after every change of the frontier; resolves when more may follow. @throws what writing threw */
  changed(): Promise<void>;
  /** Writes what is left. */
  flush(): Promise<void>;
  /** Writes what is left and ends the crawl. */
  end(end: CrawlEnd): Promise<void>;
};

/** Writes a frontier's changes in the background, one batch at a time. */
export function createBatchWriter(
  frontier: Frontier,
  options: { reportId: string; kinds: readonly CheckKind[]; run: RunInSession },
): BatchWriter {
  const { reportId, kinds, run } = options;
  let writing: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let failure: unknown;
  /** When the last batch was begun: a change after a quiet time is written at once. */
  let last = 0;

  const write = (): void => {
    clearTimeout(timer);
    timer = undefined;
    if (writing || isEmpty(frontier)) return;
    last = performance.now();
    const batch = takeBatch(frontier);
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
    if (frontier.batch.pages.length >= PAGES || frontier.changed.size >= URLS) write();
    else timer ??= setTimeout(write, Math.max(0, last + DELAY_MS - performance.now()));
  };

  const drain = async (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    await writing;
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
      const batch = takeBatch(frontier);
      await run((db) => endCrawl(db, reportId, kinds, batch, end));
    },
  };
}

function isEmpty({ batch, changed }: Frontier): boolean {
  return batch.pages.length === 0 && batch.excluded.length === 0 && changed.size === 0 && !batch.startFailure;
}

function isFull({ batch, changed, pendingBytes }: Frontier): boolean {
  return batch.pages.length >= MAX_PAGES || changed.size >= MAX_URLS || pendingBytes >= MAX_SOURCE_BYTES;
}
