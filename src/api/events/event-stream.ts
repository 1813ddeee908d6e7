import { once } from "node:events";
import type { Response } from "express";

/** A server-sent event (the HTML standard, "Server-sent events"). */
export type ServerEvent = { event: string; data: object; id?: string | undefined };

/** Where a stream's events go. Each call resolves when the client can take more. */
export type EventSink = { send(event: ServerEvent): Promise<void>; heartbeat(): Promise<void> };

/** Milliseconds until a client that lost the stream reconnects. */
const RECONNECT_MS = 2_000;

/**
 * Sends the events of `run` as an event stream. The response begins with the first event, so an
 * earlier error becomes an ordinary error response.
 */
export async function sendEvents(
  response: Response,
  signal: AbortSignal,
  run: (sink: EventSink, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const write = async (text: string) => {
    if (signal.aborted) return;
    if (!response.headersSent) {
      response.status(200).set({
        "Content-Type": "text/event-stream",
        // Without these, proxies buffer events.
        "Cache-Control": "no-store, no-transform",
        "X-Accel-Buffering": "no",
      });
      response.write(`retry: ${RECONNECT_MS}\n\n`);
    }
    if (!response.write(text)) await once(response, "drain", { signal }).catch(() => {});
  };
  const sink: EventSink = {
    send: ({ event, data, id }) =>
      write(`${id === undefined ? "" : `id: ${id}\n`}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`),
    heartbeat: () => write(": still here\n\n"),
  };
  await run(sink, signal);
  // A client that does not read would keep the connection open, and so keep the service from stopping.
  if (response.writableNeedDrain) response.destroy();
  else response.end();
}
