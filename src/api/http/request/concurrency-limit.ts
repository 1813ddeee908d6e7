import { refuse } from "../response/errors.ts";

/** How many slow requests of one account, or of one address without a token, are handled at once. */
const MAX_OF_CALLER = 2;
/** The same for all callers together: fewer than the pool has connections. */
const MAX_TOTAL = 5;
/** How many more may wait: each keeps its body in memory. */
const MAX_WAITING_OF_CALLER = 100;
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
   * @throws RequestError 429 when it takes too long, or too many of the caller wait already; 503 when the signal aborts
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
      if (waiting.filter((other) => other.caller === caller).length >= MAX_WAITING_OF_CALLER)
        throw tooMany(maxOfCaller, what);
      return new Promise((resolve, reject) => {
        const leave = () => {
          clearTimeout(timer);
          signal.removeEventListener("abort", stop);
          waiting = waiting.filter((other) => other !== own);
        };
        const giveUp = () => {
          leave();
          reject(tooMany(maxOfCaller, what));
        };
        const stop = () => {
          leave();
          reject(stopped());
        };
        const own = {
          caller,
          start: () => {
            leave();
            resolve(begin(caller));
          },
        };
        const timer = setTimeout(giveUp, waitMs);
        signal.addEventListener("abort", stop);
        waiting.push(own);
        if (signal.aborted) stop();
      });
    },
  };
}

const defaults: Limits = { caller: MAX_OF_CALLER, total: MAX_TOTAL, waitMs: MAX_WAIT_MS, what: "slow requests" };

/** Nobody reads this if it was the client that left. */
function stopped(): Error {
  const detail = "The service is stopping; try again.";
  return refuse(503, "unavailable", "Service unavailable", detail, undefined, { "Retry-After": "5" });
}

function tooMany(maxOfCaller: number, what: string): Error {
  const detail = `No more than ${maxOfCaller} ${what} are handled at once, and fewer while other callers have many; try again later.`;
  return refuse(429, "too_many_at_once", "Too many requests", detail, undefined, { "Retry-After": "10" });
}
