import type { Response } from "express";
import { type Bell, type ReportChanges, reportChanges } from "../database/report-changes.ts";
import type { ApiDeps, Context } from "./context.ts";
import { refuse } from "./errors.ts";

/** How often and how long a report is watched for its followers; times in milliseconds. */
export type WatchLimits = {
  /** Streams and waiting requests of one token in this process. */
  ofOneCaller: number;
  /** Those of all who come without a token. */
  ofAnonymous: number;
  ofAll: number;
  /** Between two events of one stream; the last one does not wait. */
  spacing: number;
  /** Between two looks when nothing was told. */
  look: number;
  heartbeat: number;
  /** A stream's longest life. The client comes again, and its token is looked at again. */
  life: number;
};

const defaults: WatchLimits = {
  ofOneCaller: 10,
  ofAnonymous: 50,
  ofAll: 200,
  spacing: 1_000,
  look: 2_000,
  heartbeat: 15_000,
  life: 5 * 60_000,
};

/** Who watches reports in this process, and how. */
export type Watching = {
  limits: WatchLimits;
  /** Follows a report until `end`, when there is a place left. */
  begin(context: Context, reportId: string): Bell | undefined;
  /** Aborts when the client leaves, the service stops, or so many milliseconds are over. */
  departure(response: Response, after?: number): AbortSignal;
  /** Lets all go who watch. */
  close(): Promise<void>;
};

export function createWatching({ databaseUrl, databaseLimits, log, metrics, watchLimits }: ApiDeps): Watching {
  const limits = { ...defaults, ...watchLimits };
  const stop = new AbortController();
  const places = new Map<string, number>();
  let taken = 0;
  const changes: ReportChanges = reportChanges({
    url: databaseUrl,
    limits: databaseLimits,
    onLoss: (error) => log.warn("cannot listen to the database", { error: String(error) }),
  });

  return {
    limits,
    begin({ caller }, reportId) {
      const key = caller?.tokenId ?? "anonymous";
      const own = places.get(key) ?? 0;
      if (taken >= limits.ofAll || own >= (caller ? limits.ofOneCaller : limits.ofAnonymous)) return undefined;
      places.set(key, own + 1);
      metrics.watchers.set(++taken);
      const bell = changes.follow(reportId);
      return {
        changed: bell.changed,
        end() {
          bell.end();
          const left = (places.get(key) ?? 1) - 1;
          if (left > 0) places.set(key, left);
          else places.delete(key);
          metrics.watchers.set(--taken);
        },
      };
    },
    departure(response, after) {
      const departed = new AbortController();
      const depart = () => {
        clearTimeout(timer);
        stop.signal.removeEventListener("abort", depart);
        departed.abort();
      };
      const timer = after === undefined ? undefined : setTimeout(depart, after);
      response.once("close", depart);
      stop.signal.addEventListener("abort", depart);
      if (response.closed || stop.signal.aborted) depart();
      return departed.signal;
    },
    async close() {
      stop.abort();
      await changes.close();
    },
  };
}

/** For a stream that finds no place. */
export function noPlace({ ofOneCaller, ofAnonymous }: WatchLimits, anonymous: boolean): Error {
  return refuse(
    429,
    "too_many_streams",
    "Too many requests",
    `No more than ${anonymous ? ofAnonymous : ofOneCaller} streams can be open at once; close one, or ask again later.`,
    undefined,
    { "Retry-After": "10" },
  );
}

/**
 * Seconds that a client is ready to wait for a change (RFC 7240), at most 60; undefined
 * when it is not. What cannot be understood is passed over, as the RFC wants it.
 */
export function preferredWait(prefer: string | undefined): number | undefined {
  for (const preference of (prefer ?? "").split(",")) {
    const seconds = /^\s*wait\s*=\s*"?(\d{1,9})"?\s*(;|$)/i.exec(preference)?.[1];
    if (seconds !== undefined) return Math.min(60, Number(seconds));
  }
  return undefined;
}
