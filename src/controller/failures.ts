import { isClusterError } from "../cluster/port.ts";
import type { Logger } from "../telemetry/log.ts";

/** How work on a resource ended that threw: the world moved on between looking and writing, or it failed. */
export function outcomeOf(error: unknown): "moved" | "failed" {
  return isClusterError(error, "Conflict") || isClusterError(error, "NotFound") ? "moved" : "failed";
}

/**
 * Logs that a key is tried again. A resource that changed meanwhile is normal, and no error:
 * only when that repeats, somebody may want to know.
 *
 * @param failed.failures how many times in a row
 */
export function logRetry(
  log: Logger,
  message: string,
  failed: { key: string; error: unknown; failures: number },
): void {
  const { key, error, failures } = failed;
  if (outcomeOf(error) === "failed") log.error(message, { key, failures, error: describe(error) });
  else
    log.log(failures === 1 ? "debug" : "info", "resource changed meanwhile, trying again", {
      key,
      failures,
      error: error instanceof Error ? error.message : String(error),
    });
}

/** With its stack, where it has one. */
export function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
