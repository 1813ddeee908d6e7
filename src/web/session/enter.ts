import type { Request, Response } from "express";
import type { PagePort } from "../../api/page-port.ts";
import { createSession, deleteSession } from "../../database/accounts/tokens.ts";
import { noteSignIn } from "../../database/audit/sign-ins.ts";
import { type CookieAddress, sessionCookie, sessionSecret } from "./cookie.ts";

/**
 * Signs somebody in: an earlier session, which somebody else may have set, ends, and a new one begins.
 *
 * @returns the new session's secret
 */
export async function enter(
  { db, now }: Pick<PagePort, "db" | "now">,
  tokenId: string,
  { request, response }: { request: Request; response: Response },
  at: CookieAddress,
): Promise<string> {
  const before = sessionSecret(request, at);
  if (before !== undefined) await deleteSession(db, before);
  const place = { userAgent: request.get("user-agent"), address: request.ip };
  const session = await createSession(db, tokenId, now(), place);
  const origin = { address: request.ip, agent: request.get("user-agent"), requestId: response.locals.requestId };
  await noteSignIn(db, tokenId, { outcome: "in", at: now(), origin });
  response.cookie(...sessionCookie(session, at));
  return session.secret;
}
