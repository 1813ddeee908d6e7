import { actingAttributes, type MarkedLink } from "../domain/acts/acts.ts";
import { parseIn, resolveBase } from "../domain/addresses/document-url.ts";
import { isHashRoute } from "../domain/addresses/hash-route.ts";
import { withoutFragment } from "../domain/addresses/without-fragment.ts";
import { mayBeTemplate } from "../domain/addresses/written-address.ts";
import { createReferenceReader, type PageReferences } from "../domain/page/references.ts";
import { parseRefresh, redirectOf } from "../domain/page/refresh.ts";
import { type Place, scanForAll, scanTags, type Tag } from "../domain/page/scan-tags.ts";
import { runs } from "../domain/page/script-type.ts";
import { isAccountLinkText } from "../domain/sign-in/sign-in-page.ts";
import { linkLimits } from "./link-limits.ts";

/** The links of a page; `unread` is the first one beyond the limits. */
export type PageLinks = {
  links: string[];
  unread?: string;
  /** Those whose elements or texts may say that they act, or sign in or out. */
  marked?: MarkedLink[];
  /** Those to views behind a `#`; left out without any. */
  routes?: string[];
  /** Those of templates that scripts of the page fill in, as written: where they lead is not known. Left out without any. */
  templates?: string[];
  canonical?: string;
  /** Where a meta refresh of few seconds leads: instead of the page. */
  refresh?: string;
};

export type PageLinksOptions = {
  /** The document's encoding, in which the queries of its links are; UTF-8 by default. */
  encoding?: string | undefined;
  /** Whether the documents in its frames are links, too. */
  frames?: boolean;
  /** Whether it is an XML document, where every element may be empty (`<iframe/>`) and none has only text. */
  xml?: boolean;
};

const { maxLinks, maxLinkCharacters, maxUrlLength, maxParsedLength, maxRoutes, maxMarked } = linkLimits;
/** Characters after a start tag in which its text is read. */
const MAX_NAMED = 420;

/** What is read of an element. */
const wanted = new Map<string, readonly string[]>([
  ["a", ["href", "xlink:href", "aria-label", "title", ...actingAttributes]],
  ["area", ["href", "alt", "aria-label", "title", ...actingAttributes]],
  ["base", ["href"]],
  ["link", ["href", "rel"]],
  ["meta", ["http-equiv", "content"]],
  ["script", ["type"]],
  ["frame", ["src"]],
  ["iframe", ["src", "srcdoc"]],
]);

/**
 * The targets of a page's links (`a`, also of SVG, `area`, frames), of its canonical link and of its refresh, resolved
 * against its base, as a browser that runs scripts sees them before any script has run: what is in a `template` or a
 * `noscript` is none.
 *
 * @param url the page's own URL
 */
export function readLinks(
  source: string,
  url: string,
  { frames = false, xml = false, encoding }: PageLinksOptions = {},
): PageLinks {
  const reader = createLinkReader(source, frames);
  scanTags(source, { read: reader.read, xml }, reader.onTag);
  return reader.end(url, encoding);
}

/** The links of a page, and what it needs, read in one pass. */
export function readLinksAndReferences(
  source: string,
  url: string,
  { frames = false, xml = false, encoding }: PageLinksOptions = {},
): PageLinks & { references: PageReferences } {
  const [links, references] = [createLinkReader(source, frames), createReferenceReader(source)];
  scanForAll(source, [links, references], { xml });
  return { ...links.end(url, encoding), references: references.end(url, { encoding }) };
}

function createLinkReader(source: string, frames: boolean) {
  const found: Found = {
    hrefs: new Set(),
    marked: [],
    routes: new Set(),
    base: undefined,
    canonical: undefined,
    refresh: undefined,
    hasScripts: false,
  };
  return {
    read: (name: string) => wanted.get(name),
    onTag: (tag: Tag, place: Place): void => take(found, tag, place, source, frames),
    end: (url: string, encoding = "utf-8"): PageLinks => linksOf(found, url, encoding),
  };
}

function linksOf(found: Found, url: string, encoding: string): PageLinks {
  const base = resolveBase(found.base, url, encoding);
  const links = new Set<string>();
  let characters = 0;
  let unread: string | undefined;
  const templates = found.hasScripts ? [...found.hrefs].filter(mayBeTemplate) : [];
  for (const one of templates) found.hrefs.delete(one);
  for (const href of found.hrefs) {
    const link = resolve(href, base, encoding);
    if (link === undefined || links.has(link)) continue;
    characters += link.length;
    if (links.size >= maxLinks || characters > maxLinkCharacters) {
      unread = link;
      break;
    }
    links.add(link);
  }
  const marked = found.marked.flatMap(({ url: href, ...mark }) => {
    const link = resolve(href, base, encoding);
    return link === undefined ? [] : [{ url: link, ...mark }];
  });
  const routes = [...found.routes].flatMap((href) => parseIn(href, base, encoding)?.href ?? []);
  const canonical = found.canonical === undefined ? undefined : parseIn(found.canonical, base, encoding)?.href;
  const refresh = redirectOf(found.refresh ?? "", url, (target) => parseIn(target, base, encoding))?.url;
  return {
    links: [...links],
    ...(unread !== undefined && { unread }),
    ...(marked.length > 0 && { marked }),
    ...(routes.length > 0 && { routes }),
    ...(templates.length > 0 && { templates }),
    ...(canonical === undefined ? {} : { canonical }),
    ...(refresh === undefined ? {} : { refresh }),
  };
}

type Found = {
  hrefs: Set<string>;
  marked: MarkedLink[];
  routes: Set<string>;
  base: string | undefined;
  canonical: string | undefined;
  refresh: string | undefined;
  hasScripts: boolean;
};

/** The target of a link or frame. */
function targetOf({ name, given }: Tag, place: Place, frames: boolean): string | undefined {
  const { href, src, srcdoc } = given;
  if (name === "a") return href ?? (place.svgs > 0 ? given["xlink:href"] : undefined);
  if (name === "area") return href;
  const isFrame = name === "frame" || name === "iframe";
  return isFrame && frames && srcdoc === undefined && src?.trim() ? src : undefined;
}

/** What an element says of its link besides the address; undefined for nearly every one. */
function markOf({ given, end }: Tag, source: string): Omit<MarkedLink, "url"> | undefined {
  const attributes: Record<string, string> = {};
  for (const name of actingAttributes) {
    const value = given[name];
    if (value !== undefined) attributes[name] = value;
  }
  const inner = /^(?:[^<]|<(?!\/a\b)){0,400}<\/a\b/i.exec(source.slice(end, end + MAX_NAMED))?.[0] ?? "";
  const shown = inner
    .replace(/<[^>]*>?/g, " ")
    .replace(/\s+/g, " ")
    .trim();
  // An icon has its name in an attribute.
  const named = inner.includes("=")
    ? [...inner.matchAll(/\s(?:alt|title|aria-label)\s*=\s*(?:"([^"]*)"|'([^']*)')/gi)]
    : [];
  const names = named.map(([, double, single]) => double ?? single ?? "");
  const text =
    [shown, given["aria-label"] ?? "", given.title ?? "", given.alt ?? "", ...names].find(isAccountLinkText) ?? "";
  return text !== "" || Object.keys(attributes).length > 0 ? { attributes, text } : undefined;
}

/** Sees what a document says of itself, and whether scripts may change it. @returns false for another element */
function takeOfDocument(found: Found, { name, given: { type, href, rel = "", content, ...given } }: Tag): boolean {
  if (name === "script") found.hasScripts ||= runs(type);
  else if (name === "base") found.base ??= href;
  else if (name === "link") {
    if (href !== undefined && rel.toLowerCase().split(/\s+/).includes("canonical")) found.canonical ??= href;
  } else if (name === "meta") {
    const isRefresh = given["http-equiv"]?.trim().toLowerCase() === "refresh";
    if (isRefresh && content !== undefined && parseRefresh(content)) found.refresh ??= content;
  } else return false;
  return true;
}

function take(found: Found, tag: Tag, place: Place, source: string, frames: boolean): void {
  if (takeOfDocument(found, tag)) return;
  const target = targetOf(tag, place, frames);
  // A long one is cut: it is counted, and named, but not visited.
  const named = target?.slice(0, maxUrlLength) ?? "";
  if (found.routes.size < maxRoutes && isHashRoute(named)) found.routes.add(named);
  // Fragments are removed before links are compared: most links of a long page differ only in the fragment.
  if (target === undefined || found.hrefs.size > maxLinks) return;
  found.hrefs.add(withoutFragment(target));
  const mark = markOf(tag, source);
  if (mark && found.marked.length < maxMarked) found.marked.push({ url: withoutFragment(target), ...mark });
}

/** @returns undefined for a scheme other than http and https; an href that is too long or invalid, as written */
function resolve(href: string, base: string, encoding: string): string | undefined {
  const url = parseIn(href, base, encoding);
  if (!url) return href.trim().slice(0, maxParsedLength + 1);
  return url.protocol === "http:" || url.protocol === "https:" ? url.href : undefined;
}
