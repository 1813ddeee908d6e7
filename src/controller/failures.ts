import { isClusterError } from "../cluster/port.ts";
import { isConnectionLoss, isOfOneStatement } from "../database/connection/errors.ts";
import { DeposedError } from "../database/connection/leader-term.ts";
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

/** Work on the database is given up after this many tries, unless the database was not available. */
export const MAX_OWN_TRIES = 3;

/**
 * True for an error of the database that may not occur again in another try.
 *
 * @param tries how many there were, the failed one included
 */
export function mayPass(error: unknown, tries: number): boolean {
  if (error instanceof DeposedError) return true;
  return isConnectionLoss(error) && (!isOfOneStatement(error) || tries < MAX_OWN_TRIES);
}
