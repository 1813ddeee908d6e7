import { SaxesParser } from "saxes";
import type { NoticeCode } from "../domain/coverage/notices.ts";
import { number, plural } from "../domain/plural.ts";
import { mediaType } from "./content.ts";
import { createReferenceRepair } from "./xml-references.ts";

/** The URLs of a sitemap or a text list. */
export type UrlList = {
  kind: "sitemap" | "text-list";
  /** URLs of pages. */
  urls: string[];
  /** The sitemaps that a sitemap index lists. */
  sitemaps: string[];
  /** What could not be read; left out if all was. */
  problems?: ListProblem[];
};

/** Something of a list that is not among its URLs. */
export type ListProblem = {
  code: Extract<NoticeCode, "sitemap_incomplete" | "sitemap_entries_dropped">;
  howMany: number;
  /** For people: where, and what was received. */
  detail: string;
};

/** The sitemap protocol's limit per file. */
const MAX_URLS = 50_000;

/** Reading stops after MAX_IDLE_CHARACTERS plus this many for each URL found: room for translations, images and comments. */
const MAX_CHARACTERS_PER_URL = 20_000;
const MAX_IDLE_CHARACTERS = 5_000_000;
const CHUNK = 65_536;
/** The parser keeps every open element in memory. Extensions of the protocol nest only a few. */
const MAX_DEPTH = 50;
/** The parser makes an Error with a stack of each. */
const MAX_HARMLESS_ERRORS = 1_000;
const MAX_HARMLESS_ERRORS_PER_URL = 5;
/** Each unknown name is looked up in HTML's table, and kept. */
const MAX_UNKNOWN_NAMES = 1_000;

/** Errors of XML after which everything else can still be read. */
const HARMLESS =
  /entity|XML declaration|version number|encoding value|standalone value|"\]\]>"|outside of root|attribute|disallowed character\.$/;

/**
 * Parses a sitemap or sitemap index (XML); undefined when the text is neither. What a reader can understand although
 * XML forbids it is read: white space before the XML declaration, a bare `&`, entities of HTML. Of what is broken, the
 * URLs before it are kept. Entities that the document declares are not expanded.
 *
 * @param maxUrls how many are read; by default as many as the protocol allows
 */
export function parseSitemap(text: string, maxUrls = MAX_URLS): UrlList | undefined {
  let root: string | undefined;
  let location: string | undefined;
  const path: string[] = [];
  const found = createFound();
  const parser = new SaxesParser({});
  const local = (name: string): string => name.slice(name.indexOf(":") + 1).toLowerCase();
  const stop = (reason: string): Error => new StoppedError(`Line ${skippedLines + parser.line}: ${reason}.`);
  const start = text.length - text.trimStart().length;
  const skippedLines = lineBreaks(text, start);
  let harmless = 0;
  parser.on("error", ({ message }) => {
    // Without the position, which comes first.
    const reason = message.replace(/^[\d:]*\s*/, "");
    if (!HARMLESS.test(reason)) throw stop(reason.replace(/\.$/, ""));
    harmless += 1;
    if (harmless > MAX_HARMLESS_ERRORS + found.urls.size * MAX_HARMLESS_ERRORS_PER_URL) throw stop(TOO_BROKEN);
  });
  parser.on("opentag", ({ name }) => {
    root ??= local(name);
    if (root !== "urlset" && root !== "sitemapindex") throw stop("neither a sitemap nor an index of sitemaps");
    if (path.length >= MAX_DEPTH) throw stop(`elements are nested more than ${MAX_DEPTH} deep`);
    path.push(local(name));
    // Extensions (images, videos) have `loc` elements too, one level deeper.
    if (path.length === 3 && path[2] === "loc") location = "";
    if (location !== undefined && found.urls.size >= maxUrls) throw stop(tooMany(maxUrls));
  });
  const addText = (data: string): void => {
    if (location !== undefined && location.length < 10_000) location += data;
  };
  parser.on("text", addText);
  parser.on("cdata", addText);
  parser.on("closetag", () => {
    path.pop();
    if (location === undefined || path.length !== 2) return;
    found.add(location.trim());
    location = undefined;
  });
  try {
    const references = createReferenceRepair();
    let parsed = 0;
    for (let at = start; at < text.length; at += CHUNK) {
      // Parsing XML without URLs could take seconds for nothing.
      if (parsed > MAX_IDLE_CHARACTERS + found.urls.size * MAX_CHARACTERS_PER_URL) throw stop(TOO_IDLE);
      const xml = references.repair(text.slice(at, at + CHUNK));
      parser.write(xml);
      parsed += xml.length;
      if (references.unknownNames() > MAX_UNKNOWN_NAMES) throw stop(TOO_MANY_NAMES);
    }
    parser.write(references.end());
    parser.close();
  } catch (error) {
    if (!(error instanceof StoppedError)) throw error;
    found.end(error.message);
  }
  const urls = [...found.urls];
  if (root === "urlset") return { kind: "sitemap", urls, sitemaps: [], ...found.problems() };
  if (root === "sitemapindex") return { kind: "sitemap", urls: [], sitemaps: urls, ...found.problems() };
  return undefined;
}

const tooMany = (maxUrls: number) => `a list may have ${maxUrls} URLs, and the rest was not read`;
const TOO_IDLE = "too much text has no URLs, and the rest was not read";
const TOO_BROKEN = "there are too many errors of XML, and the rest was not read";
const TOO_MANY_NAMES = `more than ${MAX_UNKNOWN_NAMES} names of characters are unknown, and the rest was not read`;

/** Counted without an array of the lines: 50 MB of line breaks would need gigabytes. */
function lineBreaks(text: string, end: number): number {
  let count = 0;
  for (let at = 0; at < end; at += 1) if (text.charCodeAt(at) === 0x0a) count += 1;
  return count;
}

/** Thrown by the handlers of the parser to end it. */
class StoppedError extends Error {}

/** The URLs of a list, each once, and what is not among them. */
function createFound() {
  const urls = new Set<string>();
  let dropped = 0;
  let firstDropped = "";
  let ended: string | undefined;
  return {
    urls,
    add(url: string): void {
      if (url === "") return;
      // What cannot be visited is listed with the other URLs that were left out.
      urls.add(detached(url));
      if (/^https?:/i.test(url)) return;
      dropped += 1;
      firstDropped ||= detached(url.slice(0, 200));
    },
    end(reason: string): void {
      ended = `${reason} ${plural(urls.size, "URL")} before it ${urls.size === 1 ? "was" : "were"} read.`;
    },
    problems(): { problems?: ListProblem[] } {
      const problems: ListProblem[] = [
        ...(ended === undefined ? [] : [{ code: "sitemap_incomplete", howMany: 1, detail: ended } as const]),
        ...(dropped === 0
          ? []
          : [
              {
                code: "sitemap_entries_dropped",
                howMany: dropped,
                detail: droppedText(dropped, firstDropped),
              } as const,
            ]),
      ];
      return problems.length === 0 ? {} : { problems };
    },
  };
}

function droppedText(howMany: number, first: string): string {
  const what = "not begin with http:// or https://.";
  if (howMany === 1) return `The entry ${JSON.stringify(first)} does ${what}`;
  return `${number(howMany)} entries, the first of them ${JSON.stringify(first)}, do ${what}`;
}

/**
 * Parses one URL per line, without blank lines and `#` comments; undefined when the first line is not a URL. Lines are
 * read one by one: splitting 50 MB of short lines would take gigabytes. They are not found by a regular expression,
 * whose stack a line of megabytes can exceed.
 */
export function parseTextList(text: string, maxUrls = MAX_URLS): UrlList | undefined {
  const found = createFound();
  let count = 0;
  let line = 0;
  for (let start = 0; start < text.length; ) {
    line += 1;
    const end = endOfLine(text, start);
    const url = text.slice(start, end).trim();
    if (start > MAX_IDLE_CHARACTERS + count * MAX_CHARACTERS_PER_URL) {
      found.end(`Line ${line}: ${TOO_IDLE}.`);
      break;
    }
    start = text.startsWith("\r\n", end) ? end + 2 : end + 1;
    if (url === "" || url.startsWith("#")) continue;
    if (count === 0 && !/^https?:\/\//i.test(url)) return undefined;
    if (count === maxUrls) {
      found.end(`Line ${line}: ${tooMany(maxUrls)}.`);
      break;
    }
    count += 1;
    found.add(url);
  }
  return { kind: "text-list", urls: [...found.urls], sitemaps: [], ...found.problems() };
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
