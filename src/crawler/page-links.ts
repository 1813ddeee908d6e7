import { QuoteType, Tokenizer } from "htmlparser2";
import { parseUrl } from "../domain/site/url-scope.ts";
import { linkLimits } from "./link-limits.ts";

/** The links of a page; `unread` is the first one beyond the limits. */
export type PageLinks = { links: string[]; unread?: string; canonical?: string };

const { maxLinks, maxLinkCharacters, maxUrlLength, maxParsedLength } = linkLimits;

/** About this many characters of an attribute value are kept. A longer value is not a usable URL. */
const MAX_VALUE_LENGTH = 65_536;

const wanted = new Map([
  ["a", ["href"]],
  ["area", ["href"]],
  ["base", ["href"]],
  ["link", ["href", "rel"]],
]);
const NO_ATTRIBUTES: string[] = [];

/**
 * The targets of a page's links (`a`, `area`) and of its canonical link, resolved against its base, in one
 * pass of the tokenizer. It builds no tree and no stack of open elements, so the cost stays linear however
 * deep a hostile page nests.
 *
 * @param url the page's own URL
 */
export function readLinks(source: string, url: string): PageLinks {
  const found = scan(source);
  const base = resolveBase(found.base, url);
  const links = new Set<string>();
  let characters = 0;
  let unread: string | undefined;
  for (const href of found.hrefs) {
    const link = resolve(href, base);
    if (link === undefined || links.has(link)) continue;
    characters += link.length;
    if (links.size >= maxLinks || characters > maxLinkCharacters) {
      unread = link;
      break;
    }
    links.add(link);
  }
  const canonical = found.canonical === undefined ? undefined : parseUrl(found.canonical, base)?.href;
  return {
    links: [...links],
    ...(unread !== undefined && { unread }),
    ...(canonical === undefined ? {} : { canonical }),
  };
}

type Found = { hrefs: Set<string>; base: string | undefined; canonical: string | undefined };

function scan(source: string): Found {
  const found: Found = { hrefs: new Set(), base: undefined, canonical: undefined };
  let tag = "";
  let attributes = NO_ATTRIBUTES;
  let attribute = "";
  let value = "";
  let href: string | undefined;
  let rel = "";

  const onTagEnd = (): void => {
    if (attributes === NO_ATTRIBUTES) return;
    if (tag === "base") found.base ??= href;
    else if (tag === "link") {
      if (href !== undefined && rel.toLowerCase().split(/\s+/).includes("canonical")) found.canonical ??= href;
    } else if (href !== undefined && found.hrefs.size <= maxLinks) found.hrefs.add(withoutFragment(href));
    attributes = NO_ATTRIBUTES;
  };
  const ignore = (): void => {};

  const tokenizer = new Tokenizer(
    { decodeEntities: true },
    {
      onopentagname(start, end) {
        // The wanted names have at most four letters.
        tag = end - start <= 4 ? source.slice(start, end).toLowerCase() : "";
        attributes = wanted.get(tag) ?? NO_ATTRIBUTES;
        href = undefined;
        rel = "";
      },
      onattribname(start, end) {
        value = "";
        attribute = "";
        if (attributes === NO_ATTRIBUTES || end - start > 4) return;
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
        // The first of several attributes with the same name counts.
        if (attribute === "href" && quote !== QuoteType.NoValue) href ??= value;
        else if (attribute === "rel") rel ||= value;
      },
      onopentagend: onTagEnd,
      onselfclosingtag: onTagEnd,
      onclosetag: ignore,
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

/** Fragments are removed before links are compared: most links of a long page differ only in the fragment. */
function withoutFragment(href: string): string {
  const hash = href.indexOf("#");
  return hash === -1 ? href : href.slice(0, hash);
}

function resolveBase(base: string | undefined, url: string): string {
  const resolved = base === undefined || base.length > maxUrlLength ? null : URL.parse(base, url);
  // The HTML standard ignores a base with another scheme (data:, javascript:).
  return resolved && (resolved.protocol === "http:" || resolved.protocol === "https:") ? resolved.href : url;
}

/** @returns undefined for a scheme other than http and https; an href that is too long or invalid, as written */
function resolve(href: string, base: string): string | undefined {
  const url = parseUrl(href, base);
  if (!url) return href.trim().slice(0, maxParsedLength + 1);
  return url.protocol === "http:" || url.protocol === "https:" ? url.href : undefined;
}
