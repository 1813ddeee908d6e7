import { refuse } from "../response/errors.ts";
import { type Holder, heldCounts } from "./holders.ts";

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
   * Waits until the request may be handled. Of those that wait, the next is one of the caller with the fewest that are
   * handled, so that a new caller does not wait for all of another's.
   *
   * @returns a function to call when it has been handled
   * @throws RequestError 429 when it takes too long, or too many of the caller wait already; 503 when the signal aborts
   */
  take(caller: Holder, signal: AbortSignal): Promise<() => void>;
};

export function concurrencyLimit(limits: Partial<Limits> = {}): ConcurrencyLimit {
  const { caller: maxOfCaller, total: maxTotal, waitMs, what } = { ...defaults, ...limits };
  const running = heldCounts();
  let total = 0;
  let waiting: { caller: Holder; start: () => void }[] = [];

  function isFree(caller: Holder): boolean {
    return total < maxTotal && running.allows(caller, maxOfCaller);
  }

  function begin(caller: Holder): () => void {
    const end = running.add(caller);
    total += 1;
    return () => {
      end();
      total -= 1;
      const ready = waiting.filter((next) => isFree(next.caller));
      const fewest = Math.min(...ready.map((next) => running.of(next.caller)));
      // Of several, the one that has waited longest.
      ready.find((next) => running.of(next.caller) === fewest)?.start();
    };
  }

  return {
    async take(caller, signal) {
      if (isFree(caller)) return begin(caller);
      if (waiting.filter((other) => keyOf(other.caller) === keyOf(caller)).length >= MAX_WAITING_OF_CALLER)
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

function keyOf(caller: Holder): string {
  return typeof caller === "string" ? caller : caller.key;
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
