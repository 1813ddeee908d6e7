import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { ClusterError, type WatchEvent } from "../port.ts";
import { type ApiServer, reasonOf } from "./request.ts";

/** How long the API server keeps a watch open; random, so that many watchers do not reconnect at the same time. */
const TIMEOUT_SECONDS = { min: 240, max: 300 };

/** A watch gets a bookmark about once a minute: after this much silence the connection is half open. */
export const SILENCE_MS = 150_000;

type RawEvent<Object> = { type: string; object: Object & { code?: number; reason?: string; message?: string } };

/**
 * Yields the changes after a version, from one watch request. Returns when the connection ends or
 * falls silent, or `signal` aborts; the caller starts the next watch.
 *
 * @throws ClusterError `Expired` when the version is too old, at the start or in mid-stream
 */
export async function* watchEvents<Object extends { metadata: { resourceVersion: string } }>(
  server: ApiServer,
  path: string,
  options: { resourceVersion: string; labelSelector: string | undefined; signal: AbortSignal; silenceMs: number },
): AsyncGenerator<WatchEvent<Object>> {
  const { min, max } = TIMEOUT_SECONDS;
  const silence = new AbortController();
  const watchdog = setTimeout(() => silence.abort(new Error("the watch fell silent")), options.silenceMs);
  const signal = AbortSignal.any([options.signal, silence.signal]);
  let body: Readable | undefined;
  try {
    body = await server.stream(path, {
      signal,
      query: {
        watch: "true",
        allowWatchBookmarks: "true",
        resourceVersion: options.resourceVersion,
        labelSelector: options.labelSelector,
        timeoutSeconds: String(Math.round(min + Math.random() * (max - min))),
      },
    });
    // A broken connection also throws below; without this listener its error would end the process.
    body.on("error", () => {});
    const lines = createInterface({ input: body, crlfDelay: Number.POSITIVE_INFINITY });
    // It emits the connection's error even if the caller has already left the loop.
    lines.on("error", () => {});
    for await (const line of lines) {
      watchdog.refresh();
      const event = parse<Object>(line);
      if (!event || options.signal.aborted) return;
      yield event;
    }
  } catch (error) {
    // As the port requires, a lost connection ends the watch.
    if (signal.aborted || error === body?.errored) return;
    throw error;
  } finally {
    clearTimeout(watchdog);
    // Closes the connection when the caller leaves the loop.
    body?.destroy();
  }
}

/** Parses one line of a watch; undefined when the line is incomplete. */
function parse<Object extends { metadata: { resourceVersion: string } }>(line: string): WatchEvent<Object> | undefined {
  let event: RawEvent<Object>;
  try {
    event = JSON.parse(line) as RawEvent<Object>;
  } catch {
    return undefined;
  }
  switch (event.type) {
    case "ADDED":
    case "MODIFIED":
    case "DELETED":
      return { type: event.type, object: event.object };
    case "BOOKMARK":
      return { type: "BOOKMARK", resourceVersion: event.object.metadata.resourceVersion };
    default: {
      // ERROR carries a metav1.Status instead of an object.
      const { code = 500, message = "no message", reason } = event.object;
      throw new ClusterError(reasonOf(code, reason ? { reason } : {}), `The watch ended with ${code}: ${message}`);
    }
  }
}
