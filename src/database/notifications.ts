import { type Kysely, sql } from "kysely";
import { createNotifier } from "../time/notifier.ts";
import { subscribe } from "./connection/client.ts";
import type { ConnectionLimits } from "./connection/connection-options.ts";
import type { Database } from "./tables.ts";

/**
 * The channel of notifications about changed reports, schedules and mutings. The payload is an id, MUTINGS_CHANGED,
 * COMPARISON_REQUESTED, DELIVERIES_WAITING, DELETIONS_WAITING or MONTH_FILES_WAITING.
 */
export const CHANNEL = "site_validator";

/** The notification that mutings have changed and existing results must be recounted. */
export const MUTINGS_CHANGED = "mutings";

/** The notification that somebody asks for a comparison, or that comparisons have to be counted again. */
export const COMPARISON_REQUESTED = "comparisons";

/** The notification that a message for a receiver can be sent. */
export const DELIVERIES_WAITING = "deliveries";

/** The notification that many reports are to be deleted. */
export const DELETIONS_WAITING = "deletions";

/** The notification that the file of a month is to be made, or was. */
export const MONTH_FILES_WAITING = "month files";

/** Notifies all listeners: with the id of a report that has changed, or of a schedule that has to be reconciled. */
export async function notify(db: Kysely<Database>, payload: string): Promise<void> {
  await sql`select pg_notify(${CHANNEL}, ${payload})`.execute(db);
}

/** How long the connection is kept after the last follower: waiting clients reconnect at once. */
const KEEP_OPEN_MS = 10_000;

/** Notifies one follower that its report may have changed. */
export type ChangeSubscription = {
  /**
   * Resolves when the report may have changed since the last call, after `ms`, or when the signal aborts.
   *
   * @returns whether it may have changed
   */
  changed(ms: number, signal: AbortSignal): Promise<boolean>;
  /** Ends the subscription. */
  end(): void;
};

export type ReportChanges = {
  follow(reportId: string): ChangeSubscription;
  /** Ends the connection and all subscriptions. */
  close(): Promise<void>;
};

/**
 * Passes the notifications about changed reports to many followers, over one connection that is
 * open while there are followers. Notifications may be lost with the connection, and not every
 * change causes one, so followers also poll.
 */
export function reportChanges(options: {
  /** The database; without it there are no notifications. */
  url: string | undefined;
  onLoss: (error: unknown) => void;
  /** Limits of the connection; defaults apply to those left out. */
  limits?: Partial<ConnectionLimits> | undefined;
}): ReportChanges {
  const listeners = new Map<string, Set<() => void>>();
  let listening: { stop: AbortController; ended: Promise<void> } | undefined;
  let closeTimer: NodeJS.Timeout | undefined;

  const notifyAll = () => {
    for (const ofReport of listeners.values()) for (const notify of ofReport) notify();
  };

  const listenOn = (url: string, { signal }: AbortController): Promise<void> =>
    subscribe([CHANNEL], {
      url,
      limits: options.limits,
      applicationName: "site-validator api (listen)",
      signal,
      onNotification: (reportId) => {
        for (const notify of listeners.get(reportId) ?? []) notify();
      },
      onConnected: notifyAll,
      onLoss: options.onLoss,
    });

  function open(): void {
    clearTimeout(closeTimer);
    closeTimer = undefined;
    if (listening || options.url === undefined) return;
    const stop = new AbortController();
    listening = { stop, ended: listenOn(options.url, stop) };
  }

  async function close(): Promise<void> {
    clearTimeout(closeTimer);
    const ending = listening;
    listening = undefined;
    ending?.stop.abort();
    await ending?.ended;
  }

  function unfollow(reportId: string, notify: () => void): void {
    const ofReport = listeners.get(reportId);
    ofReport?.delete(notify);
    if (ofReport?.size === 0) listeners.delete(reportId);
    if (listeners.size > 0 || closeTimer) return;
    closeTimer = setTimeout(close, KEEP_OPEN_MS);
    closeTimer.unref();
  }

  return {
    close,
    follow(reportId) {
      const { notify, wait } = createNotifier();
      const ofReport = listeners.get(reportId) ?? new Set();
      listeners.set(reportId, ofReport.add(notify));
      open();
      return { end: () => unfollow(reportId, notify), changed: wait };
    },
  };
}
