import type { Pace } from "../domain/scope/pace.ts";
import type { Entry } from "./frontier.ts";
import type { FetchOutcome, FetchResult } from "./handle-fetch-outcome.ts";

/** A finished visit waits until earlier ones are handled. Beyond this many visits or bytes, no new visit starts. */
const MAX_WAITING_OUTCOMES = 64;
const MAX_WAITING_BYTES = 24_000_000;
/** While a sitemap is read, which may have 50 MB, no visit starts beyond this many. */
const MAX_BESIDE_SITEMAPS = 2;

type Visit = { entry: Entry; outcome: Promise<FetchOutcome>; finished: boolean; length: number };

/** Visits that are running or whose outcome is not handled yet, in the order of their start. */
export type Visits = {
  readonly size: number;
  /** True when another visit may begin. */
  hasRoom(concurrency: number): boolean;
  begin(entry: Entry, outcome: Promise<FetchOutcome>): void;
  /** The outcome of a visit that is not handled yet. */
  outcomeOf(url: string): Promise<FetchOutcome> | undefined;
  /** The oldest visit. */
  first(): Visit | undefined;
  /** Resolves when any visit finishes. */
  anyFinished(): Promise<void>;
  /** Removes the oldest visit. */
  shift(): void;
};

/** @param pace learns how long the site takes, and limits how much it is asked at once */
export function createVisits(pace?: Pace): Visits {
  const visits: Visit[] = [];
  const byUrl = new Map<string, Visit>();
  let running = 0;
  let length = 0;
  let wake = (): void => {};
  const readsSitemap = (): boolean => visits.some(({ entry, finished }) => entry.depth < 0 && !finished);
  return {
    get size() {
      return visits.length;
    },
    hasRoom: (concurrency) =>
      running <
        Math.min(concurrency, pace?.limit() ?? concurrency, readsSitemap() ? MAX_BESIDE_SITEMAPS : concurrency) &&
      visits.length < MAX_WAITING_OUTCOMES &&
      length < MAX_WAITING_BYTES,
    begin(entry, outcome) {
      const visit: Visit = { entry, outcome, finished: false, length: 0 };
      visits.push(visit);
      byUrl.set(entry.url, visit);
      running++;
      const done = (result?: FetchOutcome): void => {
        const ms = result && ("page" in result ? result.page.fetchMs : "error" in result ? result.fetchMs : undefined);
        if (ms !== undefined) pace?.note(ms, running);
        running--;
        visit.finished = true;
        visit.length = result && "page" in result ? lengthOf(result.page) : 0;
        length += visit.length;
        wake();
      };
      // A rejection is handled where the outcome is awaited.
      outcome.then(done, () => done());
    },
    outcomeOf: (url) => byUrl.get(url)?.outcome,
    first: () => visits[0],
    anyFinished: () =>
      new Promise((resolve) => {
        wake = resolve;
      }),
    shift() {
      const visit = visits.shift();
      if (!visit) return;
      byUrl.delete(visit.entry.url);
      length -= visit.length;
    },
  };
}

/** Roughly how much memory a page takes, in bytes. */
function lengthOf({ source, links, sitemaps = [] }: FetchResult): number {
  return [...links, ...sitemaps].reduce((sum, { length }) => sum + length, source?.body.length ?? 0);
}
