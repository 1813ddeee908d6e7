import type { StoredResponse } from "../../database/accounts/api-requests.ts";
import type { Context, Route, RouteResponse } from "../context.ts";
import { producedTypes } from "../openapi/operation.ts";
import type { Call, Calls, HttpExchange } from "../page-port.ts";
import { requireScope, unauthenticated } from "./request/authenticate.ts";
import { requireHarmless } from "./request/body.ts";
import type { Attempt } from "./request/idempotency.ts";
import { readQuery } from "./request/query.ts";
import { serviceAddress } from "./request/service-address.ts";
import { methodNotAllowed, notFound } from "./response/errors.ts";
import { sendResponse } from "./response/send-response.ts";
import { countCall, holderOf, type RouteDeps, runFor, runRoute } from "./run-route.ts";

type Matcher = { route: Route; pattern: RegExp; names: string[] };

export function createCalls(routes: readonly Route[], routeDeps: RouteDeps): Calls {
  const { deps, subscriptions } = routeDeps;
  const matchers = routes.map(matcherOf);

  async function run(
    { request, response }: HttpExchange,
    { method, path, query, attributes, caller, repeatKey, shareSecret, isPart }: Call,
  ): Promise<{ result: RouteResponse | StoredResponse; mediaType: string }> {
    const { route, params } = matchOf(matchers, method, path);
    const who = route.access === "public" ? null : caller;
    if (who === null && route.access === "account") throw unauthenticated();
    if (!isPart) await countCall(routeDeps, who, { request, response });
    if (who) requireScope(who, method);
    requireHarmless(attributes);
    const search = query ?? new URLSearchParams();
    const address = serviceAddress(request, deps.baseUrl);
    // The response to a request with a key is stored.
    const base = `${repeatKey === undefined ? address.base : address.ownBase}/api/v1`;
    const mediaType = producedTypes(route)?.[0] ?? "application/vnd.api+json";
    const context: Omit<Context, keyof Attempt> = {
      deps,
      base,
      ownBase: `${address.ownBase}/api/v1`,
      self: { path: `${base}${path}`, query: search },
      params,
      query: readQuery(search, route.parameters),
      caller: who,
      requestId: response.locals.requestId,
      attributes: attributes ?? {},
      // The browser's headers are about the page that it requests, not about this call.
      header: (name) =>
        name === "last-event-id" ? request.get(name) : name === "share-link" ? shareSecret : undefined,
      mediaType,
      subscriptions,
      abortSignal: (after) => subscriptions.abortSignal(response, after),
    };
    const key = holderOf(who, request);
    const result = await runFor(key, () => runRoute(route, routeDeps, { context, path, key, repeatKey }));
    return { result, mediaType };
  }

  return {
    async call(exchange, call) {
      const { result } = await run(exchange, call);
      return "body" in result ? { status: result.status, document: JSON.parse(result.body) as object } : result;
    },
    async forward(exchange, call) {
      const { result, mediaType } = await run(exchange, call);
      const key = holderOf(call.caller, exchange.request);
      const to = { ...exchange, key, isAnonymous: call.caller === null, mediaType };
      await runFor(key, () => sendResponse(routeDeps, to, result));
    },
    async sendFile(exchange, file, { caller }) {
      const type = "text/html";
      const to = {
        ...exchange,
        key: holderOf(caller, exchange.request),
        isAnonymous: caller === null,
        mediaType: type,
      };
      await sendResponse(routeDeps, to, { status: 200, stream: { type, ...file } });
    },
  };
}

/** A route's path as a pattern; a parameter matches one segment of a path. */
function matcherOf(route: Route): Matcher {
  const names = [...route.path.matchAll(/:(\w+)/g)].map(([, name = ""]) => name);
  const pattern = route.path.replace(/[.*+?^${}()|[\]\\]/g, "\\$&").replace(/:\w+/g, "([^/]+)");
  return { route, names, pattern: new RegExp(`^${pattern}$`) };
}

function matchOf(matchers: readonly Matcher[], method: Route["method"], path: string) {
  const matching = matchers.flatMap((matcher) => {
    const match = matcher.pattern.exec(path);
    return match ? [{ ...matcher, values: match.slice(1) }] : [];
  });
  const found = matching.find(({ route }) => route.method === method);
  if (!found)
    throw matching.length === 0
      ? notFound("address")
      : methodNotAllowed(method, matching.map(({ route }) => route.method).join(", "));
  const params = Object.fromEntries(found.names.map((name, index) => [name, decoded(found.values[index] ?? "")]));
  return { route: found.route, params };
}

/** @throws RequestError 404 for what is not percent-encoded UTF-8 */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw notFound("address");
  }
}
