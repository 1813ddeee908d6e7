import type { Request, Response } from "express";
import ipaddr from "ipaddr.js";
import type { PagePort } from "../../api/page-port.ts";
import { type PersonRow, personOfProvider } from "../../database/accounts/people.ts";
import type { Principal } from "../../domain/accounts/principal.ts";
import type { NotArrived, Provided } from "../../domain/accounts/provider.ts";
import { readProxyHeaders } from "../../domain/accounts/proxy.ts";
import { rolesOfGroups } from "../../domain/accounts/roles.ts";
import { GROUP_ROLE_MS } from "../../domain/accounts/sign-in-limits.ts";
import { isInside } from "../../net/addresses.ts";
import type { CookieAddress } from "./cookie.ts";
import { enter } from "./enter.ts";
import { letIn } from "./let-in.ts";

type Deps = Pick<PagePort, "db" | "now" | "people" | "originOf" | "proxy" | "onProviderFailure" | "limit">;

/**
 * What the proxy says of a request: `outside` of one that did not come from it, whatever its headers are. Only the address
 * of the socket counts: any header can be anybody's.
 */
export type AtProxy = "outside" | "nobody" | Provided;

/** undefined where no proxy signs people in. */
export function atProxy(
  { proxy, onProviderFailure }: Pick<Deps, "proxy" | "onProviderFailure">,
  request: Request,
  response: Response,
): AtProxy | undefined {
  if (!proxy) return undefined;
  const address = request.socket.remoteAddress ?? "";
  if (!ipaddr.isValid(address) || !isInside(ipaddr.process(address).toString(), proxy.networks)) return "outside";
  const said = readProxyHeaders(request.rawHeaders, proxy.headers);
  if ("who" in said) return said.who;
  if ("unclear" in said) onProviderFailure(new Error(said.unclear), response);
  return "nobody";
}

export type Followed = "as before" | "other role" | { secret: string } | { refused: NotArrived };

/** A role by groups is written again when a day of its time is over. */
const RENEWAL_MS = GROUP_ROLE_MS - 86_400_000;

/**
 * Makes the session that of whom the proxy names. What the groups give is written when it changes.
 *
 * @param principal whose session the browser has
 * @returns whether all was so already, the role alone was written, a new session has begun, or why there is none
 */
export async function followProxy(
  deps: Deps,
  who: Provided,
  {
    request,
    response,
    principal,
    at,
  }: { request: Request; response: Response; principal: Principal | undefined; at: CookieAddress },
): Promise<Followed> {
  const known = await personOfProvider(deps.db, who);
  if (known && known.id === principal?.tokenId && isWritten(known, who, deps)) return "as before";
  await deps.limit({ request, response });
  const arrived = await letIn(deps, who, request, response);
  if ("refused" in arrived) return arrived;
  if (arrived.id === principal?.tokenId) return "other role";
  return { secret: await enter(deps, arrived.id, { request, response }, at) };
}

function isWritten(known: PersonRow, { groups }: Provided, { people, now }: Pick<Deps, "people" | "now">): boolean {
  const given = rolesOfGroups(groups, people.groupRoles ?? {});
  const renewed = known.group_role_ends_at?.getTime() ?? 0;
  return (
    given.role === known.group_role &&
    given.groups.join("\n") === known.groups.join("\n") &&
    renewed - now().getTime() > RENEWAL_MS
  );
}
