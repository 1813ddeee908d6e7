import { isConnectionLoss } from "../../../database/connection/errors.ts";
import type { ChangeSubscription } from "../../../database/notifications.ts";
import { RequestError } from "../../../domain/errors.ts";
import { matchesEtag, versionOf } from "../../../responses/version.ts";
import { isEndPhase } from "../../../schema/status.ts";
import type { Context, Route, RouteResponse } from "../../context.ts";
import type { Resource } from "../../documents.ts";
import type { EventSink } from "../../events/event-stream.ts";
import { preferredWait, tooManyStreams } from "../../events/subscriptions.ts";
import { one } from "../../http/response/documents.ts";
import { visibleReport } from "./report-access.ts";
import { reportDocument } from "./report-document.ts";

const JSON_API = "application/vnd.api+json";

/** A report at one moment. */
type Snapshot = { data: Resource<"report">; phase: string; ended: boolean };

export const reportEvents: readonly Route[] = [
  {
    method: "GET",
    path: "/reports/:report_id/events",
    id: "streamReportEvents",
    tag: "Reports",
    summary: "Follow a report",
    description:
      "Server-sent events: a report event has the report's document whenever it has changed, and the end event has a reason (complete, failed or deleted). An event's id is the version. A client that reconnects with the last id in Last-Event-ID receives only what is new, or 204 when there are no more events.",
    success: { kind: "events" },
    headers: ["LastEventId"],
    access: "shared",
    site: "report",
    handle: async (context) => {
      const snapshot = await readSnapshot(context);
      // A client that has seen the end need not reconnect: 204 tells a browser's EventSource to stop.
      if (snapshot.ended && context.header("last-event-id") === versionIn(snapshot, JSON_API)) return { status: 204 };
      return { status: 200, events: (sink, signal) => stream(context, snapshot.data.id, sink, signal) };
    },
  },
];

/**
 * Responds with the report. With `Prefer: wait=<seconds>` it waits until the version differs from
 * the one in If-None-Match (without that header: until the report ends) or the time is over.
 */
export async function showReport(context: Context): Promise<RouteResponse> {
  const snapshot = await readSnapshot(context);
  const seconds = preferredWait(context.header("prefer"));
  if (seconds === undefined) return one(snapshot.data);
  const applied = { "Preference-Applied": `wait=${seconds}` };
  if (!isSame(context, snapshot)) return { ...one(snapshot.data), headers: applied };
  const subscription = context.subscriptions.subscribe(context.caller, snapshot.data.id);
  // Waiting is only a preference (RFC 7240): beyond the limits the response is the current version.
  if (!subscription) return one(snapshot.data);
  try {
    return { ...one((await nextVersion(context, subscription, seconds * 1_000)).data), headers: applied };
  } finally {
    subscription.end();
  }
}

async function nextVersion(context: Context, subscription: ChangeSubscription, ms: number): Promise<Snapshot> {
  const until = performance.now() + ms;
  const signal = context.abortSignal();
  for (;;) {
    const snapshot = await readSnapshot(context);
    const rest = until - performance.now();
    if (!isSame(context, snapshot) || rest <= 0 || signal.aborted) return snapshot;
    await subscription.changed(Math.min(rest, context.subscriptions.limits.pollInterval), signal);
  }
}

/** True when there is nothing new for this client: the report has not ended, and the client has its version. */
function isSame(context: Context, snapshot: Snapshot): boolean {
  if (snapshot.ended) return false;
  const known = context.header("if-none-match");
  return known === undefined || matchesEtag(known, `"${versionIn(snapshot, context.mediaType)}"`);
}

/** Sends each version of the report until it ends, is deleted or the signal aborts. */
async function stream(context: Context, reportId: string, sink: EventSink, signal: AbortSignal): Promise<void> {
  const { limits } = context.subscriptions;
  const subscription = context.subscriptions.subscribe(context.caller, reportId);
  if (!subscription) throw tooManyStreams(limits, context.caller === null);
  try {
    let sent = context.header("last-event-id");
    let sentAt = Number.NEGATIVE_INFINITY;
    // The first heartbeat is due at once, so that the client knows that it is connected.
    let silentSince = Number.NEGATIVE_INFINITY;
    while (!signal.aborted) {
      const snapshot = await rereadSnapshot(context);
      if (snapshot === "gone") return await sink.send({ event: "end", data: { reason: "deleted" } });
      const now = performance.now();
      const version = snapshot === "unknown" ? sent : versionIn(snapshot, JSON_API);
      const isDue = now - sentAt >= limits.eventInterval;
      if (snapshot !== "unknown" && version !== sent && (snapshot.ended || isDue)) {
        await sink.send({ event: "report", data: one(snapshot.data).document, id: version });
        sent = version;
        sentAt = now;
        silentSince = now;
      }
      if (snapshot !== "unknown" && snapshot.ended)
        return await sink.send({ event: "end", data: { reason: snapshot.phase.toLowerCase() }, id: version });
      if (now - silentSince >= limits.heartbeat) {
        await sink.heartbeat();
        silentSince = now;
      }
      const pending = version === sent ? limits.pollInterval : sentAt + limits.eventInterval - now;
      await subscription.changed(Math.min(pending, limits.pollInterval, silentSince + limits.heartbeat - now), signal);
    }
  } finally {
    subscription.end();
  }
}

/** @throws RequestError 404, 401 when there is no such report for the caller */
async function readSnapshot(context: Context): Promise<Snapshot> {
  const { report, owned } = await visibleReport(context);
  const { phase } = report;
  return { data: reportDocument(context, report, owned), phase, ended: isEndPhase(phase) };
}

async function rereadSnapshot(context: Context): Promise<Snapshot | "gone" | "unknown"> {
  try {
    return await readSnapshot(context);
  } catch (error) {
    if (error instanceof RequestError) return "gone";
    // The database may come back; until then the stream stays open.
    if (isConnectionLoss(error)) return "unknown";
    throw error;
  }
}

/** The report's version: the ETag of its document in a media type. */
function versionIn(snapshot: Snapshot, mediaType: string): string {
  return versionOf(JSON.stringify(one(snapshot.data).document), mediaType);
}
