import type { StoredResponse } from "../../database/accounts/api-requests.ts";
import type { Context, Route, RouteResponse } from "../context.ts";
import { producedTypes } from "../openapi/operation.ts";
import type { Call, Calls, HttpExchange } from "../page-port.ts";
import { matcherOf, matchOf } from "./match-route.ts";
import { requireRight, unauthenticated } from "./request/authenticate.ts";
import { requireHarmless } from "./request/body.ts";
import type { Attempt } from "./request/idempotency.ts";
import { originOf } from "./request/origin.ts";
import { readQuery } from "./request/query.ts";
import { serviceAddress } from "./request/service-address.ts";
import { sendResponse } from "./response/send-response.ts";
import { countCall, holderOf, type RouteDeps, runFor, runRoute } from "./run-route.ts";
import { TOOLS_PATH } from "./tools-path.ts";

export function createCalls(routes: readonly Route[], routeDeps: RouteDeps): Calls {
  const { deps, subscriptions } = routeDeps;
  const matchers = routes.map(matcherOf);

  async function run(
    { request, response }: HttpExchange,
    { method, path, query, attributes, caller, repeatKey, shareSecret, isPart }: Call,
  ): Promise<{ result: RouteResponse | StoredResponse; mediaType: string }> {
    const { route, params } = matchOf(matchers, method, path);
    const asks = route.access === "public" ? null : caller;
    if (asks === null && route.access === "account") throw unauthenticated();
    if (!isPart) await countCall(routeDeps, asks, { request, response });
    const who = asks && requireRight(asks, route);
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
      origin: () => originOf(request, request.path === TOOLS_PATH ? "tools" : "browser"),
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
