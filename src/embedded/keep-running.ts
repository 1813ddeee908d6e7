import { environmentFault } from "../database/connection/errors.ts";
import { UsageError } from "../domain/errors.ts";
import { noSpaceLine } from "../domain/no-space.ts";
import { type EndedServer, HEALTHY_MS, restartDelay } from "../domain/restarts.ts";
import type { Logger } from "../telemetry/log.ts";
import { pause } from "../time/retry.ts";
import type { EmbeddedPostgres } from "./postgres.ts";

export type KeptPostgres = {
  /** Resolves with the reason when the server has ended and is not started again. */
  failed: Promise<Error>;
  /** The server that runs now, or the last one while none does. */
  latest(): EmbeddedPostgres;
  /** Ends the server, and starts it no more. */
  stop(): Promise<void>;
};

/**
 * Starts a server again whenever it ends (docs/adr/0067). Those who use it lose their connections, and find the next
 * server under the same URL.
 *
 * @param first the server that runs now
 * @param start starts another one on the same data and the same socket; the signal ends a start that is under way
 */
export function keepRunning(
  first: EmbeddedPostgres,
  start: (signal: AbortSignal) => Promise<EmbeddedPostgres>,
  log: Logger,
): KeptPostgres {
  const stopping = new AbortController();
  const { signal } = stopping;
  let server: EmbeddedPostgres | undefined = first;
  let latest = first;

  /** @returns the reason why it is not started again; undefined after `stop` */
  async function run(): Promise<Error | undefined> {
    let error = new Error(await first.ended);
    for (let failures = 0; !signal.aborted; ) {
      server = undefined;
      const delayMs = restartDelay({ failures, passes: passes(error) }, Math.random());
      if (delayMs === undefined) return error;
      log.error("PostgreSQL is down, and is started again", { error, failures, delayMs: Math.round(delayMs) });
      await pause(delayMs, signal);
      if (signal.aborted) return undefined;
      const started = performance.now();
      try {
        const next = await start(signal);
        server = next;
        latest = next;
        if (signal.aborted) await next.stop();
        else log.info("PostgreSQL runs again");
        error = new Error(await next.ended);
        failures = performance.now() - started >= HEALTHY_MS ? 0 : failures + 1;
      } catch (reason) {
        error = reason instanceof Error ? reason : new Error(String(reason));
        failures += 1;
      }
    }
    return undefined;
  }

  const done = run();
  return {
    failed: done.then((error) => error ?? new Promise<never>(() => {})),
    latest: () => latest,
    async stop() {
      stopping.abort();
      await server?.stop();
      await done;
    },
  };
}

function passes(error: Error): EndedServer["passes"] {
  if (noSpaceLine(error.message) !== undefined || environmentFault(error)) return "later";
  return error instanceof UsageError ? "never" : "unknown";
}
