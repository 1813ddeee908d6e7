const FIRST_PAUSE_MS = 100;
const MAX_PAUSE_MS = 5_000;

/** When to start a process again that did not start. */
export type StartBackoff = {
  /** Calls `again` after a pause that doubles with each failure. `exhausted`: it has been failing for too long. */
  failed(again: () => void): { failures: number; againMs: number; exhausted: boolean };
  succeeded(): void;
  /** True during a pause. */
  waits(): boolean;
  /** Nothing is called any more. */
  stop(): void;
};

export function startBackoff(patienceMs: number): StartBackoff {
  let failures = 0;
  let failingSince = 0;
  let timer: NodeJS.Timeout | undefined;
  const stop = (): void => {
    clearTimeout(timer);
    timer = undefined;
  };
  return {
    failed(again) {
      const now = performance.now();
      if (failures++ === 0) failingSince = now;
      const full = Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(failures - 1, 20));
      // Many processes may be short of the same thing.
      const againMs = Math.round(full / 2 + (full / 2) * Math.random());
      clearTimeout(timer);
      timer = setTimeout(() => {
        timer = undefined;
        again();
      }, againMs);
      return { failures, againMs, exhausted: now - failingSince >= patienceMs };
    },
    succeeded() {
      failures = 0;
    },
    waits: () => timer !== undefined,
    stop,
  };
}
