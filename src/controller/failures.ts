import { isClusterError } from "../cluster/port.ts";
import type { Logger } from "../telemetry/log.ts";

/** Classifies an error: the resource changed between reading and writing ("moved"), or the work failed. */
export function outcomeOf(error: unknown): "moved" | "failed" {
  return isClusterError(error, "Conflict") || isClusterError(error, "NotFound") ? "moved" : "failed";
}

/**
 * Logs that a key is retried. A resource that changed in the meantime is normal and not an error;
 * it is logged at info level only if it happens repeatedly.
 *
 * @param failed.failures how many times in a row
 */
export function logRetry(
  log: Logger,
  message: string,
  failed: { key: string; error: unknown; failures: number },
): void {
  const { key, error, failures } = failed;
  if (outcomeOf(error) === "failed") log.error(message, { key, failures, error });
  else
    log.log(failures === 1 ? "debug" : "info", "resource changed in the meantime, retrying", {
      key,
      failures,
      error,
    });
}
