import type { Request, RequestHandler } from "express";
import ipaddr from "ipaddr.js";
import { isThisMachine, namesThisMachine } from "../../../domain/addresses/this-machine.ts";
import { malformed } from "../response/errors.ts";

/** The service's URL without a trailing slash, or "" where it is not known: then addresses begin with their path. */
export type ServiceAddress = {
  /** For links in a response, which only who sent the request reads: as the request names the service. */
  base: string;
  /** For what is stored, or is passed on to others: never only what a request says (docs/adr/0069). */
  ownBase: string;
};

/** @throws RequestError 400 for a Host that is no host name */
export function serviceAddress(request: Request, baseUrl: string | undefined): ServiceAddress {
  if (baseUrl !== undefined) return { base: baseUrl, ownBase: baseUrl };
  const { host } = request;
  if (!host || !/^[\w.-]+(:\d+)?$|^\[[0-9a-fA-F:.]+\](:\d+)?$/.test(host))
    throw malformed("invalid_host", "The Host header is missing, or is not a host name.", { header: "Host" });
  const base = `${request.protocol}://${host}`;
  return { base, ownBase: isOwnHost(request) ? base : "" };
}

/**
 * Refuses requests for other hosts, if the service listens on loopback only: a page on the Internet whose name leads to
 * 127.0.0.1 for a moment (DNS rebinding) could otherwise use it from a browser of this machine as if it were its own.
 *
 * @param host the address that the service listens on
 */
export function refuseOtherHosts({
  host,
  baseUrl,
}: {
  host?: string | undefined;
  baseUrl?: string | undefined;
}): RequestHandler {
  const isLocal = host !== undefined && namesThisMachine(host.includes(":") ? `[${host}]` : host);
  const known = baseUrl === undefined ? undefined : new URL(baseUrl).hostname;
  return (request, _response, next) => {
    if (!isLocal || isOwnHost(request) || (known !== undefined && hostnameOf(request) === known)) return next();
    const detail =
      "The service listens on this machine only, and the Host header names another one. Set BASE_URL to the name under which clients reach it.";
    throw malformed("invalid_host", detail, { header: "Host" });
  };
}

/** Whether the request's host is ours: a name of loopback, the address that it came to, or what a trusted proxy says. */
function isOwnHost(request: Request): boolean {
  const { remoteAddress, localAddress } = request.socket;
  const isTrusted = request.app.get("trust proxy fn") as (address: string | undefined, hop: number) => boolean;
  if (isTrusted(remoteAddress, 0)) return true;
  const hostname = hostnameOf(request);
  if (hostname === undefined) return false;
  const literal = hostname.replace(/^\[|\]$/g, "");
  return isThisMachine(hostname) || (ipaddr.isValid(literal) && canonical(literal) === canonical(localAddress ?? ""));
}

function hostnameOf({ host }: Request): string | undefined {
  return URL.parse(`http://${host}`)?.hostname;
}

/** An IPv4 address that came over an IPv6 socket is the same one. */
function canonical(address: string): string {
  return ipaddr.isValid(address) ? ipaddr.process(address).toString() : "";
}
