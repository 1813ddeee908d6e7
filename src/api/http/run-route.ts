import type { Request, Response } from "express";
import type { StoredResponse } from "../../database/accounts/api-requests.ts";
import { onBehalfOf } from "../../database/connection/connect.ts";
import type { Principal } from "../../domain/accounts/principal.ts";
import type { ApiDeps, Context, Route, RouteResponse } from "../context.ts";
import type { ReportSubscriptions } from "../events/subscriptions.ts";
import type { Auditor } from "./audit/auditor.ts";
import { requireSite } from "./request/authenticate.ts";
import type { ConcurrencyLimit } from "./request/concurrency-limit.ts";
import type { Holder } from "./request/holders.ts";
import { type Attempt, acceptsKey, type Idempotency, randomName } from "./request/idempotency.ts";
import { callerAddress, type RateLimiter } from "./request/rate-limit.ts";
import type { PendingResponses } from "./response/pending-responses.ts";
import type { StreamSlots } from "./response/send-stream.ts";

/** What all routes share. */
export type RouteDeps = {
  deps: ApiDeps;
  limit: RateLimiter;
  /** The same for all guests of an account together: half as many calls. */
  limitGuests: RateLimiter;
  idempotency: Idempotency;
  subscriptions: ReportSubscriptions;
  pending: PendingResponses;
  streams: StreamSlots;
  concurrency: ConcurrencyLimit;
  audit: Auditor;
};

/**
 * A request to a route. `path` is below `/api/v1`, `key` identifies whose limits count (holderOf), and `repeatKey` is
 * the idempotency key, if there is one.
 */
type Run = { context: Omit<Context, keyof Attempt>; path: string; key: Holder; repeatKey: string | undefined };

/**
 * Calls the route's handler; that of a heavy route may have to wait. A POST whose idempotency key was used before gets
 * the response that was stored then.
 */
export async function runRoute(
  route: Route,
  { deps, concurrency, idempotency, audit }: Pick<RouteDeps, "deps" | "concurrency" | "idempotency" | "audit">,
  { context, path, key, repeatKey }: Run,
): Promise<RouteResponse | StoredResponse> {
  const run = async (attempt: Attempt): Promise<RouteResponse> => {
    const whole = { ...context, ...attempt };
    const handle = () => audit(route, whole, () => route.handle(whole));
    if (!route.isHeavy) return handle();
    const end = await concurrency.take(key, context.abortSignal());
    return handle().finally(end);
  };
  const { caller, attributes, self } = context;
  if (caller) await requireSite(deps.db, caller, route, context.params);
  if (repeatKey === undefined || !caller || !acceptsKey(route))
    return run({ uniqueName: randomName(), isRetry: false });
  const address = self.query.size > 0 ? `${path}?${self.query}` : path;
  const request = {
    db: deps.db,
    tokenId: caller.tokenId,
    key: repeatKey,
    now: deps.now(),
    content: JSON.stringify([route.method, address, attributes]),
    caller: key,
    signal: context.abortSignal(),
    keep: !route.rerunsOnRetry,
  };
  return idempotency(request, run);
}

/** Counts a call of a caller. Guests must leave their host calls to make. @throws RequestError 429 */
export async function countCall(
  { deps, limit, limitGuests }: Pick<RouteDeps, "deps" | "limit" | "limitGuests">,
  caller: Principal | null,
  { request, response }: { request: Request; response: Response },
): Promise<void> {
  const key = limitKey(caller, request);
  const now = deps.now();
  if (caller?.guestToken != null) await limitGuests(`${key} guests`, response, now);
  await limit(key, response, now);
}

/** Whose limits a request counts for, where guests have limits of their own. */
export function holderOf(caller: Principal | null, request: Request): Holder {
  const key = limitKey(caller, request);
  return caller?.guestToken == null ? key : { key, guest: caller.guestToken };
}

/**
 * Runs a request: what it does in the database counts for its caller. All guests of an account share one share, so that
 * they leave that of their host alone.
 */
export function runFor<Result>(holder: Holder, work: () => Result): Result {
  return onBehalfOf(typeof holder === "string" ? holder : `${holder.key} guests`, work);
}

/** Identifies whose limits a request counts for: an account, with all its tokens and guests, or an address. */
function limitKey(caller: Principal | null, request: Request): string {
  return caller ? `account ${caller.accountId}` : callerAddress(request);
}
