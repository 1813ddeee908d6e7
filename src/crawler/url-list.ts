import { SaxesParser } from "saxes";
import { mediaType } from "./content.ts";

/** The URLs of a sitemap or a text list. */
export type UrlList = {
  kind: "sitemap" | "text-list";
  /** URLs of pages. */
  urls: string[];
  /** The sitemaps that a sitemap index lists. */
  sitemaps: string[];
};

/** The sitemap protocol's limit per file. */
const MAX_URLS = 50_000;

/** Reading stops after MAX_IDLE_CHARACTERS plus this many for each URL found: room for translations, images and comments. */
const MAX_CHARACTERS_PER_URL = 20_000;
const MAX_IDLE_CHARACTERS = 5_000_000;
const CHUNK = 65_536;
/** The parser keeps every open element in memory. Extensions of the protocol nest only a few. */
const MAX_DEPTH = 50;

/**
 * Parses a sitemap or sitemap index (XML); undefined when the text is neither. URLs before a
 * syntax error are kept. Entities that the document declares are not expanded.
 */
export function parseSitemap(text: string): UrlList | undefined {
  let root: string | undefined;
  let location: string | undefined;
  const path: string[] = [];
  const found = new Set<string>();
  const parser = new SaxesParser({});
  const local = (name: string): string => name.slice(name.indexOf(":") + 1).toLowerCase();
  const stop = new Error("enough");
  parser.on("error", (error) => {
    throw error;
  });
  parser.on("opentag", ({ name }) => {
    root ??= local(name);
    if ((root !== "urlset" && root !== "sitemapindex") || path.length >= MAX_DEPTH) throw stop;
    path.push(local(name));
    // Extensions (images, videos) have `loc` elements too, one level deeper.
    if (path.length === 3 && path[2] === "loc") location = "";
  });
  parser.on("text", (data) => {
    if (location !== undefined && location.length < 10_000) location += data;
  });
  parser.on("cdata", (data) => {
    if (location !== undefined && location.length < 10_000) location += data;
  });
  parser.on("closetag", () => {
    path.pop();
    if (location === undefined || path.length !== 2) return;
    if (location.trim() !== "") found.add(detached(location.trim()));
    location = undefined;
    if (found.size >= MAX_URLS) throw stop;
  });
  try {
    for (let at = 0; at < text.length; at += CHUNK) {
      // Parsing XML without URLs could take seconds for nothing.
      if (at > MAX_IDLE_CHARACTERS + found.size * MAX_CHARACTERS_PER_URL) throw stop;
      parser.write(text.slice(at, at + CHUNK));
    }
    parser.close();
  } catch {
    // The XML is not well-formed, or the parser was stopped: the URLs found so far are kept.
  }
  if (root === "urlset") return { kind: "sitemap", urls: [...found], sitemaps: [] };
  if (root === "sitemapindex") return { kind: "sitemap", urls: [], sitemaps: [...found] };
  return undefined;
}

/**
 * Parses one URL per line, without blank lines and `#` comments; undefined when the first line is not a URL. Lines are
 * read one by one: splitting 50 MB of short lines would take gigabytes. They are not found by a regular expression,
 * whose stack a line of megabytes can exceed.
 */
export function parseTextList(text: string): UrlList | undefined {
  const found = new Set<string>();
  let count = 0;
  for (let start = 0; start < text.length && count < MAX_URLS; ) {
    if (start > MAX_IDLE_CHARACTERS + count * MAX_CHARACTERS_PER_URL) break;
    const end = endOfLine(text, start);
    const url = text.slice(start, end).trim();
    start = end + 1;
    if (url === "" || url.startsWith("#")) continue;
    if (count === 0 && !/^https?:\/\//i.test(url)) return undefined;
    count += 1;
    found.add(detached(url));
  }
  return { kind: "text-list", urls: [...found], sitemaps: [] };
}

function endOfLine(text: string, start: number): number {
  for (let at = start; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 0x0a || code === 0x0d) return at;
  }
  return text.length;
}

/** A copy of the text: a slice would keep the whole list in memory, which may be 50 MB, until its URLs are handled. */
function detached(url: string): string {
  return Buffer.from(url, "utf16le").toString("utf16le");
}

/** True when a response with this Content-Type may be a list of URLs. */
export function mayBeList(contentType: string): boolean {
  return ["xml", "text", "gzip", "unknown", ""].includes(mediaType(contentType));
}
