/** Decrypted credentials of a site behind Basic HTTP Authentication. */
export type BasicAuth = {
  host: string;
  username: string;
  password: string;
  /** True for a site that starts at https: nothing of it may be sent in clear. */
  httpsOnly?: boolean;
};

/** The credentials as a report may use them that starts at this URL. */
export function credentialsFor(startingUrl: string, auth: BasicAuth | undefined): BasicAuth | undefined {
  return auth && { ...auth, httpsOnly: new URL(startingUrl).protocol === "https:" };
}

/** A host as in a URL, without the default port of http or https; undefined when it is not a host. */
export function normaliseHost(host: string): string | undefined {
  const url = URL.parse(`http://${host}/`);
  if (url?.pathname !== "/" || url.username || url.search || url.hash) return undefined;
  return url.host.replace(/:443$/, "") || undefined;
}

/** True for URLs on the credentials' exact host and port, over TLS if necessary; not for parent or subdomains. */
export function belongsTo({ host, httpsOnly = false }: BasicAuth, url: string): boolean {
  const parsed = URL.parse(url);
  return parsed?.host === host && (!httpsOnly || parsed.protocol === "https:");
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
