import type { Request, RequestHandler, Response } from "express";
import { text } from "express";
import { RequestError } from "../../domain/errors.ts";
import type { Principal } from "../../domain/principal.ts";
import { gzipped, usesGzip } from "../../net/responses/gzip.ts";
import type { ApiDeps, Context, Route, RouteResponse } from "../context.ts";
import { sendEvents } from "../events/event-stream.ts";
import type { ReportSubscriptions } from "../events/subscriptions.ts";
import { authenticate, requireScope, unauthenticated } from "./authenticate.ts";
import { readAttributes } from "./body.ts";
import { malformed } from "./errors.ts";
import { isKnownVersion } from "./etag.ts";
import { type Attempt, type Idempotency, randomName, serializeResponse } from "./idempotency.ts";
import { requireAccepted, requireJsonBody } from "./negotiate.ts";
import type { PendingAnswers } from "./pending-answers.ts";
import { readQuery } from "./query.ts";
import { callerAddress, type RateLimiter } from "./rate-limit.ts";
import { type StreamSlots, sendStream } from "./send-stream.ts";
import type { Turns } from "./turns.ts";

/** What all routes share. */
export type RouteDeps = {
  deps: ApiDeps;
  limit: RateLimiter;
  idempotency: Idempotency;
  subscriptions: ReportSubscriptions;
  pending: PendingAnswers;
  streams: StreamSlots;
  turns: Turns;
};

const readText = text({ limit: "1mb", type: () => true, defaultCharset: "utf-8" });

/**
 * Creates the request handler of a route. It authenticates and authorizes the caller, reads
 * and checks the request, calls the resource's own handler and sends its response.
 */
export function dispatch(route: Route, routeDeps: RouteDeps): RequestHandler<Record<string, string>> {
  const { deps, subscriptions, pending, streams } = routeDeps;
  return async (request, response) => {
    const caller = await admit(route, routeDeps, request, response);
    const key = limitKey(caller, request as Request);
    const count = (bytes: number) => pending.count(response, key, bytes);
    const mediaType = requireAccepted(request as Request, route.produces);
    const base = `${deps.baseUrl ?? requestBase(request as Request)}/api/v1`;
    const search = new URL(request.originalUrl, "http://localhost").searchParams;
    const query = readQuery(search, route.parameters ?? []);
    const attributes = await bodyAttributes(route, request as Request, response);
    const context: Omit<Context, keyof Attempt> = {
      deps,
      base,
      self: { path: `${base}${request.path}`, query: search },
      params: request.params,
      query,
      caller,
      requestId: response.locals.requestId,
      attributes,
      header: (name) => request.get(name),
      mediaType,
      subscriptions,
      abortSignal: (after) => subscriptions.abortSignal(response, after),
    };
    const run = (attempt: Attempt) => runRoute(route, routeDeps, key, context, attempt);
    const repeatKey = request.get("idempotency-key");
    if (route.method === "POST" && repeatKey !== undefined && caller && !route.showsSecret) {
      const content = JSON.stringify([route.method, request.path, attributes]);
      const now = deps.now();
      const keep = !route.rerunsOnRetry;
      const stored = await routeDeps.idempotency(
        { db: deps.db, tokenId: caller.tokenId, key: repeatKey, content, now, keep },
        run,
      );
      await sendDocument(request as Request, response, stored, mediaType, count);
    } else {
      const result = await run(firstAttempt());
      if ("events" in result && request.method !== "HEAD")
        await sendEvents(response, context.abortSignal(subscriptions.limits.maxDuration), result.events);
      else if ("stream" in result) {
        const give = streams.take(key, caller === null);
        try {
          await sendStream(request as Request, response, result.stream, context.abortSignal());
        } finally {
          give();
        }
      } else await send(request as Request, response, result, mediaType, count);
    }
  };
}

function firstAttempt(): Attempt {
  return { uniqueName: randomName(), isRetry: false };
}

/** Calls the resource's handler; one that makes the database work waits for its turn. @param key whose turns count */
export async function runRoute(
  route: Route,
  { turns }: Pick<RouteDeps, "turns">,
  key: string,
  context: Omit<Context, keyof Attempt>,
  attempt: Attempt = firstAttempt(),
): Promise<RouteResponse> {
  if (!route.isHeavy) return route.handle({ ...context, ...attempt });
  const end = await turns.take(key, context.abortSignal());
  return route.handle({ ...context, ...attempt }).finally(end);
}

async function admit(
  route: Route,
  { deps, limit }: RouteDeps,
  request: Request<Record<string, string>>,
  response: Response,
): Promise<Principal | null> {
  const now = deps.now();
  const address = callerAddress(request as Request);
  if (route.access === "public") {
    await limit(address, response, now);
    return null;
  }
  let caller: Principal | null;
  try {
    caller = await authenticate(request as Request, deps.db, now);
    if (!caller && route.access === "account") throw unauthenticated();
  } catch (error) {
    // Wrong credentials count as a call; an unavailable database is not the caller's fault.
    if (error instanceof RequestError) await limit(address, response, now);
    throw error;
  }
  await limit(limitKey(caller, request as Request), response, now);
  if (caller) {
    response.locals.caller = caller;
    requireScope(caller, route.method);
  }
  return caller;
}

/** Whose limits a request counts for: the account's, with all its tokens and guests, or the address's. */
export function limitKey(caller: Principal | null, request: Request): string {
  return caller ? `account ${caller.accountId}` : callerAddress(request);
}

async function bodyAttributes(route: Route, request: Request, response: Response): Promise<Context["attributes"]> {
  if (route.bodyType === undefined) return {};
  const hasBody = request.get("transfer-encoding") !== undefined || Number(request.get("content-length") ?? 0) > 0;
  if (hasBody) requireJsonBody(request);
  await new Promise<void>((resolve, reject) => {
    readText(request, response, (error?: unknown) => (error ? reject(error) : resolve()));
  });
  const body: unknown = request.body;
  const id = route.method === "PATCH" ? Object.values(request.params).at(-1) : undefined;
  return readAttributes(typeof body === "string" ? body : "", { type: route.bodyType, id: id?.toString() });
}

type Count = (bytes: number) => void;

async function send(
  request: Request,
  response: Response,
  result: Exclude<RouteResponse, { stream: unknown }>,
  mediaType: string,
  count: Count,
): Promise<void> {
  if (result.status === 204) response.status(204).end();
  else if ("events" in result) response.status(result.status).type(mediaType).end();
  else if ("file" in result) {
    count(result.file.bytes.length);
    response.status(result.status).type(result.file.type).send(result.file.bytes);
  } else {
    const stored = serializeResponse(result);
    if (isKnownVersion(request, response, result, { body: stored.body, mediaType })) {
      usesGzip(request, response, Buffer.byteLength(stored.body));
      response.status(304).set(stored.headers).end();
    } else await sendDocument(request, response, stored, mediaType, count);
  }
}

/** Sends bytes: Express would add a charset to text, which JSON:API's media type must not have. */
async function sendDocument(
  request: Request,
  response: Response,
  result: { status: number; headers: Record<string, string>; body: string },
  mediaType: string,
  count: Count,
): Promise<void> {
  const plain = Buffer.from(result.body);
  const body = usesGzip(request, response, plain.length) ? await gzipped(response, plain) : plain;
  count(body.length);
  response.status(result.status).set(result.headers).type(mediaType).send(body);
}

/** The base URL as the client addressed it, for when BASE_URL is not set. */
export function requestBase(request: Request): string {
  const { host } = request;
  if (host && /^[\w.-]+(:\d+)?$|^\[[0-9a-fA-F:.]+\](:\d+)?$/.test(host)) return `${request.protocol}://${host}`;
  throw malformed("invalid_host", "The Host header is missing, or is not a host name.", { header: "Host" });
}
