import { errorText } from "../../domain/error-text.ts";
import { BrokenEnvironmentError } from "../../domain/errors.ts";

/**
 * SQLSTATEs that are not caused by the request itself. Whole classes: connection exceptions, insufficient resources
 * (a full disk, no memory, too many connections), system errors of the server's machine. Others: the server stops or
 * starts, asks for a retry, or ended a statement that exceeded a time limit.
 */
const classes = /^(?:08|53|58|57P)/;
const states = new Set([
  ...["40001", "40P01", "25006"],
  // query_canceled (statement_timeout), lock_not_available, idle_in_transaction_session_timeout
  ...["57014", "55P03", "25P03"],
]);
const systemCodes = new Set([
  ...["ECONNREFUSED", "ECONNRESET", "EPIPE", "ETIMEDOUT", "EHOSTUNREACH", "ENETUNREACH"],
  ...["ENOTFOUND", "EAI_AGAIN", "ENOENT"],
  // Of this machine: the connection could not be made.
  ...["EAGAIN", "EMFILE", "ENFILE", "ENOBUFS", "ENOMEM"],
]);
/** node-postgres throws errors without a code for these, and Kysely the last one: for statements after one that lost the connection. */
const messages =
  /^(Connection terminated|Query read timeout|timeout expired|timeout exceeded when trying to connect|Client has encountered a connection error|Client was closed|Cannot use a pool after calling end|Postgres connection has been discarded)/;

/** True for an error that means that the database is temporarily unavailable: a retry may succeed. */
export function isConnectionLoss(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  // A host name with several addresses has an error for each.
  if (error instanceof AggregateError) return error.errors.some(isConnectionLoss);
  const code = codeOf(error);
  if (states.has(code) || (code.length === 5 && classes.test(code))) return true;
  if (
    systemCodes.has(code) &&
    "syscall" in error &&
    ["connect", "read", "write", "getaddrinfo"].includes(String(error.syscall))
  )
    return true;
  return messages.test(error.message);
}

/** True for the error of a statement that the server ended because it took too long (query_canceled). */
export function isStatementTimeout(error: unknown): boolean {
  return codeOf(error) === "57014";
}

const ofOneStatement = new Set(["57014", "55P03", "40001", "40P01", "53100", "53200", "53400"]);

/**
 * True for an error that other statements need not have: this one took too long, waited too long for a lock, lost to
 * another transaction, or needed more memory or more room for temporary files than there is.
 */
export function isOfOneStatement(error: unknown): boolean {
  return ofOneStatement.has(codeOf(error));
}

/** True for the error of a statement that waited too long for a lock (lock_not_available). */
export function isLockTimeout(error: unknown): boolean {
  return codeOf(error) === "55P03";
}

/** The SQLSTATE, or the system's code; "" without one. */
function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
}

/** True when a row was not written because a row that it refers to does not exist. */
export function isForeignKeyViolation(error: unknown): boolean {
  return hasCode(error, "23503");
}

/** True when a row was not written because another one has the same key of this constraint. */
export function isUniqueViolation(error: unknown, constraint: string): boolean {
  return hasCode(error, "23505") && "constraint" in error && error.constraint === constraint;
}

function hasCode(error: unknown, code: string): error is Error {
  return error instanceof Error && "code" in error && error.code === code;
}

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

/** Called with the id of what failed, and why. The others are still done. */
export type OnFailure = (id: string, error: unknown) => void;

/**
 * Runs `work` on one of many. If it fails for a reason of its own, calls `onFailure`, so that the others can continue.
 *
 * @returns whether it succeeded
 * @throws the error if there is no `onFailure`, or if the database is unavailable, which affects the others, too
 */
export async function continueOnFailure(
  id: string,
  onFailure: OnFailure | undefined,
  work: () => Promise<void>,
): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    if (!onFailure || (isConnectionLoss(error) && !isOfOneStatement(error))) throw error;
    onFailure(id, error);
    return false;
  }
}
