import type { Backoff } from "../../domain/backoff.ts";
import { retry } from "../../time/retry.ts";
import { isConnectionLoss } from "./connection-loss.ts";

/** How long a program waits for a database that is gone before it gives up. */
const PATIENCE_MS = 60_000;
const backoff: Backoff = { baseMs: 50, maxMs: 2_000 };

/**
 * Repeats what failed for want of a database, with growing pauses, for up to a
 * minute. The operation must be one that may run twice.
 *
 * @throws the operation's error: another one at once, a lost connection after the last try
 */
export function withReconnect<T>(
  operation: () => Promise<T>,
  { signal, onLoss }: { signal?: AbortSignal; onLoss?: (error: Error) => void } = {},
): Promise<T> {
  const started = performance.now();
  return retry(operation, {
    ...(signal && { signal }),
    backoff,
    again(error) {
      if (!(error instanceof Error) || !isConnectionLoss(error)) return false;
      if (performance.now() - started > PATIENCE_MS) return false;
      onLoss?.(error);
      return true;
    },
  });
}
