import { setTimeout as sleep } from "node:timers/promises";
import { type Listener, listen } from "../database/connection/listen.ts";
import type { Logger } from "../telemetry/log.ts";

const RECONNECT_MS = 1_000;

/**
 * Calls `ring` when the database says that something changed about a report. Rings may
 * be lost with the connection, so nobody relies on them: they only make waiting shorter.
 */
export function hangBell(
  { databaseUrl, reportId, log }: { databaseUrl: string; reportId: string; log: Logger },
  ring: () => void,
): { close(): Promise<void> } {
  const stop = new AbortController();
  let listener: Listener | undefined;
  const run = async (): Promise<void> => {
    while (!stop.signal.aborted) {
      try {
        listener = await listen({
          url: databaseUrl,
          channel: "site_validator",
          applicationName: "site-validator checker (listen)",
          onNotification: (id) => {
            if (id === reportId) ring();
          },
        });
        ring();
        if (stop.signal.aborted) await listener.close();
        await listener.closed;
      } catch (error) {
        log.debug("cannot listen", { error: String(error) });
      }
      await sleep(RECONNECT_MS, undefined, { signal: stop.signal }).catch(() => {});
    }
  };
  const running = run();
  return {
    async close() {
      stop.abort();
      await listener?.close();
      await running;
    },
  };
}
