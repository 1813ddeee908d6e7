/**
 * Whether a host belongs to the site of another one: it is the same, or `sameSite` names it. Hosts have a port, as
 * `URL.host` does, unless it is that of the scheme.
 *
 * @param home the host where the crawl started
 */
export function isOfSite(host: string, home: string, { sameSite = [] }: { sameSite?: readonly string[] }): boolean {
  if (host === home) return true;
  return sameSite.some((named) => {
    if (named === "www") return bare(host) === bare(home);
    if (named === "subdomains") return host.endsWith(`.${bare(home)}`);
    return named.startsWith("*.") ? host.endsWith(named.slice(1)) : host === named;
  });
}

/** A host without `www.`, which makes another host and no other site. */
export function bare(host: string): string {
  return host.replace(/^www\./, "");
}
