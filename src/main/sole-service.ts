import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { UsageError } from "../domain/errors.ts";
import type { Logger } from "../telemetry/log.ts";

const RETRY_MS = 1_000;
/** A killed service's connection may take a moment to be noticed. */
const PATIENCE_MS = 2_000;
const LOCK = "hashtext('site-validator standalone')";

/**
 * Holds a lock of the database: two services on one database would both run every
 * Job. The lock goes with the connection, so a killed service leaves none; a lost
 * connection is made again.
 *
 * @throws UsageError when another service holds it
 */
export async function holdSoleService(
  url: string,
  log: Logger,
): Promise<{ lost: Promise<Error>; release(): Promise<void> }> {
  let current = await acquire(url);
  let released = false;

  /** The lock again, or why another service has it now; undefined once released. */
  async function again(): Promise<Error | undefined> {
    while (!released) {
      await sleep(RETRY_MS);
      try {
        current = await acquire(url);
        if (released) await current.end();
        return undefined;
      } catch (error) {
        if (error instanceof UsageError) return error;
      }
    }
    return undefined;
  }

  async function watch(): Promise<Error> {
    for (;;) {
      await new Promise((resolve) => current.once("end", resolve));
      if (released) return new Promise<never>(() => {});
      log.warn("database connection lost, claiming the database again");
      const taken = await again();
      if (taken) return taken;
    }
  }

  return {
    lost: watch(),
    async release() {
      released = true;
      await current.end().catch(() => {});
    },
  };
}

async function acquire(url: string): Promise<pg.Client> {
  const deadline = Date.now() + PATIENCE_MS;
  const client = new pg.Client({ connectionString: url, application_name: "site-validator lock", keepAlive: true });
  client.on("error", () => {});
  await client.connect();
  try {
    for (;;) {
      const { rows } = await client.query<{ got: boolean }>(`select pg_try_advisory_lock(${LOCK}) as got`);
      if (rows[0]?.got) return client;
      if (Date.now() > deadline)
        throw new UsageError(
          "Another site-validator runs on this database. Stop it, or set DATABASE_URL to another one.",
        );
      await sleep(200);
    }
  } catch (error) {
    await client.end().catch(() => {});
    throw error;
  }
}
