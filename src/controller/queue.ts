import { backoffDelay } from "../domain/backoff.ts";

/**
 * A work queue of keys, as controllers need it: a waiting key is in the queue once, however often
 * it is added; a key is processed by one worker at a time (and once more if it is added
 * meanwhile); and each failing key has its own backoff.
 */
export type KeyedQueue = {
  /** Processes the key now, or after `delayMs`; the earliest of several times counts. */
  add(key: string, delayMs?: number): void;
  /** Keys that are waiting or being processed. */
  readonly size: number;
  /** Runs until `signal` aborts, then waits for pending work. */
  run(signal: AbortSignal): Promise<void>;
};

export type QueueOptions = {
  /** @returns milliseconds after which to process the key again, or undefined */
  work: (key: string) => Promise<number | undefined>;
  onError: (key: string, error: unknown, failures: number) => void;
  /** Keys processed at the same time. */
  concurrency: number;
  /** The shortest time between the end of work on a key and the next start, unless the key is new. */
  minIntervalMs: number | (() => number);
};

export function createQueue(options: QueueOptions): KeyedQueue {
  // By a monotonic clock: with a machine's clock set back, a key would wait for as long as it was set back.
  const due = new Map<string, number>();
  const running = new Map<string, Promise<void>>();
  const failures = new Map<string, number>();
  const lastEnd = new Map<string, number>();
  let started = false;
  let timer: NodeJS.Timeout | undefined;

  function add(key: string, delayMs = 0): void {
    const { minIntervalMs: interval } = options;
    const ended = lastEnd.get(key) ?? Number.NEGATIVE_INFINITY;
    const earliest = ended + (typeof interval === "function" ? interval() : interval);
    const at = Math.max(performance.now() + delayMs, earliest);
    due.set(key, Math.min(at, due.get(key) ?? Number.POSITIVE_INFINITY));
    pump();
  }

  /** Starts the keys that are due, and schedules the next call for when another key will be. */
  function pump(): void {
    if (!started) return;
    const now = performance.now();
    let next = Number.POSITIVE_INFINITY;
    for (const [key, at] of due) {
      if (running.has(key)) continue;
      if (at > now) next = Math.min(next, at);
      else if (running.size < options.concurrency) start(key);
    }
    clearTimeout(timer);
    // Keys that are due but exceed the concurrency start when another key ends.
    if (next !== Number.POSITIVE_INFINITY) timer = setTimeout(pump, Math.min(next - now, 2 ** 31 - 1));
  }

  function start(key: string): void {
    due.delete(key);
    const done = work(key).finally(() => {
      running.delete(key);
      pump();
    });
    running.set(key, done);
  }

  async function work(key: string): Promise<void> {
    try {
      const again = await options.work(key);
      failures.delete(key);
      if (again === undefined) lastEnd.delete(key);
      else lastEnd.set(key, performance.now());
      if (again !== undefined) add(key, again);
    } catch (error) {
      const count = (failures.get(key) ?? 0) + 1;
      failures.set(key, count);
      options.onError(key, error, count);
      add(key, backoffDelay(count - 1, Math.random()));
    }
  }

  return {
    add,
    get size() {
      return due.size + running.size;
    },
    async run(signal) {
      if (!signal.aborted) {
        started = true;
        pump();
        await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
      }
      started = false;
      clearTimeout(timer);
      await Promise.all(running.values());
    },
  };
}
