import type { Backoff } from "../../domain/backoff.ts";
import { retry } from "../../time/retry.ts";
import { isConnectionLoss } from "./connection-loss.ts";

/** How long a program retries while the database is unavailable before it gives up. */
const MAX_WAIT_MS = 60_000;
const backoff: Backoff = { baseMs: 50, maxMs: 2_000 };

/**
 * Retries an operation that failed because the database was unavailable, with growing pauses,
 * for up to a minute. The operation must be safe to repeat.
 *
 * @throws the operation's error: after the last retry if the connection was lost, otherwise at once
 */
export function withReconnect<T>(
  operation: () => Promise<T>,
  { signal, onLoss }: { signal?: AbortSignal; onLoss?: (error: Error) => void } = {},
): Promise<T> {
  return retry(operation, {
    ...(signal && { signal }),
    backoff,
    shouldRetry(error, { elapsedMs }) {
      if (!(error instanceof Error) || !isConnectionLoss(error)) return false;
      if (elapsedMs > MAX_WAIT_MS) return false;
      onLoss?.(error);
      return true;
    },
  });
}
