import { asciiLowerCase } from "../../datatypes/text.ts";

const SCHEME = /^([a-z][a-z0-9+.-]*):$/;
const HOST = /^(?:([a-z][a-z0-9+.-]*):\/\/)?(\*|(?:\*\.)?[a-z0-9-]+(?:\.[a-z0-9-]+)*\.?)(?::(\d+|\*))?(\/.*)?$/i;
/** Sources that are not about URLs. */
const OTHER = /^'(?!self'$)/;
const DEFAULT_PORTS: ReadonlyMap<string, string> = new Map(
  Object.entries({ http: "80", ws: "80", https: "443", wss: "443" }),
);
/** The schemes that a scheme stands for besides itself: the more secure ones. */
const STRONGER: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    http: ["https"],
    ws: ["wss", "http", "https"],
    wss: ["https"],
  }),
);

/**
 * True if a source list allows a URL. A source that is not understood, or that depends on the document's unknown
 * address, allows everything.
 *
 * @param self the document's address, if it is on http or https
 * @see CSP Level 3, 6.7.2.7 Does url match source list in origin with redirect count?
 */
export function allowsUrl(sources: readonly string[], url: URL, self: URL | undefined): boolean {
  return sources.some((source) => matches(asciiLowerCase(source), source, url, self));
}

function matches(lower: string, source: string, url: URL, self: URL | undefined): boolean {
  const scheme = url.protocol.slice(0, -1);
  if (OTHER.test(lower)) return false;
  if (lower === "'self'") return self === undefined || matchesSelf(url, self);
  if (lower === "*") return DEFAULT_PORTS.has(scheme) || scheme === self?.protocol.slice(0, -1);
  const own = SCHEME.exec(lower)?.[1];
  if (own !== undefined) return matchesScheme(own, scheme);
  const [, wanted, host = "", port, path] = HOST.exec(source) ?? [];
  if (host === "") return true;
  if (wanted !== undefined && !matchesScheme(asciiLowerCase(wanted), scheme)) return false;
  if (wanted === undefined && self && !matchesScheme(self.protocol.slice(0, -1), scheme)) return false;
  return (
    url.hostname !== "" &&
    matchesHost(asciiLowerCase(host), url.hostname) &&
    matchesPort(port, url, scheme) &&
    matchesPath(path, url.pathname)
  );
}

function matchesSelf(url: URL, self: URL): boolean {
  if (url.origin === self.origin) return true;
  // The same host with a more secure scheme is the document's own, too.
  const isSecure = /^(?:https|wss):$/.test(url.protocol) || (self.protocol === "http:" && url.protocol === "ws:");
  return (
    isSecure && url.hostname === self.hostname && (url.port === self.port || (url.port === "" && self.port === ""))
  );
}

function matchesScheme(wanted: string, scheme: string): boolean {
  return wanted === scheme || (STRONGER.get(wanted)?.includes(scheme) ?? false);
}

function matchesHost(pattern: string, host: string): boolean {
  if (pattern === "*") return true;
  return pattern.startsWith("*.") ? host.endsWith(pattern.slice(1)) : pattern === host;
}

function matchesPort(wanted: string | undefined, url: URL, scheme: string): boolean {
  const usual = DEFAULT_PORTS.get(scheme);
  const port = url.port || usual;
  if (wanted === undefined) return port === usual;
  return wanted === "*" || wanted === port || (wanted === "80" && port === "443");
}

/** A path that ends with a slash stands for all that is in it. */
function matchesPath(pattern: string | undefined, path: string): boolean {
  if (pattern === undefined || pattern === "/") return true;
  try {
    const wanted = decodeURIComponent(pattern);
    const found = decodeURIComponent(path);
    return wanted.endsWith("/") ? found.startsWith(wanted) : wanted === found;
  } catch {
    return true;
  }
}
