/** A fragment that scripts show as a view of its own: `#/about`, `#!about`; `#/` is the page itself. */
export const HASH_ROUTE = "^#(?:!/?|/)[^/]";
const route = new RegExp(HASH_ROUTE);

/** The fragment of a URL if it is such a view, without directives (page-variant.ts); otherwise nothing. */
export function hashRouteOf(url: string): string {
  const hash = url.indexOf("#");
  const [written = ""] = hash === -1 ? [] : url.slice(hash).split(":~:");
  return route.test(written) ? written : "";
}

/** Whether a link leads to a view behind the `#` of its page, as its fragment says. */
export function isHashRoute(link: string): boolean {
  const hash = link.indexOf("#");
  return hash !== -1 && route.test(link.slice(hash, hash + 10));
}
