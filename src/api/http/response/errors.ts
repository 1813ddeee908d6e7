import { type ErrorSource, RequestError } from "../../../domain/errors.ts";

/** Creates an error with one violation, to be thrown. */
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

/** The same for a value of an attribute of the body that breaks a rule which its schema cannot express. */
export function refuseAttribute(name: string, code: string, detail: string): RequestError {
  return refuse(422, code, "Invalid attribute", detail, { pointer: `/data/attributes/${name}` });
}

/**
 * Also used for what exists but is not visible to the caller.
 *
 * @param verb "are" if `what` is a plural
 */
export function notFound(what: string, verb: "is" | "are" = "is"): RequestError {
  return refuse(404, "not_found", "Not found", `There ${verb} no such ${what}.`);
}

export function malformed(code: string, detail: string, source?: ErrorSource): RequestError {
  return refuse(400, code, "Malformed request", detail, source);
}

/** @param allow the address's methods as in the Allow header */
export function methodNotAllowed(method: string, allow: string): RequestError {
  const detail = `This address does not support ${method}; it supports ${allow}.`;
  return refuse(405, "method_not_allowed", "Method not allowed", detail, undefined, { Allow: allow });
}
