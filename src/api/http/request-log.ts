import { randomUUID } from "node:crypto";
import type { RequestHandler } from "express";
import { parseRequestId } from "../../domain/request-id.ts";
import type { Logger } from "../../telemetry/log.ts";
import type { Metrics } from "../../telemetry/metrics.ts";

/**
 * Gives every request an id, and logs and counts it when it ends. The log has the route's
 * template, never the address: addresses contain guest tokens and deploy hooks' secrets.
 */
export function logRequests(log: Logger, metrics: Metrics): RequestHandler {
  return (request, response, next) => {
    const requestId = parseRequestId(request.get("x-request-id")) ?? randomUUID();
    response.locals.requestId = requestId;
    response.set({ "X-Request-Id": requestId, "Cache-Control": "no-store", Vary: "Accept, Authorization" });
    const start = performance.now();
    response.once("close", () => {
      const { route = "unmatched", caller } = response.locals;
      const { method } = request;
      const seconds = (performance.now() - start) / 1000;
      const status = response.writableFinished ? response.statusCode : 499;
      metrics.httpRequests.inc({ method, route, status });
      metrics.httpSeconds.observe({ method, route }, seconds);
      log.log(route.startsWith("/api/") || route === "unmatched" ? "info" : "debug", "request", {
        requestId,
        method,
        route,
        status,
        ms: Math.round(seconds * 1000),
        account: caller?.accountId,
        token: caller?.tokenId,
      });
    });
    next();
  };
}
