import { backoffDelay } from "../domain/backoff.ts";

/**
 * A work queue of keys, as controllers need it: a waiting key is in the queue once, however often
 * it is added; a key is processed by one worker at a time (and once more if it is added
 * meanwhile); and each failing key has its own backoff.
 *
 * An event that adds a failing key may be what it waits for, such as a correction of its resource, so it shortens the
 * pause, but only to MAX_PAUSE_AFTER_EVENT_MS. It does not end the pause: events may come several times a second,
 * and what fails would be tried as often.
 */
export type KeyedQueue = {
  /** Processes the key now, or after `delayMs`; the earliest of several times counts. A failing key has to wait longer. */
  add(key: string, delayMs?: number): void;
  /** Keys that are waiting or being processed. */
  readonly size: number;
  /** Runs until `signal` aborts, then waits for pending work. */
  run(signal: AbortSignal): Promise<void>;
};

/** The longest pause of a failing key that is added, in milliseconds. */
const MAX_PAUSE_AFTER_EVENT_MS = 5_000;

/** What time it is, and what to do later. */
export type Timer = {
  /** Milliseconds that never decrease. */
  now(): number;
  /** @returns a function that cancels the call */
  callAfter(milliseconds: number, call: () => void): () => void;
};

/** A monotonic clock: if the machine's clock is set back, keys do not wait longer. */
const realTimer: Timer = {
  now: () => performance.now(),
  callAfter(milliseconds, call) {
    const timeout = setTimeout(call, milliseconds);
    return () => clearTimeout(timeout);
  },
};

export type QueueOptions = {
  /** @returns milliseconds after which to process the key again, or undefined */
  work: (key: string) => Promise<number | undefined>;
  onError: (key: string, error: unknown, failures: number) => void;
  /** Keys processed at the same time. */
  concurrency: number;
  /** The shortest time between the end of work on a key and the next start, unless the key is new. */
  minIntervalMs: number | (() => number);
  /** For tests. */
  timer?: Timer;
};

export function createQueue(options: QueueOptions): KeyedQueue {
  /** Keys that are due, in the order in which they became due. A key that is being processed waits until that ends. */
  const ready = new Set<string>();
  /** When other keys are due. */
  const later = new Map<string, number>();
  const running = new Map<string, Promise<void>>();
  /** How many times in a row a key has failed, and when it may be processed again at the earliest. */
  const failures = new Map<string, { count: number; until: number }>();
  const lastEnd = new Map<string, number>();
  let started = false;
  const timer = options.timer ?? realTimer;
  let cancelWake = () => {};
  let timerAt = Number.POSITIVE_INFINITY;

  function add(key: string, delayMs = 0): void {
    if (ready.has(key)) return;
    const { minIntervalMs: interval } = options;
    const ended = lastEnd.get(key) ?? Number.NEGATIVE_INFINITY;
    const earliest = ended + (typeof interval === "function" ? interval() : interval);
    const now = timer.now();
    const at = Math.max(now + delayMs, earliest, failures.get(key)?.until ?? Number.NEGATIVE_INFINITY);
    if (at <= now) {
      later.delete(key);
      ready.add(key);
      pump();
    } else if (at < (later.get(key) ?? Number.POSITIVE_INFINITY)) {
      later.set(key, at);
      wakeAt(at);
    }
  }

  function wakeAt(at: number): void {
    if (!started || at >= timerAt) return;
    cancelWake();
    timerAt = at;
    cancelWake = timer.callAfter(Math.min(Math.max(0, at - timer.now()), 2 ** 31 - 1), wake);
  }

  /** Only this function goes through all keys. A controller has thousands of them, and adds one all the time. */
  function wake(): void {
    timerAt = Number.POSITIVE_INFINITY;
    const now = timer.now();
    let next = Number.POSITIVE_INFINITY;
    for (const [key, at] of later) {
      if (at > now) next = Math.min(next, at);
      else {
        later.delete(key);
        ready.add(key);
      }
    }
    wakeAt(next);
    pump();
  }

  /** Starts keys that are due, as many as may be processed at the same time. */
  function pump(): void {
    if (!started) return;
    for (const key of ready) {
      if (running.size >= options.concurrency) return;
      if (!running.has(key)) start(key);
    }
  }

  function start(key: string): void {
    ready.delete(key);
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
      else lastEnd.set(key, timer.now());
      if (again !== undefined) add(key, again);
    } catch (error) {
      const count = (failures.get(key)?.count ?? 0) + 1;
      const pauseMs = backoffDelay(count - 1, Math.random());
      failures.set(key, { count, until: timer.now() + Math.min(pauseMs, MAX_PAUSE_AFTER_EVENT_MS) });
      options.onError(key, error, count);
      // An event came meanwhile.
      if (ready.delete(key)) add(key);
      add(key, pauseMs);
    }
  }

  return {
    add,
    get size() {
      return ready.size + later.size + running.size;
    },
    async run(signal) {
      if (!signal.aborted) {
        started = true;
        wake();
        await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
      }
      started = false;
      cancelWake();
      timerAt = Number.POSITIVE_INFINITY;
      await Promise.all(running.values());
    },
  };
}
