import type { Outcome } from "./apply-outcome.ts";
import type { Entry } from "./frontier.ts";

/** Answers that wait for an earlier one; beyond these, in number or in bytes, the Spider waits too. */
const MAX_WAITING_OUTCOMES = 64;
const MAX_WAITING_BYTES = 24_000_000;

type Visit = { entry: Entry; outcome: Promise<Outcome>; over: boolean; length: number };

/** Visits under way or waiting to be settled, in the order begun. */
export type Visits = {
  readonly size: number;
  /** True when another visit may begin. */
  hasRoom(concurrency: number): boolean;
  begin(entry: Entry, outcome: Promise<Outcome>): void;
  /** The outcome of a visit that is not settled yet. */
  outcomeOf(url: string): Promise<Outcome> | undefined;
  /** The oldest visit. */
  first(): Visit | undefined;
  /** Resolves when any visit is over. */
  anyOver(): Promise<void>;
  /** Forgets the oldest visit. */
  shift(): void;
};

export function createVisits(): Visits {
  const visits: Visit[] = [];
  const byUrl = new Map<string, Visit>();
  let running = 0;
  let length = 0;
  let wake = (): void => {};
  return {
    get size() {
      return visits.length;
    },
    hasRoom: (concurrency) =>
      running < concurrency && visits.length < MAX_WAITING_OUTCOMES && length < MAX_WAITING_BYTES,
    begin(entry, outcome) {
      const visit: Visit = { entry, outcome, over: false, length: 0 };
      visits.push(visit);
      byUrl.set(entry.url, visit);
      running++;
      const done = (result?: Outcome): void => {
        running--;
        visit.over = true;
        visit.length = result && "page" in result ? (result.page.source?.body.length ?? 0) : 0;
        length += visit.length;
        wake();
      };
      // A rejection is met where the outcome is awaited.
      outcome.then(done, () => done());
    },
    outcomeOf: (url) => byUrl.get(url)?.outcome,
    first: () => visits[0],
    anyOver: () =>
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
