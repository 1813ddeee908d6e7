import pg from "pg";
import type { Backoff } from "../../domain/backoff.ts";
import { repeat } from "../../time/retry.ts";
import { createClient, startHeartbeat } from "./client.ts";
import { type Address, defaultLimits } from "./connection-options.ts";

export type SubscribeOptions = Address & {
  onNotification: (payload: string, channel: string) => void;
  /**
   * Called whenever notifications begin to arrive. Some may have been lost before that, so read
   * the current state. If it throws, the connection is closed and a new one is opened.
   */
  onConnected: () => void | Promise<void>;
  /** Called with the error when the connection is lost or cannot be opened. */
  onLoss: (error: unknown) => void;
  /** Ends the subscription. */
  signal: AbortSignal;
};

export const subscribeBackoff: Backoff = { baseMs: 100, maxMs: 10_000 };
/** A connection that lasted this long resets the backoff. */
const HEALTHY_MS = 5_000;

/**
 * LISTENs to channels on its own connection until `signal` aborts, and reconnects whenever the
 * connection is lost. A listener sends nothing by itself, so it queries the server regularly
 * to notice a silent loss.
 */
export function subscribe(channels: readonly string[], options: SubscribeOptions): Promise<void> {
  const { signal, onLoss: onError } = options;
  return repeat(() => listenOnce(channels, options), {
    signal,
    onError,
    backoff: subscribeBackoff,
    healthyMs: HEALTHY_MS,
  });
}

/** Resolves when `signal` aborts. @throws the error that ended the connection earlier */
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
    // `connect` never settles when the client is ended while it connects.
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
