import { QuoteType, Tokenizer } from "htmlparser2";
import { isHashRoute } from "../domain/site/hash-route.ts";
import { encodeQuery } from "../domain/site/query-encoding.ts";
import { parseRefresh, redirectOf } from "../domain/site/refresh.ts";
import { parseUrl } from "../domain/site/url-scope.ts";
import { withoutFragment } from "../domain/site/without-fragment.ts";
import { linkLimits } from "./link-limits.ts";

/** The links of a page; `unread` is the first one beyond the limits. */
export type PageLinks = {
  links: string[];
  unread?: string;
  /** Those to views behind a `#`; left out without any. */
  routes?: string[];
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

const { maxLinks, maxLinkCharacters, maxUrlLength, maxParsedLength, maxRoutes } = linkLimits;

/** About this many characters of an attribute value are kept. A longer value is not a usable URL. */
const MAX_VALUE_LENGTH = 65_536;

/** What is read of an element. */
const wanted = new Map<string, readonly string[]>([
  ["a", ["href", "xlink:href"]],
  ["area", ["href"]],
  ["base", ["href"]],
  ["link", ["href", "rel"]],
  ["meta", ["http-equiv", "content"]],
  ["frame", ["src"]],
  ["iframe", ["src", "srcdoc"]],
  ["template", ["shadowrootmode"]],
  ["noscript", []],
  ["svg", []],
]);
const NO_ATTRIBUTES: readonly string[] = [];
const MAX_NAME_LENGTH = 14;

/**
 * The targets of a page's links (`a`, also of SVG, `area`, frames), of its canonical link and of its refresh, resolved
 * against its base, as a browser that runs scripts sees them before any script has run: what is in a `template` or a
 * `noscript` is none. One pass of the tokenizer builds no tree and no stack of open elements, so the cost stays linear
 * however deep a hostile page nests.
 *
 * @param url the page's own URL
 */
export function readLinks(
  source: string,
  url: string,
  { encoding = "utf-8", frames = false, xml = false }: PageLinksOptions = {},
): PageLinks {
  const found = scan(source, frames, xml);
  const base = resolveBase(found.base, url, encoding);
  const links = new Set<string>();
  let characters = 0;
  let unread: string | undefined;
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
  const routes = [...found.routes].flatMap((href) => parseIn(href, base, encoding)?.href ?? []);
  const canonical = found.canonical === undefined ? undefined : parseIn(found.canonical, base, encoding)?.href;
  const refresh = redirectOf(found.refresh ?? "", url, (target) => parseIn(target, base, encoding))?.url;
  return {
    links: [...links],
    ...(unread !== undefined && { unread }),
    ...(routes.length > 0 && { routes }),
    ...(canonical === undefined ? {} : { canonical }),
    ...(refresh === undefined ? {} : { refresh }),
  };
}

type Found = {
  hrefs: Set<string>;
  routes: Set<string>;
  base: string | undefined;
  canonical: string | undefined;
  refresh: string | undefined;
};

/** A start tag with what is read of its attributes; of several with the same name the first counts. */
type Tag = { name: string; given: Partial<Record<string, string>> };

/** Where in the document the tokenizer is: within how many templates and SVG elements, and whether in a noscript. */
type Place = { templates: number; svgs: number; inNoscript: boolean };

/** @returns whether the tag is one of those that only say where the next ones are */
function enter(place: Place, { name, given }: Tag): boolean {
  if (name === "template") {
    // A template with an open shadow root is replaced by it. The links of a closed one cannot be seen in a browser.
    if (place.templates > 0 || given.shadowrootmode?.toLowerCase() !== "open") place.templates += 1;
  } else if (place.templates > 0) return true;
  else if (name === "noscript") place.inNoscript = true;
  else if (name === "svg") place.svgs += 1;
  else return false;
  return true;
}

function leave(place: Place, name: string): void {
  if (name === "noscript") place.inNoscript = false;
  else if (place.inNoscript) return;
  else if (name === "template") place.templates = Math.max(0, place.templates - 1);
  else if (name === "svg" && place.templates === 0) place.svgs = Math.max(0, place.svgs - 1);
}

/** The target of a link or frame. */
function targetOf({ name, given }: Tag, place: Place, frames: boolean): string | undefined {
  const { href, src, srcdoc } = given;
  if (name === "a") return href ?? (place.svgs > 0 ? given["xlink:href"] : undefined);
  if (name === "area") return href;
  const isFrame = name === "frame" || name === "iframe";
  return isFrame && frames && srcdoc === undefined && src?.trim() ? src : undefined;
}

function take(found: Found, tag: Tag, place: Place, frames: boolean): void {
  const { href, rel = "", content } = tag.given;
  if (tag.name === "base") found.base ??= href;
  else if (tag.name === "link") {
    if (href !== undefined && rel.toLowerCase().split(/\s+/).includes("canonical")) found.canonical ??= href;
  } else if (tag.name === "meta") {
    const isRefresh = tag.given["http-equiv"]?.trim().toLowerCase() === "refresh";
    if (isRefresh && content !== undefined && parseRefresh(content)) found.refresh ??= content;
  } else {
    const target = targetOf(tag, place, frames);
    // A long one is cut: it is counted, and named, but not visited.
    const named = target?.slice(0, maxUrlLength) ?? "";
    if (found.routes.size < maxRoutes && isHashRoute(named)) found.routes.add(named);
    // Fragments are removed before links are compared: most links of a long page differ only in the fragment.
    if (target !== undefined && found.hrefs.size <= maxLinks) found.hrefs.add(withoutFragment(target));
  }
}

function scan(source: string, frames: boolean, xml: boolean): Found {
  const found: Found = {
    hrefs: new Set(),
    routes: new Set(),
    base: undefined,
    canonical: undefined,
    refresh: undefined,
  };
  const place: Place = { templates: 0, svgs: 0, inNoscript: false };
  let tag: Tag | undefined;
  let attributes = NO_ATTRIBUTES;
  let attribute = "";
  let value = "";

  const onTagEnd = (isSelfClosing: boolean): void => {
    if (tag && !place.inNoscript) {
      const hasContent = !isSelfClosing || !(xml || tag.name === "svg");
      if (!(hasContent && enter(place, tag)) && place.templates === 0) take(found, tag, place, frames);
    }
    tag = undefined;
    attributes = NO_ATTRIBUTES;
  };
  const ignore = (): void => {};

  const tokenizer = new Tokenizer(
    { decodeEntities: true, xmlMode: xml },
    {
      isInForeignContext: () => place.svgs > 0,
      onopentagname(start, end) {
        const name = end - start <= MAX_NAME_LENGTH ? source.slice(start, end).toLowerCase() : "";
        const read = wanted.get(name);
        tag = read && { name, given: {} };
        attributes = read ?? NO_ATTRIBUTES;
      },
      onattribname(start, end) {
        value = "";
        attribute = "";
        if (attributes === NO_ATTRIBUTES || end - start > MAX_NAME_LENGTH) return;
        const name = source.slice(start, end).toLowerCase();
        if (attributes.includes(name)) attribute = name;
      },
      onattribdata(start, end) {
        if (attribute !== "" && value.length < MAX_VALUE_LENGTH) value += source.slice(start, end);
      },
      onattribentity(codepoint) {
        if (attribute !== "" && value.length < MAX_VALUE_LENGTH) value += String.fromCodePoint(codepoint);
      },
      onattribend(quote) {
        if (attribute === "" || (attribute === "href" && quote === QuoteType.NoValue)) return;
        if (tag) tag.given[attribute] ??= value;
      },
      onopentagend: () => onTagEnd(false),
      onselfclosingtag: () => onTagEnd(true),
      onclosetag(start, end) {
        const isOutside = place.templates === 0 && place.svgs === 0 && !place.inNoscript;
        if (!isOutside && end - start <= MAX_NAME_LENGTH) leave(place, source.slice(start, end).toLowerCase());
      },
      ontext: ignore,
      ontextentity: ignore,
      oncomment: ignore,
      oncdata: ignore,
      ondeclaration: ignore,
      onprocessinginstruction: ignore,
      onend: ignore,
    },
  );
  tokenizer.write(source);
  tokenizer.end();
  return found;
}

function resolveBase(base: string | undefined, url: string, encoding: string): string {
  const resolved = base === undefined || base.length > maxUrlLength ? null : parseIn(base, url, encoding);
  // The HTML standard ignores a base with another scheme (data:, javascript:).
  return resolved && (resolved.protocol === "http:" || resolved.protocol === "https:") ? resolved.href : url;
}

/** @returns undefined for a scheme other than http and https; an href that is too long or invalid, as written */
function resolve(href: string, base: string, encoding: string): string | undefined {
  const url = parseIn(href, base, encoding);
  if (!url) return href.trim().slice(0, maxParsedLength + 1);
  return url.protocol === "http:" || url.protocol === "https:" ? url.href : undefined;
}

/** Parses a URL of a document in this encoding. */
function parseIn(href: string, base: string, encoding: string): URL | null {
  if (href.length > maxParsedLength || encoding === "utf-8") return parseUrl(href, base);
  // The parser drops tabs and line breaks, and what surrounds the URL, before anything is encoded.
  const text = href.replace(/^[\0-\x20]+|[\0-\x20]+$|[\t\r\n]/g, "");
  return parseUrl(encodeQuery(text, encoding), base);
}
