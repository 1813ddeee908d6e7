/** A folder of a site. `section`: the first one on the way to it. */
export type Folder = { path: string; section: string };

/** The site's own folder: its pages are in no other. */
export const TOP = "/";

/** The section of a page: the first folder of its address, such as `/products/`. */
export function sectionOf(url: string): string {
  return /^\/[^/]+\//.exec(new URL(url).pathname)?.[0] ?? TOP;
}

/** Reads the path of a folder, which begins and ends with a slash; undefined for any other text. */
export function readFolder(text: string): Folder | undefined {
  if (!text.startsWith("/") || !text.endsWith("/") || text.startsWith("//")) return undefined;
  const url = URL.parse(text, "http://site.example");
  if (url?.host !== "site.example" || url.href.length !== url.origin.length + url.pathname.length) return undefined;
  return { path: url.pathname, section: sectionOf(url.href) };
}
