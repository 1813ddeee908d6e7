import type { Logger } from "../telemetry/log.ts";

/** Pages whose sources are stored until they are checked. */
export type Sources = { pages: number; bytes: number };

export type BacklogOptions = {
  /** Reads what is stored and not checked yet. */
  read: () => Promise<Sources>;
  /** Rejects when the crawl ends. */
  sleep: (ms: number) => Promise<void>;
  now: () => number;
  log: Logger;
  limits?: Sources;
};

export type Backlog = {
  /**
   * Resolves when the crawl may go on.
   *
   * @param added all sources that this crawler has found so far
   */
  awaitRoom(added: Sources): Promise<void>;
};

/** Enough for the checkers of one report to be busy for minutes. */
const LIMITS: Sources = { pages: 1_000, bytes: 64_000_000 };
/** A waiting crawl goes on at this share of the limits, so that it need not wait again after a few pages. */
const RESUME_SHARE = 0.8;
const POLL_MS = 500;
/** When no check ends for this long, the crawl goes on by STALL_STEP: perhaps there is no checker. */
const STALL_MS = 60_000;
const STALL_STEP: Sources = { pages: 25, bytes: 4_000_000 };

/**
 * Makes a crawl wait for the checks, so that a large site does not fill the database with pages that nobody has
 * looked at. It never waits for ever: without any checker it goes on slowly.
 */
export function createBacklog({ read, sleep, now, log, limits = LIMITS }: BacklogOptions): Backlog {
  /** What was stored when the crawler had added `base`. Since then, checks can only have reduced it. */
  let known: Sources | undefined;
  let base: Sources = { pages: 0, bytes: 0 };
  let allowed = limits;

  const isOver = ({ pages, bytes }: Sources): boolean => pages > allowed.pages || bytes > allowed.bytes;
  const waitForRoom = async (full: Sources): Promise<Sources> => {
    let last = full;
    let since = now();
    log.info("the crawl waits for the checks", last);
    for (;;) {
      await sleep(POLL_MS);
      const current = await read();
      if (current.pages <= limits.pages * RESUME_SHARE && current.bytes <= limits.bytes * RESUME_SHARE) return current;
      if (current.pages < last.pages) since = now();
      else if (now() - since >= STALL_MS) {
        if (!isOver(current)) return current;
        allowed = { pages: current.pages + STALL_STEP.pages, bytes: current.bytes + STALL_STEP.bytes };
        log.info("no check has ended for a while: the crawl goes on slowly", current);
        return current;
      }
      last = current;
    }
  };

  return {
    async awaitRoom({ pages, bytes }) {
      const added = { pages, bytes };
      const estimate = known && { pages: known.pages + pages - base.pages, bytes: known.bytes + bytes - base.bytes };
      if (estimate && !isOver(estimate)) return;
      const current = await read();
      known = isOver(current) ? await waitForRoom(current) : current;
      base = added;
      if (known.pages <= limits.pages && known.bytes <= limits.bytes) allowed = limits;
    },
  };
}
