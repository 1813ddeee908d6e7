import { type Backoff, backoffDelay } from "../domain/backoff.ts";

/** When to try again what has failed, for each of many keys: the pauses of a key grow with its failures in a row. */
export type Retries = {
  /** Counts a failure. */
  failed(key: string): void;
  succeeded(key: string): void;
  /** The keys that have to wait longer. */
  waiting(): string[];
  /** Keys that do not wait any more, and have not succeeded either. */
  due(): string[];
};

/** @param clock milliseconds that never decrease */
export function createRetries(backoff: Backoff, clock: () => number): Retries {
  const failures = new Map<string, { count: number; until: number }>();
  const keysThat = (wait: boolean) =>
    [...failures].filter(([, { until }]) => until > clock() === wait).map(([key]) => key);
  return {
    failed(key) {
      const count = (failures.get(key)?.count ?? 0) + 1;
      failures.set(key, { count, until: clock() + backoffDelay(count - 1, Math.random(), backoff) });
    },
    succeeded: (key) => void failures.delete(key),
    waiting: () => keysThat(true),
    due: () => keysThat(false),
  };
}
