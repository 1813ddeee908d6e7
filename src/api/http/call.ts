import type { Context, Route, RouteResponse } from "../context.ts";
import { sendEvents } from "../events/event-stream.ts";
import type { Call, Calls, Through } from "../page-port.ts";
import { requireScope, unauthenticated } from "./authenticate.ts";
import { requireHarmless } from "./body.ts";
import { limitKey, type RouteDeps, requestBase, runRoute } from "./dispatch.ts";
import { methodNotAllowed, notFound } from "./errors.ts";
import type { Attempt } from "./idempotency.ts";
import { readQuery } from "./query.ts";
import { sendStream } from "./send-stream.ts";

type Matcher = { route: Route; pattern: RegExp; names: string[] };

export function createCalls(routes: readonly Route[], routeDeps: RouteDeps): Calls {
  const { deps, limit, subscriptions, streams, pending, idempotency } = routeDeps;
  const matchers = routes.map(matcherOf);

  async function call(
    { request, response }: Through,
    { method, path, query, attributes, caller, repeatKey }: Call,
  ): Promise<RouteResponse> {
    const { route, params } = matchOf(matchers, method, path);
    const who = route.access === "public" ? null : caller;
    if (who === null && route.access === "account") throw unauthenticated();
    await limit(limitKey(who, request), response, deps.now());
    if (who) requireScope(who, method);
    requireHarmless(attributes);
    const search = query ?? new URLSearchParams();
    const base = `${deps.baseUrl ?? requestBase(request)}/api/v1`;
    const context: Omit<Context, "uniqueName" | "isRetry"> = {
      deps,
      base,
      self: { path: `${base}${path}`, query: search },
      params,
      query: readQuery(search, route.parameters ?? []),
      caller: who,
      requestId: response.locals.requestId,
      attributes: attributes ?? {},
      // A page is asked for by a browser: its headers are about the page.
      header: (name) => (name === "last-event-id" ? request.get(name) : undefined),
      mediaType:
        typeof route.produces === "string" ? route.produces : (route.produces?.[0] ?? "application/vnd.api+json"),
      subscriptions,
      abortSignal: (after) => subscriptions.abortSignal(response, after),
    };
    const key = limitKey(who, request);
    const run = (attempt?: Attempt) => runRoute(route, routeDeps, key, context, attempt);
    if (repeatKey === undefined || method !== "POST" || !caller || route.showsSecret) return run();
    const content = JSON.stringify([method, path, context.attributes]);
    const repeated = { db: deps.db, tokenId: caller.tokenId, key: repeatKey, content, now: deps.now() };
    const { status, headers, body } = await idempotency({ ...repeated, keep: !route.rerunsOnRetry }, run);
    if (body === "") return { status: 204 as const };
    return { status: status as 200 | 201 | 202, headers, document: JSON.parse(body) as object };
  }

  return {
    call,
    async forward(through, forwarded) {
      const { request, response } = through;
      const key = limitKey(forwarded.caller, request);
      const result = await call(through, forwarded);
      if ("stream" in result) {
        const give = streams.take(key, forwarded.caller === null);
        try {
          await sendStream(request, response, result.stream, subscriptions.abortSignal(response));
        } finally {
          give();
        }
      } else if ("events" in result && request.method === "HEAD") {
        response.status(200).type("text/event-stream").end();
      } else if ("events" in result) {
        const signal = subscriptions.abortSignal(response, subscriptions.limits.maxDuration);
        await sendEvents(response, signal, result.events);
      } else if ("file" in result) {
        pending.count(response, key, result.file.bytes.length);
        response.status(200).type(result.file.type).send(result.file.bytes);
      } else if (result.status === 204) response.status(204).end();
      else response.status(result.status).json(result.document);
    },
  };
}

/** A route's path as a pattern; a parameter is one part of a path. */
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
