import type { DecodedDocument } from "html-conformance/documents";
import { parseIn, resolveBase } from "../addresses/document-url.ts";
import { isMistaken, mayBeTemplate } from "../addresses/written-address.ts";
import { MAX_PARSED_LENGTH } from "../scope/url-scope.ts";
import { cssUrls } from "./css-urls.ts";
import { parseRefresh } from "./refresh.ts";
import { type Place, scanTags, type Tag } from "./scan-tags.ts";
import { runs } from "./script-type.ts";

/** What an element needs an address for: `link` to lead there, the others to show the page. */
export const referenceKinds = [
  ...(["link", "image", "icon", "style sheet", "script", "font", "media file", "text track"] as const),
  ...(["frame", "object", "manifest", "resource"] as const),
] as const;
export type ReferenceKind = (typeof referenceKinds)[number];

/** Where a start tag is in the source as received: 1-based, and the last column belongs to it. */
export type SourceRange = readonly [firstLine: number, firstColumn: number, lastLine: number, lastColumn: number];

/** An address that a page needs. */
export type Reference = {
  as: ReferenceKind;
  /** Absolute, with its fragment; as written if it is no URL. */
  url: string;
  /** It is no URL, or has a scheme that is a mistake. */
  invalid?: true;
  /** It is one of a template that a script fills in: what it will be is not known. */
  template?: true;
  /** The link says that it is not to be followed. */
  nofollow?: true;
  /** The start tag, or the beginning of a long one. */
  extract: string;
  /** Undefined for an element that a script has made. */
  at?: SourceRange;
};

/** What a page needs, and what can be linked to in it. */
export type PageReferences = {
  /** In the order of the document. */
  references: Reference[];
  /** How many more there are than are read: of elements, and of style sheets in them. */
  leftOut: number;
  /** The ids of its elements, and the names of its anchors. */
  ids: string[];
  /** It has more ids than are read. */
  hasMoreIds: boolean;
  /** Scripts of it that have not run may make more. */
  mayHaveMoreIds?: boolean;
};

/** Limits that keep a hostile page from filling the database. */
const MAX_REFERENCES = 20_000;
const MAX_CHARACTERS = 4_000_000;
/** Of all style elements and style attributes together. */
const MAX_CSS_CHARACTERS = 2_000_000;
const MAX_IDS = 50_000;
const MAX_ID_CHARACTERS = 2_000_000;
const MAX_ID_LENGTH = 1_000;
const MAX_EXTRACT = 200;
/** Of the attributes of one element. */
const MAX_CANDIDATES = 100;

const HREF = ["id", "href", "xlink:href", "style"];
const SRC = ["id", "src", "style"];
const OTHER = ["id", "style"];
/** Attributes of SVG that are CSS. */
const CSS_OF_SVG = [
  ...["fill", "stroke", "filter", "mask", "clip-path", "marker-start", "marker-mid", "marker-end", "cursor"],
];
/** What is read of an element. */
const wanted = new Map<string, readonly string[]>([
  ["a", [...HREF, "name", "rel"]],
  ["area", [...HREF, "rel"]],
  ["base", ["href"]],
  ["link", ["id", "href", "rel", "as", "disabled", "imagesrcset"]],
  ["img", [...SRC, "srcset"]],
  ["source", [...SRC, "srcset"]],
  ["video", [...SRC, "poster"]],
  ["input", [...SRC, "type"]],
  ["object", ["id", "data", "style"]],
  ["iframe", [...SRC, "srcdoc"]],
  ["script", [...SRC, "type"]],
  ["style", ["id", "type"]],
  ["meta", ["property", "name", "http-equiv", "content"]],
  ...["body", "table", "tr", "td", "th"].map((name) => [name, [...OTHER, "background"]] as const),
  ...["audio", "track", "frame", "embed"].map((name) => [name, SRC] as const),
  ...["image", "feimage", "use"].map((name) => [name, HREF] as const),
]);
const drawn = new Map<string, readonly string[]>();

/** The same of an element within a drawing, where more is CSS. */
function wantedInSvg(name: string): readonly string[] {
  const known = drawn.get(wanted.has(name) ? name : "");
  if (known) return known;
  const attributes = [...(wanted.get(name) ?? OTHER), ...CSS_OF_SVG];
  drawn.set(wanted.has(name) ? name : "", attributes);
  return attributes;
}

/** Relations of `link` whose targets are pages for people or machines. Of others nothing is loaded, or not by every reader. */
const LINKS = /^(?:alternate|amphtml|author|canonical|first|help|last|license|next|prev|privacy-policy|search|up)$/;
const ICONS = /^(?:icon|apple-touch-icon|apple-touch-icon-precomposed|apple-touch-startup-image|mask-icon)$/;
/** What other sites show of a page: https://ogp.me. */
const SHARED: ReadonlyMap<string, ReferenceKind> = new Map([
  ...["og:image", "og:image:url", "og:image:secure_url", "twitter:image", "twitter:image:src"].map(
    (name) => [name, "image"] as const,
  ),
  ...["og:video", "og:video:url", "og:video:secure_url", "og:audio", "og:audio:url", "og:audio:secure_url"].map(
    (name) => [name, "media file"] as const,
  ),
]);
const PRELOADED: Readonly<Record<string, ReferenceKind>> = {
  ...{ audio: "media file", font: "font", image: "image", script: "script", style: "style sheet" },
  ...{ track: "text track", video: "media file", worker: "script" },
};
const BY_NAME: Readonly<Record<string, ReferenceKind>> = {
  ...{ img: "image", audio: "media file", video: "media file", source: "media file", track: "text track" },
  ...{ script: "script", frame: "frame", iframe: "frame", embed: "object", object: "object" },
  ...{ image: "image", feimage: "image", use: "image" },
  ...{ body: "image", table: "image", tr: "image", td: "image", th: "image" },
};

/** Schemes that no browser opens any more, or not from a page: what is there is not known. */
const UNOPENED = /^\s*(?:ftp|file):/i;
const OTHER_SCHEME = /^\s*(?!https?:)[a-z][a-z0-9+.-]*:/i;

type Target = { as: ReferenceKind; url: string; nofollow?: true };

/**
 * Reads what a page needs, as a browser that runs scripts sees it before any has run: what is in a `template` or a
 * `noscript` is nothing.
 *
 * @param url the page's own
 * @param reading.encoding of the document, in which the queries of its addresses are
 * @param reading.xml whether it is an XML document
 * @param reading.rendered whether its scripts have run
 */
export function readReferences(
  source: string,
  url: string,
  { xml = false, ...reading }: { encoding?: string | undefined; xml?: boolean; rendered?: boolean } = {},
): PageReferences {
  const reader = createReferenceReader(source);
  scanTags(source, { read: reader.read, xml }, reader.onTag);
  return reader.end(url, reading);
}

/** The same as a reader of tags. `end` is called after the last one. */
export function createReferenceReader(source: string) {
  const tags: { tag: Tag; targets: Target[] }[] = [];
  const ids = createIds();
  const css = createCss(source);
  let base: string | undefined;
  let count = 0;
  let leftOut = 0;
  let hasScripts = false;
  const onTag = (tag: Tag, { svgs }: Place): void => {
    ids.add(tag.given.id);
    if (tag.name === "a") ids.add(tag.given.name);
    if (tag.name === "base") base ??= tag.given.href;
    if (tag.name === "script") hasScripts ||= runs(tag.given.type);
    const targets = targetsOf(tag);
    if (targets.length > MAX_CANDIDATES) leftOut += targets.splice(MAX_CANDIDATES).length;
    const named = css.of(tag, { inSvg: svgs > 0, isFull: count >= MAX_REFERENCES });
    targets.push(...named.urls);
    leftOut += named.leftOut;
    if (targets.length === 0) return;
    if (count >= MAX_REFERENCES) leftOut += targets.length;
    else tags.push({ tag, targets });
    count += targets.length;
  };
  const end = (url: string, { encoding = "utf-8", rendered = false }: Reading = {}): PageReferences => {
    const isUnfinished = hasScripts && !rendered;
    const resolved = resolveBase(base, url, encoding);
    const resolve = (written: string): Resolved | undefined =>
      isUnfinished && mayBeTemplate(written)
        ? { url: shortened(written), template: true }
        : addressOf(written, resolved, encoding);
    const placed = place(source, tags, resolve);
    const all = { references: placed.references, leftOut: leftOut + placed.leftOut, ...ids.all() };
    return isUnfinished ? { ...all, mayHaveMoreIds: true } : all;
  };
  return { read: wantedAt, onTag, end };
}

type Resolved = Pick<Reference, "url" | "invalid" | "template">;

/** What tags name, absolute and with their places. @param resolve an address as written; undefined for one that nobody requests */
function place(
  source: string,
  tags: readonly { tag: Tag; targets: Target[] }[],
  resolve: (written: string) => Resolved | undefined,
): Pick<PageReferences, "references" | "leftOut"> {
  const rangeOf = ranges(source);
  const references: Reference[] = [];
  let characters = 0;
  let leftOut = 0;
  for (const { tag, targets } of tags) {
    const extract = source.slice(tag.start, Math.min(tag.end, tag.start + MAX_EXTRACT));
    const at = rangeOf(tag);
    for (const target of targets) {
      // A longer address is not parsed: whether it is a URL is not known.
      if (target.url.length > MAX_PARSED_LENGTH && !OTHER_SCHEME.test(target.url)) {
        leftOut += 1;
        continue;
      }
      const address = resolve(target.url);
      if (!address) continue;
      characters += address.url.length + extract.length;
      if (references.length >= MAX_REFERENCES || characters > MAX_CHARACTERS) leftOut += 1;
      else references.push({ ...target, ...address, extract, at });
    }
  }
  return { references, leftOut };
}

type Reading = { encoding?: string | undefined; rendered?: boolean };

function wantedAt(name: string, { svgs }: Place): readonly string[] {
  return svgs > 0 ? wantedInSvg(name) : (wanted.get(name) ?? OTHER);
}

/** The ids of a page, each once. */
function createIds() {
  const ids = new Set<string>();
  let characters = 0;
  let hasMoreIds = false;
  return {
    add(id: string | undefined): void {
      if (id === undefined || id === "" || ids.has(id)) return;
      characters += id.length;
      if (id.length > MAX_ID_LENGTH || ids.size >= MAX_IDS || characters > MAX_ID_CHARACTERS) hasMoreIds = true;
      else ids.add(id);
    },
    all: (): Pick<PageReferences, "ids" | "hasMoreIds"> => ({ ids: [...ids], hasMoreIds }),
  };
}

const NO_CSS: ReturnType<typeof cssUrls> = { urls: [], leftOut: 0 };

/** What the CSS in elements and attributes of a page names. */
function createCss(source: string) {
  const styleOf = styles(source);
  let characters = 0;
  const read = (css: string, isFull: boolean): ReturnType<typeof cssUrls> => {
    characters += css.length;
    return isFull || characters > MAX_CSS_CHARACTERS ? { urls: [], leftOut: 1 } : cssUrls(css);
  };
  return {
    /** @param where.isFull whether no more addresses are read */
    of(tag: Tag, { inSvg, isFull }: { inSvg: boolean; isFull: boolean }): ReturnType<typeof cssUrls> {
      const own = styleOf(tag);
      if (!inSvg) return loads(own) ? read(own, isFull) : NO_CSS;
      const all = [own, ...CSS_OF_SVG.map((name) => tag.given[name])].filter(loads).map((css) => read(css, isFull));
      return { urls: all.flatMap(({ urls }) => urls), leftOut: all.reduce((sum, { leftOut }) => sum + leftOut, 0) };
    },
  };
}

/** What a page needs, by its document as received and, if a browser has rendered it, as scripts have left it. */
export function readPage(url: string, document: DecodedDocument, rendered?: string): PageReferences {
  const encoding = document.encoding?.name;
  const xml = /^application\/xhtml\+xml/i.test(document.contentType);
  const received = readReferences(document.source, url, { encoding, xml });
  if (rendered === undefined) return received;
  // It is too large. What scripts have made is not known.
  if (rendered === "") return { ...received, hasMoreIds: true, leftOut: received.leftOut + 1 };
  return placeReferences(readReferences(rendered, url, { encoding, rendered: true }), received);
}

/**
 * The same of a page that a browser has rendered.
 *
 * @param received of its source: where an element is that no script has made
 */
function placeReferences(rendered: PageReferences, received: PageReferences): PageReferences {
  const places = Map.groupBy(received.references, keyOf);
  const references = rendered.references.map(({ at: _, ...reference }): Reference => {
    const placed = places.get(keyOf(reference))?.shift();
    return placed ? { ...reference, extract: placed.extract, ...(placed.at && { at: placed.at }) } : reference;
  });
  return { ...rendered, references };
}

function keyOf({ as, url }: Pick<Reference, "as" | "url">): string {
  return `${as} ${url}`;
}

function targetsOf({ name, given }: Tag): Target[] {
  const { href = given["xlink:href"], poster, srcset = given.imagesrcset } = given;
  // An empty link leads to its own page.
  if (name === "a" || name === "area")
    return href === undefined ? [] : [{ as: "link", url: href, ...(hasNofollow(given.rel) && { nofollow: true }) }];
  if (name === "meta") return metaTargets(given);
  const targets: Target[] = [];
  const add = (as: ReferenceKind, url = ""): void => {
    if (url.trim() !== "") targets.push({ as, url });
  };
  const as = kindOf(name, given);
  if (as) add(as, name === "object" ? given.data : (given.src ?? given.background ?? href));
  add("image", poster);
  if (srcset !== undefined) for (const url of candidates(srcset)) add("image", url);
  return targets;
}

/** Where a refresh leads, and what other sites show of the page. */
function metaTargets({ property, name = "", "http-equiv": equivalent, content = "" }: Tag["given"]): Target[] {
  if (equivalent?.trim().toLowerCase() === "refresh") {
    const { target = "" } = parseRefresh(content) ?? {};
    return target === "" ? [] : [{ as: "link", url: target }];
  }
  const as = SHARED.get((property ?? name).trim().toLowerCase());
  return as && content.trim() !== "" ? [{ as, url: content }] : [];
}

/** What an element loads; undefined if it is nothing. */
function kindOf(name: string, given: Tag["given"]): ReferenceKind | undefined {
  if (name === "script" && !isScript(given.type)) return undefined;
  if (name === "link") return linked(given);
  if (name === "input") return given.type?.trim().toLowerCase() === "image" ? "image" : undefined;
  // A part of the document itself.
  if (name === "use" && given.href?.trim().startsWith("#")) return undefined;
  return given.srcdoc === undefined ? BY_NAME[name] : undefined;
}

/** A block of data has another type, and is not loaded: https://html.spec.whatwg.org/#prepare-the-script-element. */
function isScript(type = ""): boolean {
  return runs(type) || /^(?:importmap|speculationrules)$/i.test(type.trim());
}

function hasNofollow(rel = ""): boolean {
  return rel.toLowerCase().split(/\s+/).includes("nofollow");
}

/** What a `link` element is for; undefined for one of which nothing is loaded. */
function linked({ rel = "", as = "", disabled }: Tag["given"]): ReferenceKind | undefined {
  const relations = rel.toLowerCase().split(/\s+/);
  if (disabled !== undefined) return undefined;
  if (relations.includes("stylesheet")) return "style sheet";
  if (relations.includes("modulepreload")) return "script";
  if (relations.includes("preload")) return PRELOADED[as.trim().toLowerCase()] ?? "resource";
  if (relations.includes("manifest")) return "manifest";
  if (relations.some((relation) => ICONS.test(relation))) return "icon";
  return relations.some((relation) => LINKS.test(relation)) ? "link" : undefined;
}

/** The addresses in a srcset: https://html.spec.whatwg.org/#parsing-a-srcset-attribute. */
function candidates(srcset: string): string[] {
  const found: string[] = [];
  let rest = srcset;
  for (;;) {
    rest = rest.replace(/^[\s,]+/, "");
    const [url = ""] = /^\S+/.exec(rest) ?? [];
    if (url === "") return found;
    rest = rest.slice(url.length);
    found.push(url.replace(/,+$/, ""));
    if (!url.endsWith(",")) rest = rest.replace(/^(?:[^,(]|\([^)]*\)?)*/, "");
  }
}

/**
 * The style sheet in an element, or its style attribute. No part of the source is given twice: in SVG and XML, style
 * elements can be within each other, or have no end.
 */
function styles(source: string): (tag: Tag) => string | undefined {
  const ending = /<\/style/gi;
  let read = 0;
  return ({ name, given, end }) => {
    if (name !== "style") return given.style;
    if (end < read) return undefined;
    ending.lastIndex = end;
    read = ending.exec(source)?.index ?? source.length;
    // A style element of another type, such as one for a preprocessor, is a block of data.
    return /^(?:text\/css)?$/i.test(given.type?.trim() ?? "") ? source.slice(end, read) : undefined;
  };
}

function loads(css: string | undefined): css is string {
  return css !== undefined && /url\(|src\(|image-set\(|@import/i.test(css);
}

/**
 * An address that is written in a document or a style sheet.
 *
 * @param encoding of the document
 * @returns undefined for one that nobody requests: of another scheme, such as `mailto:` and `data:`
 */
export function addressOf(
  url: string,
  base: string,
  encoding = "utf-8",
): Pick<Reference, "url" | "invalid"> | undefined {
  if (OTHER_SCHEME.test(url)) {
    if (isMistaken(url)) return { url: shortened(url), invalid: true };
    return UNOPENED.test(url) ? { url: shortened(url) } : undefined;
  }
  const parsed = parseIn(url, base, encoding);
  if (!parsed) return { url: shortened(url), invalid: true };
  return parsed.protocol === "http:" || parsed.protocol === "https:" ? { url: parsed.href } : undefined;
}

function shortened(url: string): string {
  return url.trim().slice(0, MAX_EXTRACT);
}

/** Where tags are in lines and columns, each after the one before it. Lines end at CRLF, LF or CR. */
function ranges(source: string): (tag: Tag) => SourceRange {
  const lineEnd = /\r\n?|\n/g;
  let line = 1;
  let lineStart = 0;
  let next = endOfLine();
  function endOfLine(): number {
    return lineEnd.test(source) ? lineEnd.lastIndex : Number.POSITIVE_INFINITY;
  }
  const placeOf = (offset: number): [line: number, column: number] => {
    while (next <= offset) {
      line += 1;
      lineStart = next;
      next = endOfLine();
    }
    return [line, offset - lineStart + 1];
  };
  return ({ start, end }) => [...placeOf(start), ...placeOf(Math.max(start, end - 1))];
}
