import type { SignIn } from "../sign-in/read-sign-in.ts";
import type { SiteSession } from "../sign-in/session.ts";
import type { SiteHeader } from "./site-headers.ts";

/** Decrypted credentials of a site: of Basic HTTP Authentication, headers, or both. */
export type SiteCredentials = {
  host: string;
  /** Both or neither: without them the site does not use Basic HTTP Authentication. */
  username?: string | undefined;
  password?: string | undefined;
  /** The headers of every request to the host; cookies are the header Cookie. */
  headers?: readonly SiteHeader[] | undefined;
  /** How somebody signs in, in a browser. */
  signIn?: SignIn | undefined;
  /** The first encrypts the session that this begins, for the programs of the report; others open what their programs stored. */
  sessionKeys?: readonly string[] | undefined;
  /** The session that this begins. */
  session?: SiteSession | undefined;
  /** True for a site that starts at https: nothing of it may be sent in clear. */
  httpsOnly?: boolean;
};

/** The credentials that a report with this starting URL may use. */
export function credentialsFor(
  startingUrl: string,
  credentials: SiteCredentials | undefined,
): SiteCredentials | undefined {
  return credentials && { ...credentials, httpsOnly: new URL(startingUrl).protocol === "https:" };
}

/** A host as in a URL, without the default port of http or https; undefined when it is not a host. */
export function normaliseHost(host: string): string | undefined {
  const url = URL.parse(`http://${host}/`);
  if (url?.pathname !== "/" || url.username || url.search || url.hash) return undefined;
  return url.host.replace(/:443$/, "") || undefined;
}

/** True for URLs on the credentials' exact host and port, over TLS if necessary; not for parent or subdomains. */
export function belongsTo({ host, httpsOnly = false }: SiteCredentials, url: string): boolean {
  const parsed = URL.parse(url);
  return parsed?.host === host && (!httpsOnly || parsed.protocol === "https:");
}

/** The headers of a request that does not come from a browser, by their names in lower case. */
export function requestHeaders(credentials: SiteCredentials): Record<string, string> {
  const { username, password = "", headers = [] } = credentials;
  return {
    // RFC 7617, in UTF-8.
    ...(username !== undefined && {
      authorization: `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`,
    }),
    ...Object.fromEntries(headers.map(({ name, value }) => [name.toLowerCase(), value])),
  };
}

/** Parses the environment variable of a Job; undefined when it is not valid. */
export function parseCredentials(json: string): SiteCredentials | undefined {
  try {
    const { host, username, password, headers, signIn, sessionKeys } = JSON.parse(json) as Record<string, unknown>;
    const user = typeof username === "string" && typeof password === "string" ? { username, password } : undefined;
    const list = Array.isArray(headers) && headers.every(isHeader) ? { headers } : undefined;
    // Written by the controller, which has read it.
    const isGiven = typeof signIn === "object" && signIn !== null && Array.isArray(sessionKeys);
    const steps = isGiven ? { signIn: signIn as SignIn, sessionKeys: sessionKeys.map(String) } : undefined;
    return typeof host === "string" && (user || list || steps) ? { host, ...user, ...list, ...steps } : undefined;
  } catch {
    return undefined;
  }
}

function isHeader(value: unknown): value is SiteHeader {
  const { name, value: text } = (value ?? {}) as Partial<SiteHeader>;
  return typeof name === "string" && typeof text === "string";
}
