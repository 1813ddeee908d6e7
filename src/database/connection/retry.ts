import { setTimeout as sleep } from "node:timers/promises";
import { isConnectionLoss } from "./connection-loss.ts";

/** How long a program waits for a database that is gone before it gives up. */
const PATIENCE_MS = 60_000;
const MAX_PAUSE_MS = 2_000;

/**
 * Repeats what failed for want of a database, with growing pauses, for up to a
 * minute. The operation must be one that may run twice.
 *
 * @throws the operation's error: another one at once, a lost connection after the last try
 */
export async function withReconnect<T>(
  operation: () => Promise<T>,
  options: { signal?: AbortSignal; onLoss?: (error: Error) => void } = {},
): Promise<T> {
  const started = performance.now();
  for (let pause = 50; ; pause = Math.min(2 * pause, MAX_PAUSE_MS)) {
    try {
      return await operation();
    } catch (error) {
      if (!(error instanceof Error) || !isConnectionLoss(error)) throw error;
      if (performance.now() - started > PATIENCE_MS) throw error;
      options.onLoss?.(error);
      await sleep(pause, undefined, options.signal ? { signal: options.signal } : {});
    }
  }
}
