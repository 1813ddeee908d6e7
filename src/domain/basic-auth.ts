/** Decrypted credentials of a site behind Basic HTTP Authentication. */
export type BasicAuth = { host: string; username: string; password: string };

/** A host as in a URL, without the default port of http or https; undefined when it is not a host. */
export function normaliseHost(host: string): string | undefined {
  const url = URL.parse(`http://${host}/`);
  if (url?.pathname !== "/" || url.username || url.search || url.hash) return undefined;
  return url.host.replace(/:443$/, "") || undefined;
}

/** True for URLs on the credentials' exact host and port; not for parent or subdomains. */
export function belongsTo(auth: BasicAuth, url: string): boolean {
  return URL.parse(url)?.host === auth.host;
}

/** The value of the Authorization header by RFC 7617, in UTF-8. */
export function authorization({ username, password }: BasicAuth): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`;
}

/** Parses the environment variable of a Job; undefined when it is not valid. */
export function parseBasicAuth(json: string): BasicAuth | undefined {
  try {
    const { host, username, password } = JSON.parse(json) as Record<string, unknown>;
    const given = typeof host === "string" && typeof username === "string" && typeof password === "string";
    return given ? { host, username, password } : undefined;
  } catch {
    return undefined;
  }
}
