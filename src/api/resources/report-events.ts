import { isConnectionLoss } from "../../database/connection/connection-loss.ts";
import type { Bell } from "../../database/report-changes.ts";
import { RequestError } from "../../domain/errors.ts";
import type { Answer, Context, Route } from "../context.ts";
import { one, type ResourceDocument } from "../documents.ts";
import { isAmong, versionOf } from "../etag.ts";
import type { EventSink } from "../event-stream.ts";
import { visibleReport } from "../report-access.ts";
import { reportDocument } from "../report-document.ts";
import { noPlace, preferredWait } from "../watching.ts";

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
      // Whoever has seen the end need not come again: 204 tells a browser's EventSource so.
      if (seen.ended && context.header("last-event-id") === versionIn(seen, JSON_API)) return { status: 204 };
      return { status: 200, events: (sink, left) => stream(context, seen.data.id, sink, left) };
    },
  },
];

/**
 * The report; with `Prefer: wait=<seconds>` once it is another than If-None-Match names (any
 * is the same, without one), has ended, or the time is over.
 */
export async function showReport(context: Context): Promise<Answer> {
  const seen = await look(context);
  const seconds = preferredWait(context.header("prefer"));
  if (seconds === undefined) return one(seen.data);
  const applied = { "Preference-Applied": `wait=${seconds}` };
  if (!isSame(context, seen)) return { ...one(seen.data), headers: applied };
  const bell = context.watching.begin(context, seen.data.id);
  // Nobody has to be waited for: without a place the answer is the one of now.
  if (!bell) return one(seen.data);
  try {
    return { ...one((await nextVersion(context, bell, seconds * 1_000)).data), headers: applied };
  } finally {
    bell.end();
  }
}

async function nextVersion(context: Context, bell: Bell, ms: number): Promise<Seen> {
  const until = performance.now() + ms;
  const left = context.departure();
  for (;;) {
    const seen = await look(context);
    const rest = until - performance.now();
    if (!isSame(context, seen) || rest <= 0 || left.aborted) return seen;
    await bell.changed(Math.min(rest, context.watching.limits.look), left);
  }
}

/** Nothing new for this client: the report goes on, and is what it knows. */
function isSame(context: Context, seen: Seen): boolean {
  if (seen.ended) return false;
  const known = context.header("if-none-match");
  return known === undefined || isAmong(known, `"${versionIn(seen, context.mediaType)}"`);
}

/** Sends each version of the report, until it has ended or is gone, the client leaves or the stream is old. */
async function stream(context: Context, reportId: string, sink: EventSink, left: AbortSignal): Promise<void> {
  const { limits } = context.watching;
  const bell = context.watching.begin(context, reportId);
  if (!bell) throw noPlace(limits, context.caller === null);
  try {
    let sent = context.header("last-event-id");
    let sentAt = Number.NEGATIVE_INFINITY;
    // At once, so that the client knows that it is connected.
    let silentSince = Number.NEGATIVE_INFINITY;
    while (!left.aborted) {
      const seen = await lookAgain(context);
      if (seen === "gone") return await sink.send({ event: "end", data: { reason: "deleted" } });
      const now = performance.now();
      const version = seen === "unknown" ? sent : versionIn(seen, JSON_API);
      const isDue = now - sentAt >= limits.spacing;
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
      const pending = version === sent ? limits.look : sentAt + limits.spacing - now;
      await bell.changed(Math.min(pending, limits.look, silentSince + limits.heartbeat - now), left);
    }
  } finally {
    bell.end();
  }
}

/** @throws RequestError 404, 401 when there is no such report for the caller */
async function look(context: Context): Promise<Seen> {
  const { report, owned } = await visibleReport(context);
  const { phase } = report;
  return { data: reportDocument(context, report, owned), phase, ended: phase === "Complete" || phase === "Failed" };
}

async function lookAgain(context: Context): Promise<Seen | "gone" | "unknown"> {
  try {
    return await look(context);
  } catch (error) {
    if (error instanceof RequestError) return "gone";
    // The database will be back, or the client is told by the stream's end.
    if (isConnectionLoss(error)) return "unknown";
    throw error;
  }
}

/** The report's version, as the ETag of its document in a media type names it. */
function versionIn(seen: Seen, mediaType: string): string {
  return versionOf(JSON.stringify(one(seen.data).document), mediaType);
}
