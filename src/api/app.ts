import express, { type Express, Router } from "express";
import helmet from "helmet";
import { storeUses } from "../database/accounts/token-uses.ts";
import type { ApiDeps, Route } from "./context.ts";
import { createReportSubscriptions } from "./events/subscriptions.ts";
import { auditor } from "./http/audit/auditor.ts";
import { createCalls } from "./http/call.ts";
import { cors } from "./http/cors.ts";
import { dispatch } from "./http/dispatch.ts";
import { healthRoutes } from "./http/health.ts";
import { concurrencyLimit } from "./http/request/concurrency-limit.ts";
import { refuseAmbiguous } from "./http/request/framing.ts";
import { idempotency } from "./http/request/idempotency.ts";
import { originOf } from "./http/request/origin.ts";
import { callerAddress, rateLimiter } from "./http/request/rate-limit.ts";
import { refuseOtherHosts } from "./http/request/service-address.ts";
import { logRequests } from "./http/request-log.ts";
import { errorHandler, logFailure } from "./http/response/error-handler.ts";
import { methodNotAllowed, notFound } from "./http/response/errors.ts";
import { pendingResponses } from "./http/response/pending-responses.ts";
import { streamSlots } from "./http/response/send-stream.ts";
import type { RouteDeps } from "./http/run-route.ts";
import { toolsRoute } from "./http/tools.ts";
import { reference } from "./openapi/reference.ts";
import type { Calls, PagePort } from "./page-port.ts";
import { invitationPage } from "./resources/guests/invitation-page.ts";
import { unsubscribePage } from "./resources/unsubscribe-page.ts";
import { routes } from "./routes.ts";

const REQUESTS_PER_MINUTE = 1_000;
const STOP = "stop";

/** The HTTP API as an Express application; `listen` in server.ts serves it, and tells it by "stop" before it closes. */
export function createApi(deps: ApiDeps): Express {
  const app = express();
  app.disable("x-powered-by");
  app.disable("etag");
  app.enable("case sensitive routing");
  // Query parameters are read by their literal names (query.ts); nothing else parses them.
  app.set("query parser", false);
  app.set("trust proxy", deps.trustedProxies ?? false);
  app.use(refuseAmbiguous());
  app.use(logRequests(deps.log, deps.metrics));
  app.use(refuseOtherHosts(deps));
  app.use(helmet());
  app.use(healthRoutes(deps));
  const perMinute = deps.requestsPerMinute ?? REQUESTS_PER_MINUTE;
  const limit = rateLimiter(deps, perMinute);
  const limitGuests = rateLimiter(deps, Math.ceil(perMinute / 2));
  const subscriptions = createReportSubscriptions(deps);
  app.once(STOP, () => void subscriptions.close());
  storeTokenUses(app, deps);
  app.use("/api/v1", cors(deps.corsOrigins ?? []));
  app.use("/api/v1", reference(deps, limit));
  const routeDeps: RouteDeps = {
    deps,
    limit,
    limitGuests,
    subscriptions,
    idempotency: idempotency(),
    pending: pendingResponses(),
    streams: streamSlots(),
    concurrency: concurrencyLimit(),
    audit: auditor(routes, deps.limits),
  };
  app.use("/api/v1", apiRoutes(routeDeps));
  app.use(invitationPage(deps, limit));
  app.use(unsubscribePage(deps, limit));
  const calls = createCalls(routes, routeDeps);
  if (deps.tools) app.use(toolsRoute(deps.tools, calls, routeDeps));
  if (deps.pages) app.use(deps.pages(pagePort(routeDeps, calls)));
  app.use(() => {
    throw notFound("address");
  });
  app.use(errorHandler(deps.log));
  return app;
}

/** Stores how often tokens were used when they are not used any more: each minute, and at the end. */
function storeTokenUses(app: Express, { db, now, log }: ApiDeps): void {
  const store = () =>
    storeUses(db, now()).catch((error: unknown) => log.warn("uses of tokens are not stored yet", { error }));
  const timer = setInterval(store, 60_000).unref();
  app.once(STOP, (whenClosed: (() => Promise<unknown>)[]) => {
    clearInterval(timer);
    whenClosed.push(store);
  });
}

/** The part of the API that the pages of this process may use. */
function pagePort(routeDeps: RouteDeps, calls: Calls): PagePort {
  const { deps, limit } = routeDeps;
  const count: PagePort["limit"] = ({ request, response }) => limit(callerAddress(request), response, deps.now());
  return {
    api: calls,
    db: deps.db,
    baseUrl: deps.baseUrl,
    now: deps.now,
    encryptor: deps.encryptor,
    people: deps.people ?? {},
    provider: deps.provider,
    proxy: deps.proxy,
    onProviderFailure: ({ message }, response) =>
      deps.log.warn("sign-in by the provider", { requestId: response.locals.requestId, error: message }),
    announceSetupCode: (code) => deps.log.warn("setup code", { code }),
    limit: count,
    callerAddress,
    originOf: (request) => originOf(request, "browser"),
    async guides(through) {
      await count(through);
      return deps.guides();
    },
    onError: (error, response) => logFailure(deps.log, error, response),
  };
}

function apiRoutes(routeDeps: RouteDeps): Router {
  // Strict: /devices/ (with the empty id of the default device) must not respond with the list of devices.
  const router = Router({ caseSensitive: true, strict: true });
  for (const [path, ofPath] of Map.groupBy(routes, (route) => route.path)) addPath(router, path, ofPath, routeDeps);
  return router;
}

/** All methods of one path: HEAD comes with GET, and any other method gets a 405 that lists those allowed. */
function addPath(router: Router, path: string, ofPath: readonly Route[], routeDeps: RouteDeps): void {
  const methods = ofPath.flatMap(({ method }) => (method === "GET" ? ["GET", "HEAD"] : [method]));
  const allow = [...methods, "OPTIONS"].join(", ");
  const handlers = new Map(ofPath.map((route) => [route.method as string, dispatch(route, routeDeps)]));
  router.all(path, (request, response, next) => {
    response.locals.route = `/api/v1${path}`;
    if (request.method === "OPTIONS") {
      response.set("Allow", allow).status(204).end();
      return;
    }
    const handler = handlers.get(request.method === "HEAD" ? "GET" : request.method);
    if (handler) return handler(request as never, response, next);
    throw methodNotAllowed(request.method, allow);
  });
}
