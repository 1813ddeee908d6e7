import { ClusterError } from "../port.ts";

/** SQLSTATE classes and system errors that mean "the database cannot be reached now". */
const codes = /^(08...|57P0[1-3]|53300|ECONN|EPIPE|ENOENT|ETIMEDOUT|EHOSTUNREACH)/;
/** The driver reports some lost connections in words only. */
const messages = /connection terminated|connection error|timeout exceeded when trying to connect|client was closed/i;

/** True for an error that says nothing about the call, only that the database was away. */
export function isUnavailable(error: unknown): error is Error {
  if (!(error instanceof Error)) return false;
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  return codes.test(code) || messages.test(error.message);
}

/** Runs a call; a lost database becomes the port's `Unavailable`. */
export async function availableOrThrow<Result>(call: () => Promise<Result>): Promise<Result> {
  try {
    return await call();
  } catch (error) {
    if (isUnavailable(error)) throw new ClusterError("Unavailable", "The database is not reachable.", { cause: error });
    throw error;
  }
}
