const MIN_PAUSE_MS = 100;
const MAX_PAUSE_MS = 5_000;

/** Decides when to retry the start of a process. */
export type StartBackoff = {
  /** Calls `retry` after a pause that doubles with each failure. `exhausted`: starts have failed for longer than the limit. */
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
      const full = Math.min(MAX_PAUSE_MS, MIN_PAUSE_MS * 2 ** Math.min(failures - 1, 20));
      // Random, because many processes may compete for the same scarce resource.
      const delayMs = Math.round(full / 2 + (full / 2) * Math.random());
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
