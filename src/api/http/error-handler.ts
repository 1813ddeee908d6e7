import type { ErrorRequestHandler } from "express";
import { ClusterError } from "../../cluster/port.ts";
import { isConnectionLoss } from "../../database/connection/connection-loss.ts";
import { RequestError, type Violation } from "../../domain/errors.ts";
import type { Logger } from "../../telemetry/log.ts";
import { malformed, refuse } from "./errors.ts";
import { responseType } from "./negotiate.ts";

/** Seconds after which a client may try again when the database or cluster is unavailable. */
const RETRY_AFTER = "5";

/** The error document of JSON:API. */
function errorDocument(violations: readonly Violation[]): object {
  return {
    errors: violations.map(({ status, ...violation }) => ({ status: String(status), ...violation })),
    jsonapi: { version: "1.0" },
  };
}

/** The only place where an error becomes a response. An unknown error is a bug: it is logged and not shown. */
export function errorHandler(log: Logger): ErrorRequestHandler {
  return (error: unknown, request, response, next) => {
    const known = asRequestError(error);
    if (known.status >= 500)
      log.error(known.status === 503 ? "request failed temporarily" : "request failed", {
        requestId: response.locals.requestId,
        method: request.method,
        route: response.locals.route,
        error,
      });
    if (response.headersSent) return next(error);
    // A success response that was begun must not leave its headers behind.
    response.removeHeader("Location");
    response
      .status(known.status)
      .set({ ...known.headers })
      .type(responseType(request) ?? "application/vnd.api+json")
      .send(Buffer.from(JSON.stringify(errorDocument(known.violations))));
  };
}

function asRequestError(error: unknown): RequestError {
  if (error instanceof RequestError) return error;
  const isUnavailable = isConnectionLoss(error) || (error instanceof ClusterError && error.reason === "Unavailable");
  if (isUnavailable)
    return refuse(
      503,
      "unavailable",
      "Service unavailable",
      "The service is temporarily unavailable; try again in a few seconds.",
      undefined,
      { "Retry-After": RETRY_AFTER },
    );
  return (
    fromHttpError(error) ??
    refuse(
      500,
      "internal_error",
      "Internal error",
      "Something went wrong in the service. The request id in X-Request-Id helps to find the cause.",
    )
  );
}

/** Errors of Express and its body parser, which have a status and usually a type. */
function fromHttpError(error: unknown): RequestError | undefined {
  if (!(error instanceof Error && "status" in error && typeof error.status === "number")) return undefined;
  const type = "type" in error ? error.type : "";
  if (error.status === 413)
    return refuse(413, "body_too_large", "Body too large", "The body is larger than 1 MB.", undefined, {
      Connection: "close",
    });
  if (error.status === 415)
    return refuse(
      415,
      "unsupported_encoding",
      "Unsupported media type",
      "The body's encoding or charset is not supported.",
    );
  if (type === "entity.parse.failed") return malformed("malformed_json", "The body is not a JSON document.");
  if (error.status >= 400 && error.status < 500) return malformed("malformed_request", "The request cannot be read.");
  return undefined;
}
