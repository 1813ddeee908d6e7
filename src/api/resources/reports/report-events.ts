import { isConnectionLoss } from "../../../database/connection/connection-loss.ts";
import type { Bell } from "../../../database/reports/changes.ts";
import { RequestError } from "../../../domain/errors.ts";
import type { Answer, Context, Route } from "../../context.ts";
import type { EventSink } from "../../events/event-stream.ts";
import { preferredWait, tooManyStreams } from "../../events/subscriptions.ts";
import { one, type ResourceDocument } from "../../http/documents.ts";
import { isAmong, versionOf } from "../../http/etag.ts";
import { visibleReport } from "./report-access.ts";
import { reportDocument } from "./report-document.ts";

const JSON_API = "application/vnd.api+json";

/** A report at one moment. */
type Seen = { data: ResourceDocument; phase: string; ended: boolean };

export const reportEvents: readonly Route[] = [
  {
    method: "GET",
    path: "/reports/:report_id/events",
    access: "shared",
    produces: "text/event-stream",
    handle: async (context) => {
      const seen = await look(context);
      // A client that has seen the end need not reconnect: 204 tells a browser's EventSource to stop.
      if (seen.ended && context.header("last-event-id") === versionIn(seen, JSON_API)) return { status: 204 };
      return { status: 200, events: (sink, signal) => stream(context, seen.data.id, sink, signal) };
    },
  },
];

/**
 * Responds with the report. With `Prefer: wait=<seconds>` it waits until the version differs from
 * the one in If-None-Match (without that header: until the report ends) or the time is over.
 */
export async function showReport(context: Context): Promise<Answer> {
  const seen = await look(context);
  const seconds = preferredWait(context.header("prefer"));
  if (seconds === undefined) return one(seen.data);
  const applied = { "Preference-Applied": `wait=${seconds}` };
  if (!isSame(context, seen)) return { ...one(seen.data), headers: applied };
  const notifier = context.subscriptions.subscribe(context.caller, seen.data.id);
  // Waiting is only a preference (RFC 7240): beyond the limits the response is the current version.
  if (!notifier) return one(seen.data);
  try {
    return { ...one((await nextVersion(context, notifier, seconds * 1_000)).data), headers: applied };
  } finally {
    notifier.end();
  }
}

async function nextVersion(context: Context, notifier: Bell, ms: number): Promise<Seen> {
  const until = performance.now() + ms;
  const signal = context.abortSignal();
  for (;;) {
    const seen = await look(context);
    const rest = until - performance.now();
    if (!isSame(context, seen) || rest <= 0 || signal.aborted) return seen;
    await notifier.changed(Math.min(rest, context.subscriptions.limits.pollInterval), signal);
  }
}

/** True when there is nothing new for this client: the report has not ended, and the client has its version. */
function isSame(context: Context, seen: Seen): boolean {
  if (seen.ended) return false;
  const known = context.header("if-none-match");
  return known === undefined || isAmong(known, `"${versionIn(seen, context.mediaType)}"`);
}

/** Sends each version of the report until it ends, is deleted or the signal aborts. */
async function stream(context: Context, reportId: string, sink: EventSink, signal: AbortSignal): Promise<void> {
  const { limits } = context.subscriptions;
  const notifier = context.subscriptions.subscribe(context.caller, reportId);
  if (!notifier) throw tooManyStreams(limits, context.caller === null);
  try {
    let sent = context.header("last-event-id");
    let sentAt = Number.NEGATIVE_INFINITY;
    // The first heartbeat is due at once, so that the client knows that it is connected.
    let silentSince = Number.NEGATIVE_INFINITY;
    while (!signal.aborted) {
      const seen = await recheck(context);
      if (seen === "gone") return await sink.send({ event: "end", data: { reason: "deleted" } });
      const now = performance.now();
      const version = seen === "unknown" ? sent : versionIn(seen, JSON_API);
      const isDue = now - sentAt >= limits.eventInterval;
      if (seen !== "unknown" && version !== sent && (seen.ended || isDue)) {
        await sink.send({ event: "report", data: one(seen.data).document, id: version });
        sent = version;
        sentAt = now;
        silentSince = now;
      }
      if (seen !== "unknown" && seen.ended)
        return await sink.send({ event: "end", data: { reason: seen.phase.toLowerCase() }, id: version });
      if (now - silentSince >= limits.heartbeat) {
        await sink.heartbeat();
        silentSince = now;
      }
      const pending = version === sent ? limits.pollInterval : sentAt + limits.eventInterval - now;
      await notifier.changed(Math.min(pending, limits.pollInterval, silentSince + limits.heartbeat - now), signal);
    }
  } finally {
    notifier.end();
  }
}

/** @throws RequestError 404, 401 when there is no such report for the caller */
async function look(context: Context): Promise<Seen> {
  const { report, owned } = await visibleReport(context);
  const { phase } = report;
  return { data: reportDocument(context, report, owned), phase, ended: phase === "Complete" || phase === "Failed" };
}

async function recheck(context: Context): Promise<Seen | "gone" | "unknown"> {
  try {
    return await look(context);
  } catch (error) {
    if (error instanceof RequestError) return "gone";
    // The database may come back; until then the stream stays open.
    if (isConnectionLoss(error)) return "unknown";
    throw error;
  }
}

/** The report's version: the ETag of its document in a media type. */
function versionIn(seen: Seen, mediaType: string): string {
  return versionOf(JSON.stringify(one(seen.data).document), mediaType);
}
