/** Slots that may be used now, or how long it takes until there is one. */
type Slots = { taken: number; waitMs: number };

type Options = {
  /** Requests per second; 0 means no limit. */
  rateLimit: number;
  take: (wanted: number) => Promise<Slots>;
  /** Rejects when the program stops. */
  sleep: (ms: number) => Promise<void>;
};

/** A timer is too coarse for more than this many slots a second: then several requests leave at once. */
const MAX_TURNS_PER_SECOND = 50;

/**
 * Lets the requests of one process leave at the rate limit that it shares with others, in the order in which they came.
 *
 * @returns a function that resolves when the next request may leave; it rejects with the error of `take` or `sleep`
 */
export function createSlotQueue({ rateLimit, take, sleep }: Options): () => Promise<void> {
  if (rateLimit === 0) return async () => {};
  const together = Math.ceil(rateLimit / MAX_TURNS_PER_SECOND);
  const waiting: PromiseWithResolvers<void>[] = [];
  let working = false;

  const work = async (): Promise<void> => {
    working = true;
    try {
      while (waiting.length > 0) {
        const { taken, waitMs } = await take(Math.min(waiting.length, together));
        for (const { resolve } of waiting.splice(0, taken)) resolve();
        if (taken === 0) await sleep(waitMs);
      }
    } catch (error) {
      for (const { reject } of waiting.splice(0)) reject(error);
    }
    // Before whoever got the last slot goes on, and may want another one.
    working = false;
  };
  return () => {
    const slot = Promise.withResolvers<void>();
    waiting.push(slot);
    if (!working) void work();
    return slot.promise;
  };
}
