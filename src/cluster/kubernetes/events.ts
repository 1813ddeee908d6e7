import { createHash } from "node:crypto";
import { type ClusterEvent, isClusterError } from "../port.ts";
import type { ApiServer } from "./request.ts";

/** The API server's own limits. */
const MAX_MESSAGE_LENGTH = 1_024;
const MAX_REASON_LENGTH = 128;
/** An event's name consists of the object's name and a digest, and may have 253 characters. */
const MAX_BASE_LENGTH = 230;
/** How many events' counts are kept in memory; a dropped count starts again at 1. */
const MAX_COUNTS = 1_000;

/**
 * Records core/v1 Events. The same event about the same object has the same name, whichever
 * replica records it: repetitions are counted, which needs only the rights to create and patch.
 */
export function createRecorder(server: ApiServer, now: () => Date = () => new Date()) {
  const counts = new Map<string, number>();

  return async function record(event: ClusterEvent): Promise<void> {
    const { apiVersion, kind, metadata } = event.about;
    const { namespace, name, uid } = metadata;
    const reason = event.reason.slice(0, MAX_REASON_LENGTH);
    const message = event.message.slice(0, MAX_MESSAGE_LENGTH);
    const digest = createHash("sha256")
      .update(JSON.stringify([uid, event.type, reason, message]))
      .digest("hex");
    const eventName = `${name.slice(0, MAX_BASE_LENGTH)}.${digest.slice(0, 16)}`;
    const count = (counts.get(digest) ?? 0) + 1;
    const time = now()
      .toISOString()
      .replace(/\.\d+Z$/, "Z");
    const collection = `/api/v1/namespaces/${encodeURIComponent(namespace)}/events`;
    try {
      await server.request("POST", collection, {
        body: {
          apiVersion: "v1",
          kind: "Event",
          metadata: { name: eventName, namespace },
          involvedObject: { apiVersion, kind, namespace, name, uid },
          type: event.type,
          reason,
          message,
          source: { component: "site-validator" },
          reportingComponent: "sitevalidation.io/controller",
          reportingInstance: "controller",
          firstTimestamp: time,
          lastTimestamp: time,
          count,
        },
      });
    } catch (error) {
      if (!isClusterError(error, "AlreadyExists")) throw error;
      await server.request("PATCH", `${collection}/${encodeURIComponent(eventName)}`, {
        contentType: "application/merge-patch+json",
        body: { lastTimestamp: time, count: Math.max(2, count) },
      });
    }
    counts.set(digest, Math.max(count, counts.get(digest) ?? 0));
    for (const [oldest] of counts) {
      if (counts.size <= MAX_COUNTS) break;
      counts.delete(oldest);
    }
  };
}
