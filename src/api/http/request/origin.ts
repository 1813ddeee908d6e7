import type { Request } from "express";
import { nameIn, type Origin, type Way } from "../../../domain/audit/entry.ts";
import { clientAddress } from "./rate-limit.ts";

/** From where a request came, for the audit log: the address as the trusted proxies report it, and what the client calls itself. */
export function originOf(request: Pick<Request, "ip" | "socket" | "get">, via: Way): Origin {
  const agent = request.get("user-agent");
  return {
    via,
    address: clientAddress(request)?.toString() ?? null,
    agent: agent === undefined ? null : nameIn(agent),
  };
}
