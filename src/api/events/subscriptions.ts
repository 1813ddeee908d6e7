import type { Response } from "express";
import type { ConnectionLimits } from "../../database/connection/connection-options.ts";
import { type ChangeSubscription, type ReportChanges, reportChanges } from "../../database/notifications.ts";
import type { Principal } from "../../domain/accounts/principal.ts";
import type { Logger } from "../../telemetry/log.ts";
import type { Metrics } from "../../telemetry/metrics.ts";
import { heldCounts } from "../http/request/holders.ts";
import { refuse } from "../http/response/errors.ts";

/** Limits of subscriptions to changes of reports; times are in milliseconds. */
export type SubscriptionLimits = {
  /**
   * Streams and waiting requests of one account in this process, all its tokens and guests together. Its guests together
   * have half of them, each a quarter.
   */
  perAccount: number;
  /** The same for all callers without a token, together. */
  anonymous: number;
  total: number;
  /** Shortest time between two events of one stream; the last event does not wait. */
  eventInterval: number;
  /** Time between two reads of the report when there is no notification. */
  pollInterval: number;
  heartbeat: number;
  /** Longest duration of a stream. After it the client has to reconnect, and its token is checked again. */
  maxDuration: number;
};

const defaults: SubscriptionLimits = {
  perAccount: 20,
  anonymous: 50,
  total: 200,
  eventInterval: 1_000,
  pollInterval: 2_000,
  heartbeat: 15_000,
  maxDuration: 5 * 60_000,
};

/** The subscriptions of this process's clients to changes of reports. */
export type ReportSubscriptions = {
  limits: SubscriptionLimits;
  /** Notifies of a report's changes until `end` is called; undefined when the limits are reached. */
  subscribe(
    caller: Pick<Principal, "accountId" | "guestToken"> | null,
    reportId: string,
  ): ChangeSubscription | undefined;
  /** Aborts when the client disconnects, the service stops, or `after` milliseconds have passed. */
  abortSignal(response: Response, after?: number): AbortSignal;
  /** Ends all subscriptions. */
  close(): Promise<void>;
};

type SubscriptionDeps = {
  databaseUrl?: string | undefined;
  databaseLimits?: Partial<ConnectionLimits>;
  log: Logger;
  metrics: Metrics;
  subscriptionLimits?: Partial<SubscriptionLimits>;
};

export function createReportSubscriptions({
  databaseUrl,
  databaseLimits,
  log,
  metrics,
  subscriptionLimits,
}: SubscriptionDeps): ReportSubscriptions {
  const limits = { ...defaults, ...subscriptionLimits };
  const stop = new AbortController();
  const ends = new WeakMap<Response, AbortSignal>();
  const counts = heldCounts();
  let count = 0;
  const changes: ReportChanges = reportChanges({
    url: databaseUrl,
    limits: databaseLimits,
    onLoss: (error) => log.warn("cannot listen for notifications of the database", { error }),
  });

  /** Listens once to each response, however many calls the page makes that it is for. */
  function endOf(response: Response): AbortSignal {
    const known = ends.get(response);
    if (known) return known;
    const controller = new AbortController();
    ends.set(response, controller.signal);
    const abort = () => {
      stop.signal.removeEventListener("abort", abort);
      controller.abort();
    };
    response.once("close", abort);
    stop.signal.addEventListener("abort", abort);
    if (response.closed || stop.signal.aborted) abort();
    return controller.signal;
  }

  return {
    limits,
    subscribe(caller, reportId) {
      const key = caller?.accountId ?? "anonymous";
      const holder = caller?.guestToken == null ? key : { key, guest: caller.guestToken };
      const max = caller ? limits.perAccount : limits.anonymous;
      if (count >= limits.total || !counts.allows(holder, max)) return undefined;
      const release = counts.add(holder);
      metrics.watchers.set(++count);
      const subscription = changes.follow(reportId);
      return {
        changed: subscription.changed,
        end() {
          subscription.end();
          release();
          metrics.watchers.set(--count);
        },
      };
    },
    abortSignal(response, after) {
      const ended = endOf(response);
      return AbortSignal.any(after === undefined ? [ended] : [ended, AbortSignal.timeout(after)]);
    },
    async close() {
      stop.abort();
      await changes.close();
    },
  };
}

/** The error for a stream beyond the limits. */
export function tooManyStreams({ perAccount, anonymous }: SubscriptionLimits, isAnonymous: boolean): Error {
  return refuse(
    429,
    "too_many_streams",
    "Too many requests",
    `No more than ${isAnonymous ? anonymous : perAccount} streams can be open at once, fewer of guests, and fewer while other callers have many; close one, or try again later.`,
    undefined,
    { "Retry-After": "10" },
  );
}

/**
 * Seconds that a client is willing to wait for a change (RFC 7240), at most 60; undefined when
 * it does not ask to wait. An invalid preference is ignored, as the RFC requires.
 */
export function preferredWait(prefer: string | undefined): number | undefined {
  for (const preference of (prefer ?? "").split(",")) {
    const seconds = /^\s*wait\s*=\s*"?(\d{1,9})"?\s*(;|$)/i.exec(preference)?.[1];
    if (seconds !== undefined) return Math.min(60, Number(seconds));
  }
  return undefined;
}
