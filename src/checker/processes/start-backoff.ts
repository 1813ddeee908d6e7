import { type Backoff, backoffDelay } from "../../domain/backoff.ts";

const BACKOFF: Backoff = { baseMs: 100, maxMs: 5_000 };

/** Decides when to retry the start of a process. */
export type StartBackoff = {
  /** Calls `retry` after a pause that grows with each failure. `exhausted`: starts have failed for longer than the limit. */
  failed(retry: () => void): { failures: number; delayMs: number; exhausted: boolean };
  succeeded(): void;
  /** True during a pause. */
  isPausing(): boolean;
  /** Cancels a pending retry. */
  stop(): void;
};

export function startBackoff(limitMs: number): StartBackoff {
  let failures = 0;
  let failingSince = 0;
  let timer: NodeJS.Timeout | undefined;
  const stop = (): void => {
    clearTimeout(timer);
    timer = undefined;
  };
  return {
    failed(retry) {
      const now = performance.now();
      if (failures++ === 0) failingSince = now;
      const delayMs = Math.round(backoffDelay(failures - 1, Math.random(), BACKOFF));
      clearTimeout(timer);
      timer = setTimeout(() => {
        timer = undefined;
        retry();
      }, delayMs);
      return { failures, delayMs, exhausted: now - failingSince >= limitMs };
    },
    succeeded() {
      failures = 0;
    },
    isPausing: () => timer !== undefined,
    stop,
  };
}
