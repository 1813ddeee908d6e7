import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import type { CookieOptions, Request } from "express";

/**
 * The cookie's name for a service at this address. Over TLS it has a prefix that makes browsers refuse the cookie from
 * anybody else, such as a neighbouring host of the same domain (RFC 6265bis, 4.1.3).
 */
function cookieName({ prefix, secure }: CookieAddress, kind: CookieKind): string {
  // __Host- is stricter, but needs a service at the root of its host; below a proxy's path, __Secure- still needs TLS.
  return `${secure ? (prefix === "" ? "__Host-" : "__Secure-") : ""}site-validator-${kind}`;
}

/** What a cookie is of: a session, or a sign-in by the provider that has begun. */
export type CookieKind = "session" | "provider";

/** The session's secret in a request; undefined without one. */
export function sessionSecret(request: Request, at: CookieAddress, kind: CookieKind = "session"): string | undefined {
  const cookie = cookieName(at, kind);
  for (const pair of (request.get("cookie") ?? "").split(";")) {
    const [name = "", value = ""] = pair.trim().split("=", 2);
    if (name === cookie && /^[A-Za-z0-9_-]{43}$/.test(value)) return value;
  }
  return undefined;
}

/** The cookie of a session. It is sent with links from other sites, but not with their forms (SameSite=Lax). */
export function sessionCookie(
  { secret, ms }: { secret: string; ms: number },
  at: CookieAddress,
  kind: CookieKind = "session",
): [string, string, CookieOptions] {
  return [cookieName(at, kind), secret, { ...attributesOf(at), maxAge: ms }];
}

/** Makes a browser delete the cookie. */
export function noSessionCookie(at: CookieAddress, kind: CookieKind = "session"): [string, CookieOptions] {
  return [cookieName(at, kind), attributesOf(at)];
}

/** `prefix`: the path below which the service is served; `secure`: whether it is reached over TLS. */
export type CookieAddress = { prefix: string; secure: boolean };

function attributesOf({ prefix, secure }: CookieAddress): CookieOptions {
  return { httpOnly: true, sameSite: "lax", secure, path: prefix || "/" };
}

/**
 * The token in a session's forms: another site can make a browser send the cookie, but cannot read this token. It
 * differs in each page, so that the sizes of compressed pages reveal nothing about it.
 */
export function csrfToken(secret: string, nonce = randomBytes(12).toString("base64url")): string {
  return `${nonce}.${createHmac("sha256", secret).update(`csrf ${nonce}`).digest("base64url")}`;
}

export function isCsrfToken(secret: string, token: string | null): boolean {
  const given = Buffer.from(token ?? "");
  const expected = Buffer.from(csrfToken(secret, (token ?? "").split(".")[0]));
  return given.length === expected.length && timingSafeEqual(given, expected);
}
