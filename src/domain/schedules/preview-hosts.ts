/**
 * Whether a URL is on one of the hosts that a schedule names for previews.
 *
 * @param hosts in each, `*` is any text without a dot; with a port unless it is that of the scheme
 */
export function isPreview(url: string, hosts: readonly string[]): boolean {
  const { host } = new URL(url);
  return hosts.some((pattern) => {
    const parts = pattern.split("*").map((part) => part.replace(/[.]/g, "[.]"));
    return new RegExp(`^${parts.join("[^.]*")}$`).test(host);
  });
}
