/** Stored credentials of a site behind Basic HTTP Authentication, opened. */
export type BasicAuth = { host: string; username: string; password: string };

/** A host as URLs write it, without the port that either scheme implies; undefined for none. */
export function normaliseHost(host: string): string | undefined {
  const url = URL.parse(`http://${host}/`);
  if (url?.pathname !== "/" || url.username || url.search || url.hash) return undefined;
  return url.host.replace(/:443$/, "") || undefined;
}

/** True for the credentials' own host and port, nothing above or below it. */
export function belongsTo(auth: BasicAuth, url: string): boolean {
  return URL.parse(url)?.host === auth.host;
}

/** The value of the Authorization header: RFC 7617, in UTF-8. */
export function authorization({ username, password }: BasicAuth): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`;
}

/** Reads the variable that a Job is given. */
export function parseBasicAuth(json: string): BasicAuth | undefined {
  try {
    const { host, username, password } = JSON.parse(json) as Record<string, unknown>;
    const given = typeof host === "string" && typeof username === "string" && typeof password === "string";
    return given ? { host, username, password } : undefined;
  } catch {
    return undefined;
  }
}
