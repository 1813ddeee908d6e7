import { refuse } from "../response/errors.ts";

/** How many slow requests of one account, or of one address without a token, are handled at once. */
const MAX_OF_CALLER = 2;
/** The same for all callers together: fewer than the pool has connections. */
const MAX_TOTAL = 5;
/** How long a request may wait before it is handled, in milliseconds. */
const MAX_WAIT_MS = 10_000;

type Limits = {
  caller: number;
  total: number;
  waitMs: number;
  /** What is limited, in the plural, for the error's detail. */
  what: string;
};

/** Limits requests that keep the database busy for long, so that all others find a free connection. */
export type ConcurrencyLimit = {
  /**
   * Waits until the request may be handled.
   *
   * @returns a function to call when it has been handled
   * @throws RequestError 429 when it takes too long, or the signal aborts
   */
  take(caller: string, signal: AbortSignal): Promise<() => void>;
};

export function concurrencyLimit(limits: Partial<Limits> = {}): ConcurrencyLimit {
  const { caller: maxOfCaller, total: maxTotal, waitMs, what } = { ...defaults, ...limits };
  const running = new Map<string, number>();
  let total = 0;
  let waiting: { caller: string; start: () => void }[] = [];

  function isFree(caller: string): boolean {
    return total < maxTotal && (running.get(caller) ?? 0) < maxOfCaller;
  }

  function begin(caller: string): () => void {
    running.set(caller, (running.get(caller) ?? 0) + 1);
    total += 1;
    return () => {
      const left = (running.get(caller) ?? 1) - 1;
      if (left > 0) running.set(caller, left);
      else running.delete(caller);
      total -= 1;
      // Of the requests that may run now, the one that has waited longest starts.
      waiting.find((next) => isFree(next.caller))?.start();
    };
  }

  return {
    async take(caller, signal) {
      if (isFree(caller)) return begin(caller);
      return new Promise((resolve, reject) => {
        const leave = () => {
          clearTimeout(timer);
          signal.removeEventListener("abort", giveUp);
          waiting = waiting.filter((other) => other !== own);
        };
        const giveUp = () => {
          leave();
          reject(tooMany(maxOfCaller, what));
        };
        const own = {
          caller,
          start: () => {
            leave();
            resolve(begin(caller));
          },
        };
        const timer = setTimeout(giveUp, waitMs);
        signal.addEventListener("abort", giveUp);
        waiting.push(own);
        if (signal.aborted) giveUp();
      });
    },
  };
}

const defaults: Limits = { caller: MAX_OF_CALLER, total: MAX_TOTAL, waitMs: MAX_WAIT_MS, what: "slow requests" };

function tooMany(maxOfCaller: number, what: string): Error {
  const detail = `No more than ${maxOfCaller} ${what} are handled at once, and fewer while other callers have many; try again later.`;
  return refuse(429, "too_many_at_once", "Too many requests", detail, undefined, { "Retry-After": "10" });
}
