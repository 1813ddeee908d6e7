import { setTimeout as sleep } from "node:timers/promises";
import { isConnectionLoss } from "../database/connection/connection-loss.ts";
import type { EmbeddedPostgres } from "../embedded/postgres.ts";

/** Connections are cut before the server's process is gone, on a busy machine long before. */
const END_MS = 10_000;

/**
 * Says what ended a program with a PostgreSQL of its own. When the server ends, some query
 * may fail before that is known, with an error that does not say so.
 *
 * @returns the server's end when it is behind the error, else the error
 */
export async function explainEnd(
  error: unknown,
  postgres: Pick<EmbeddedPostgres, "ended"> | undefined,
  waitMs = END_MS,
): Promise<unknown> {
  if (!postgres || !(isConnectionLoss(error) || isConnectionLoss((error as Error).cause))) return error;
  const waiting = new AbortController();
  const message = await Promise.race([
    postgres.ended,
    sleep(waitMs, undefined, { signal: waiting.signal }).catch(() => undefined),
  ]);
  waiting.abort();
  return message === undefined ? error : new Error(message, { cause: error });
}
