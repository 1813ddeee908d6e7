import { isConnectionLoss } from "../database/connection/errors.ts";
import { within } from "../time/within.ts";
import type { EmbeddedPostgres } from "./postgres.ts";

/** How long to wait for the server's end: it loses connections before it ends, on a busy machine long before. */
const END_MS = 10_000;

/**
 * Finds the cause of an error in a program with an embedded PostgreSQL. When the server ends, or ends all
 * connections and starts again, a query may fail first, with an error that does not mention that.
 *
 * @returns what the server said if its end or its crash caused the error, otherwise the error
 */
export async function explainEnd(
  error: unknown,
  postgres: Pick<EmbeddedPostgres, "ended" | "crash"> | undefined,
  waitMs = END_MS,
): Promise<unknown> {
  if (!postgres || !(isConnectionLoss(error) || isConnectionLoss((error as Error).cause))) return error;
  const message = (await within(waitMs, postgres.ended, undefined)) ?? postgres.crash();
  return message === undefined ? error : new Error(message, { cause: error });
}
