import { type Request, type RequestHandler, type Response, text } from "express";
import type { Principal } from "../../domain/accounts/principal.ts";
import { RequestError } from "../../domain/errors.ts";
import type { Context, Route } from "../context.ts";
import { producedTypes } from "../openapi/operation.ts";
import { authenticate, requireRight, unauthenticated } from "./request/authenticate.ts";
import { readAnyBody, readAttributes } from "./request/body.ts";
import type { Holder } from "./request/holders.ts";
import type { Attempt } from "./request/idempotency.ts";
import { requireAccepted, requireJsonBody } from "./request/negotiate.ts";
import { originOf } from "./request/origin.ts";
import { readQuery } from "./request/query.ts";
import { callerAddress } from "./request/rate-limit.ts";
import { serviceAddress } from "./request/service-address.ts";
import { sendResponse } from "./response/send-response.ts";
import { countCall, holderOf, type RouteDeps, runFor, runRoute } from "./run-route.ts";

const readText = text({ limit: "1mb", type: () => true, defaultCharset: "utf-8" });
const readFile = text({ limit: "8mb", type: () => true, defaultCharset: "utf-8" });
/** Longer than any definition of a report. */
const readShortText = text({ limit: "256kb", type: () => true, defaultCharset: "utf-8" });

/**
 * Creates the request handler of a route. It authenticates and authorizes the caller, reads
 * and checks the request, calls the resource's own handler and sends its response.
 */
export function dispatch(route: Route, routeDeps: RouteDeps): RequestHandler<Record<string, string>> {
  return async (request, response) => {
    const caller = await admit(route, routeDeps, request, response);
    const key = holderOf(caller, request as Request);
    await runFor(key, () => handle(route, routeDeps, { request, response, caller, key }));
  };
}

type Admitted = {
  request: Request<Record<string, string>>;
  response: Response;
  caller: Principal | null;
  key: Holder;
};

/** Reads the request of an admitted caller, and responds. */
async function handle(route: Route, routeDeps: RouteDeps, { request, response, caller, key }: Admitted): Promise<void> {
  const { deps, subscriptions } = routeDeps;
  const mediaType = requireAccepted(request as Request, producedTypes(route));
  const repeatKey = request.get("idempotency-key");
  const address = serviceAddress(request as Request, deps.baseUrl);
  // The response to a request with a key is stored.
  const base = `${repeatKey === undefined ? address.base : address.ownBase}/api/v1`;
  const search = new URL(request.originalUrl, "http://localhost").searchParams;
  const query = readQuery(search, route.parameters);
  const attributes = await bodyAttributes(route, request as Request, response);
  const context: Omit<Context, keyof Attempt> = {
    deps,
    base,
    ownBase: `${address.ownBase}/api/v1`,
    self: { path: `${base}${request.path}`, query: search },
    params: request.params,
    query,
    caller,
    requestId: response.locals.requestId,
    attributes,
    header: (name) => request.get(name),
    mediaType,
    origin: () => originOf(request as Request, "api"),
    subscriptions,
    abortSignal: (after) => subscriptions.abortSignal(response, after),
  };
  const result = await runRoute(route, routeDeps, { context, path: request.path, key, repeatKey });
  const to = { request: request as Request, response, key, isAnonymous: caller === null, mediaType };
  await sendResponse(routeDeps, to, result);
}

/** Says who calls, and counts the call. @throws RequestError 401, 403 or 429 */
export async function admit(
  route: Pick<Route, "access" | "method" | "right" | "site">,
  routeDeps: RouteDeps,
  request: Request | Request<Record<string, string>>,
  response: Response,
): Promise<Principal | null> {
  const { deps, limit } = routeDeps;
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
  await countCall(routeDeps, caller, { request: request as Request, response });
  if (caller) {
    response.locals.caller = caller;
    return requireRight(caller, route);
  }
  return caller;
}

/** The id of what there is one of. */
const OF_ACCOUNT = "account";

async function bodyAttributes(route: Route, request: Request, response: Response): Promise<Context["attributes"]> {
  if (route.takesAnyBody) {
    await new Promise<unknown>((resolve) => readShortText(request, response, resolve));
    return readAnyBody(typeof request.body === "string" ? request.body : "");
  }
  if (route.body === undefined) return {};
  const hasBody = request.get("transfer-encoding") !== undefined || Number(request.get("content-length") ?? 0) > 0;
  if (hasBody) requireJsonBody(request);
  await new Promise<void>((resolve, reject) => {
    const read = route.takesFile ? readFile : readText;
    read(request, response, (error?: unknown) => (error ? reject(error) : resolve()));
  });
  const body: unknown = request.body;
  // What there is one of for an account has no id in its address.
  const id = route.method === "PATCH" ? (Object.values(request.params).at(-1) ?? OF_ACCOUNT) : undefined;
  return readAttributes(typeof body === "string" ? body : "", { type: route.body.type, id: id?.toString() });
}
