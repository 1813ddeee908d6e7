import type { Request, Response } from "express";
import type { PagePort } from "../../api/page-port.ts";
import type { Provided } from "../../domain/accounts/provider.ts";
import type { Requested } from "../../domain/audit/entry.ts";
import { arrive } from "../../transactions/arrive.ts";

/** By what owners find a request. */
export const requestOf = (response: Response) => ({ requestId: String(response.locals.requestId ?? "") });

/** What an entry of the audit log says of a request. */
export function requestedBy(
  { now, originOf }: Pick<PagePort, "now" | "originOf">,
  request: Request,
  response: Response,
): Requested {
  return { at: now(), origin: originOf(request), requestId: response.locals.requestId ?? null };
}

/** Who somebody is here whom a provider or a proxy knows. */
export function letIn(
  deps: Pick<PagePort, "db" | "now" | "people" | "originOf">,
  provided: Provided,
  request: Request,
  response: Response,
) {
  const { at: now, ...from } = requestedBy(deps, request, response);
  return arrive(deps.db, { ...from, now, provided, byGroup: deps.people.groupRoles ?? {} });
}
