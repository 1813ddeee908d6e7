import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import type { RequestHandler } from "express";
import { refuse } from "../response/errors.ts";

/** Headers that decide what a request is and who sent it. Node keeps the first of several, a proxy perhaps the last. */
const SINGLE = ["host", "authorization", "content-type", "content-length", "transfer-encoding"];

/** A host name, or an address, and a port (RFC 9110 7.2). */
const HOST = /^([\w.-]+|\[[0-9a-fA-F:.]+\])(:\d+)?$/;

/**
 * Refuses requests that a proxy in front may read differently than this service, with 400, and reads nothing
 * more from their connection: what follows may be a request that somebody hid in the first (RFC 9112 11.2).
 * Node's parser refuses other cases itself: two lengths, a length with chunked encoding, folded headers.
 */
export function refuseAmbiguous(): RequestHandler {
  const refused = new WeakSet<Socket>();
  return (request, _response, next) => {
    if (refused.has(request.socket)) {
      request.socket.destroySoon();
      return;
    }
    const problem = ambiguity(request);
    if (problem === undefined) return next();
    refused.add(request.socket);
    throw refuse(
      400,
      "ambiguous_request",
      "Malformed request",
      problem.detail,
      { header: problem.header },
      {
        Connection: "close",
      },
    );
  };
}

function ambiguity(request: IncomingMessage): { detail: string; header: string } | undefined {
  const { headers, headersDistinct, httpVersion } = request;
  const repeated = SINGLE.find((name) => (headersDistinct[name]?.length ?? 0) > 1);
  if (repeated) return { detail: `The header ${repeated} is given more than once.`, header: repeated };
  const { host = "" } = headers;
  if (!HOST.test(host)) return { detail: "The Host header is missing, or is not a host name.", header: "Host" };
  const target = request.url ?? "";
  if (!target.startsWith("/") && target !== "*" && hostOf(target) !== host.toLowerCase())
    return { detail: "The request's address and its Host header name different hosts.", header: "Host" };
  const coding = headers["transfer-encoding"];
  if (coding !== undefined && (coding.toLowerCase() !== "chunked" || httpVersion !== "1.1"))
    return { detail: "Transfer-Encoding must be chunked, in HTTP/1.1.", header: "Transfer-Encoding" };
  return undefined;
}

function hostOf(address: string): string | undefined {
  return /^https?:\/\/([^/?#]*)/i.exec(address)?.[1]?.toLowerCase();
}
