import pg from "pg";
import type { Backoff } from "../../domain/backoff.ts";
import { repeat } from "../../time/retry.ts";
import { createClient, startHeartbeat } from "./client.ts";
import { type Address, defaultLimits } from "./connection-options.ts";

export type SubscribeOptions = Address & {
  onNotification: (payload: string, channel: string) => void;
  /**
   * Called each time that notifications begin to arrive. Some may have been lost before:
   * look yourself. What it throws ends the connection, and a new one is made.
   */
  onConnected: () => void | Promise<void>;
  /** Told why there is no connection any more, or none yet. */
  onLoss: (error: unknown) => void;
  /** Ends the subscription. */
  signal: AbortSignal;
};

export const subscribeBackoff: Backoff = { baseMs: 100, maxMs: 10_000 };
/** A connection that held so long was not a failure. */
const HEALTHY_MS = 5_000;

/**
 * LISTENs to channels on a connection of its own, and on another one whenever that is lost,
 * until `signal` aborts. A listener sends nothing by itself, so it queries the server now and
 * then: a loss that is silent is noticed as well.
 */
export function subscribe(channels: readonly string[], options: SubscribeOptions): Promise<void> {
  const { signal, onLoss: onError } = options;
  return repeat(() => listenOnce(channels, options), {
    ...{ signal, onError },
    backoff: subscribeBackoff,
    healthyMs: HEALTHY_MS,
  });
}

/** Resolves when `signal` aborts. @throws why the connection ended before that */
async function listenOnce(channels: readonly string[], options: SubscribeOptions): Promise<void> {
  const { signal, onNotification, onConnected, limits } = options;
  const client = createClient(options);
  client.on("notification", ({ payload = "", channel }) => onNotification(payload, channel));
  const lost = new Promise<never>((_, reject) => {
    client.once("error", reject);
    client.once("end", () => reject(new Error("Connection terminated")));
  });
  lost.catch(() => {});
  const end = () => void client.end().catch(() => {});
  let stopHeartbeat = () => {};
  signal.addEventListener("abort", end, { once: true });
  try {
    // A client that is ended while it connects never says so.
    await Promise.race([client.connect(), lost]);
    for (const channel of channels) await client.query(`listen ${pg.escapeIdentifier(channel)}`);
    stopHeartbeat = startHeartbeat(client, limits?.heartbeatMs ?? defaultLimits.heartbeatMs);
    await onConnected();
    await lost;
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    stopHeartbeat();
    signal.removeEventListener("abort", end);
    await client.end().catch(() => {});
  }
}
