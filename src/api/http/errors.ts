import { type ErrorSource, RequestError } from "../../domain/errors.ts";

/** A violation as an error to throw. */
export function refuse(
  status: number,
  code: string,
  title: string,
  detail: string,
  source?: ErrorSource,
  headers?: Record<string, string>,
): RequestError {
  return new RequestError({ status, code, title, detail, ...(source && { source }) }, headers);
}

/** Whatever a caller may not see is not there. */
export function notFound(what: string): RequestError {
  return refuse(404, "not_found", "Not found", `There is no such ${what}.`);
}

export function malformed(code: string, detail: string, source?: ErrorSource): RequestError {
  return refuse(400, code, "Malformed request", detail, source);
}

/** @param allow the address's methods, as the Allow header lists them */
export function methodNotAllowed(method: string, allow: string): RequestError {
  const detail = `This address does not take ${method}; allowed are ${allow}.`;
  return refuse(405, "method_not_allowed", "Method not allowed", detail, undefined, { Allow: allow });
}
