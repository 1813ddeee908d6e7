import type { ErrorRequestHandler, Response } from "express";
import { isClusterError } from "../../../cluster/port.ts";
import { isConnectionLoss } from "../../../database/connection/errors.ts";
import { ReportBeingComparedError, RequestError, type Violation } from "../../../domain/errors.ts";
import { ReportChangedError } from "../../../domain/export/exported.ts";
import type { Logger } from "../../../telemetry/log.ts";
import type { Errors } from "../../documents.ts";
import { responseType } from "../request/negotiate.ts";
import { malformed, refuse } from "./errors.ts";

/** Seconds after which a client may try again when the database, the cluster or a report is not available. */
const RETRY_AFTER = "5";

/** The error document of JSON:API. */
function errorDocument(violations: readonly Violation[]): Errors {
  return {
    errors: violations.map(({ status, ...violation }) => ({ status: String(status), ...violation })),
    jsonapi: { version: "1.0" },
  };
}

/** The only place where an error becomes a response. An unknown error is a bug: it is logged and not shown. */
export function errorHandler(log: Logger): ErrorRequestHandler {
  return (error: unknown, request, response, next) => {
    const known = logFailure(log, error, response);
    if (response.headersSent) return next(error);
    // Headers of a success response that was begun must not remain.
    response.removeHeader("Location");
    response
      .status(known.status)
      .set({ ...known.headers })
      .type(responseType(request) ?? "application/vnd.api+json")
      .send(Buffer.from(JSON.stringify(errorDocument(known.violations))));
  };
}

/** Logs an error of the service itself, or of what it depends on. @returns the error as the client receives it */
export function logFailure(log: Logger, error: unknown, response: Response): RequestError {
  const known = asRequestError(error);
  const { status } = known;
  if (status < 500) return known;
  log.error(status === 503 ? "request failed temporarily" : "request failed", {
    requestId: response.locals.requestId,
    method: response.req.method,
    route: response.locals.route,
    error,
  });
  return known;
}

function asRequestError(error: unknown): RequestError {
  if (error instanceof RequestError) return error;
  if (error instanceof ReportChangedError) return refuse(409, "report_changed", "Conflict", error.message);
  if (error instanceof ReportBeingComparedError)
    return refuse(409, "report_compared", "Conflict", error.message, undefined, { "Retry-After": RETRY_AFTER });
  // Conflict: other writers changed the resource every time that this request tried.
  const isTemporary =
    isConnectionLoss(error) || isClusterError(error, "Unavailable") || isClusterError(error, "Conflict");
  if (isTemporary)
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

const MB = 1024 * 1024;

/** Errors of Express and its body parser, which have a status and usually a type. */
function fromHttpError(error: unknown): RequestError | undefined {
  if (!(error instanceof Error && "status" in error && typeof error.status === "number")) return undefined;
  const type = "type" in error ? error.type : "";
  if (error.status === 413) {
    const limit = "limit" in error && typeof error.limit === "number" ? Math.max(1, Math.round(error.limit / MB)) : 1;
    const detail = `The body is larger than ${limit} MB.`;
    return refuse(413, "body_too_large", "Body too large", detail, undefined, { Connection: "close" });
  }
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
