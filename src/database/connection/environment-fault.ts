import { errorText } from "../../domain/error-text.ts";
import { BrokenEnvironmentError } from "../../domain/errors.ts";
import { isConnectionLoss } from "./connection-loss.ts";

/** The system's error codes when this machine has run out of something. */
const exhausted = new Set(["EAGAIN", "EDQUOT", "EMFILE", "ENFILE", "ENOBUFS", "ENOMEM", "ENOSPC"]);

/**
 * The error as a BrokenEnvironmentError when this machine or the database is at fault, else undefined. Such an
 * error ends a Job's program, which gives its work back; it must never become a page's failure.
 */
export function environmentFault(error: unknown): BrokenEnvironmentError | undefined {
  if (error instanceof BrokenEnvironmentError) return error;
  if (isConnectionLoss(error))
    return new BrokenEnvironmentError(`The database was not reachable for too long: ${errorText(error)}`);
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if ("code" in cause && exhausted.has(String(cause.code)))
      return new BrokenEnvironmentError(`This machine has run out of a resource: ${errorText(cause)}`);
  }
  return undefined;
}
