import { isIP, isIPv6 } from "node:net";
import { type ConnectionOptions, createSecureContext, getCACertificates, type SecureContext } from "node:tls";
import { UsageError } from "../domain/errors.ts";

/** Whose TLS certificates are accepted besides those that everybody accepts, and what is shown to whom. */
export type TlsTrust = {
  /** Certificates of further authorities, as PEM. */
  authorities: readonly string[];
  /** What is shown to a host that asks for it, and to no other: by `host`, or by `host:port` for one of its ports. */
  clientCertificates: ReadonlyMap<string, ClientCertificate>;
  /** The same kinds of names: hosts whose certificates are not verified. */
  insecureHosts: ReadonlySet<string>;
};

/** A certificate and its key, as PEM. */
export type ClientCertificate = { cert: string; key: string };

/**
 * @param entries each as `host` or `host:port`, with an IPv6 address in brackets
 * @returns the names as they are looked up
 * @throws UsageError naming the entry that is wrong
 */
export function readTlsHosts(entries: readonly string[]): Set<string> {
  return new Set(entries.map(readTlsHost));
}

/** @throws UsageError naming the entry that is wrong */
export function readTlsHost(entry: string): string {
  const [, name = "", port = ""] = /^(\[[0-9a-f:.]+\]|[^:/@\s]+)(?::(\d{1,5}))?$/i.exec(entry) ?? [];
  const { hostname } = URL.parse(`https://${name}/`) ?? {};
  if (!hostname || Number(port) > 65_535)
    throw new UsageError(`${JSON.stringify(entry)} is not a host, such as shop.example.org or shop.example.org:8443.`);
  return port === "" ? nameOf(hostname) : `${nameOf(hostname)}:${Number(port)}`;
}

/** The host of a name from readTlsHost. */
export function hostOfName(name: string): string {
  return name.replace(/:\d+$/, "");
}

/** What is known of one port of a host: its client certificate, and whether its own certificate is verified. */
export function tlsOf(trust: TlsTrust | undefined, host: string, port: number) {
  const names = [`${nameOf(host)}:${port}`, nameOf(host)];
  const certificate = names.map((name) => trust?.clientCertificates.get(name)).find((found) => found !== undefined);
  return { certificate, insecure: names.some((name) => trust?.insecureHosts.has(name) === true) };
}

/** Whether a URL is one where a client certificate is shown, if who asks may show one; undefined if there is none at all. */
export function certificateRule(trust: TlsTrust | undefined): ((url: string) => boolean) | undefined {
  if (!trust || trust.clientCertificates.size === 0) return undefined;
  return (url) => {
    const { protocol, hostname, port } = URL.parse(url) ?? { protocol: "", hostname: "", port: "" };
    return protocol === "https:" && tlsOf(trust, hostname, Number(port) || 443).certificate !== undefined;
  };
}

/** A trust without client certificates: for what a page of another host asks for. */
export function withoutCertificates(trust: TlsTrust): TlsTrust {
  return { ...trust, clientCertificates: new Map() };
}

/** Whether all that led to a request are hosts that a client certificate is for: others do not get it shown. */
export function mayShow(trust: TlsTrust | undefined, hostnames: readonly string[]): boolean {
  const named = new Set([...(trust?.clientCertificates.keys() ?? [])].map(hostOfName));
  return named.size > 0 && hostnames.every((hostname) => named.has(nameOf(hostname)));
}

/** How node:tls connects to one port of a host; "all" trusts everybody's authorities, too, "own" only the given ones. */
export function tlsOptions(
  trust: TlsTrust | undefined,
  host: string,
  port: number,
  authorities: "all" | "own" = "all",
): Pick<ConnectionOptions, "secureContext" | "rejectUnauthorized"> {
  if (!trust) return {};
  const { certificate, insecure } = tlsOf(trust, host, port);
  return { secureContext: contextOf(trust, certificate, authorities), rejectUnauthorized: !insecure };
}

/** SNI has names, never addresses (RFC 6066, section 3). */
export function serverName(host: string): string {
  return isIP(host.replace(/^\[(.*)\]$/, "$1")) === 0 ? host : "";
}

/** As names are looked up: in lower case, without a dot at the end, an IPv6 address in brackets. */
function nameOf(host: string): string {
  const lower = host.toLowerCase().replace(/\.$/, "");
  return isIPv6(lower) ? `[${lower}]` : lower;
}

/** Parsing all authorities takes ten milliseconds, so that it is done once. */
const contexts = new WeakMap<TlsTrust, Map<string, SecureContext>>();

function contextOf(trust: TlsTrust, certificate: ClientCertificate | undefined, from: "all" | "own"): SecureContext {
  const known = contexts.get(trust) ?? new Map<string, SecureContext>();
  contexts.set(trust, known);
  const key = `${from} ${certificate?.cert ?? ""}`;
  const found = known.get(key);
  if (found) return found;
  const ca = [...(from === "all" ? getCACertificates("default") : []), ...trust.authorities];
  const made = createSecureContext({ ca, ...certificate });
  known.set(key, made);
  return made;
}
