import type { Request, Response } from "express";
import type { StoredResponse } from "../../../database/accounts/api-requests.ts";
import { gzipped, usesGzip } from "../../../responses/gzip.ts";
import type { RouteResponse } from "../../context.ts";
import { sendEvents } from "../../events/event-stream.ts";
import type { Holder } from "../request/holders.ts";
import { serializeResponse } from "../request/idempotency.ts";
import type { RouteDeps } from "../run-route.ts";
import { isKnownVersion } from "./etag.ts";
import { sendBytes } from "./send-bytes.ts";
import { sendStream } from "./send-stream.ts";

/** Where a response goes. `key` identifies whose limits count (holderOf); anonymous callers have stricter ones. */
export type Recipient = {
  request: Request;
  response: Response;
  key: Holder;
  isAnonymous: boolean;
  mediaType: string;
};

/** Sends a route's response: a document, a file, a stream or events. */
export async function sendResponse(
  routeDeps: Pick<RouteDeps, "subscriptions" | "streams" | "pending">,
  to: Recipient,
  result: RouteResponse | StoredResponse,
): Promise<void> {
  const { subscriptions, streams, pending } = routeDeps;
  const { request, response, key, isAnonymous, mediaType } = to;
  if ("body" in result) return sendDocument(routeDeps, to, result);
  if ("stream" in result) {
    const give = streams.take(key, isAnonymous);
    return sendStream(request, response, result.stream, subscriptions.abortSignal(response)).finally(give);
  }
  if ("events" in result) {
    if (request.method === "HEAD") response.status(result.status).type(mediaType).end();
    else {
      const signal = subscriptions.abortSignal(response, subscriptions.limits.maxDuration);
      await sendEvents(response, signal, result.events);
    }
  } else if ("file" in result) {
    await sendBytes(request, response, result.file, (bytes) => pending.count(response, key, bytes));
  } else if (result.status === 204) response.status(204).end();
  else {
    const stored = serializeResponse(result);
    if (isKnownVersion(request, response, result, { body: stored.body, mediaType })) {
      usesGzip(request, response, Buffer.byteLength(stored.body));
      response.status(304).set(stored.headers).end();
    } else await sendDocument(routeDeps, to, stored);
  }
}

/** Sends bytes: Express would add a charset to text, which JSON:API's media type must not have. */
async function sendDocument(
  { pending }: Pick<RouteDeps, "pending">,
  { request, response, key, mediaType }: Recipient,
  { status, headers, body: text }: StoredResponse,
): Promise<void> {
  const plain = Buffer.from(text);
  const body = usesGzip(request, response, plain.length) ? await gzipped(response, plain) : plain;
  pending.count(response, key, body.length);
  response.status(status).set(headers).type(mediaType).send(body);
}
