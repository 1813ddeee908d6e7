/**
 * Changes a page's source, without changing its length, so that html-validate reads it as the HTML Standard
 * requires. Offsets stay correct; extracts come from the original source.
 *
 * - Directives in comments (`<!-- [html-validate-disable …] -->`) are not obeyed: a page must not decide what is found.
 * - Tag names are case-insensitive, but html-validate implies the end of `<p>` and `<li>` only in lower case.
 * - `<!DOCTYPE html SYSTEM "about:legacy-compat">` is allowed (section 13.1.1).
 * - The text of `<title>` and `<textarea>` has no tags in it (section 13.1.2, escapable raw text elements).
 * - The contents of `<template>` have no conformance requirements (section 4.12.3).
 */
export function prepareSource(page: string): string {
  const source = page.includes("html-validate-") ? page.replaceAll(DIRECTIVE, "$1html_validate_") : page;
  const parts: string[] = [];
  let copied = 0;
  const replace: Replace = (start, end, text) => {
    parts.push(source.slice(copied, start), text);
    copied = end;
  };
  for (let at = source.indexOf("<"); at !== -1; at = source.indexOf("<", at))
    at = afterComment(source, at) ?? afterTag(source, at, replace) ?? afterDoctype(source, at, replace) ?? at + 1;
  parts.push(source.slice(copied));
  return parts.join("");
}

/** Puts a text of the same length in the place of `start` to `end`. Places come in ascending order. */
type Replace = (start: number, end: number, text: string) => void;

/** `<!-->` and `<!--->` are comments, too. */
function afterComment(source: string, at: number): number | undefined {
  return source.startsWith("<!--", at) ? endOf(source, "-->", at + 2) : undefined;
}

function afterDoctype(source: string, at: number, replace: Replace): number | undefined {
  const doctype = matchAt(LEGACY_DOCTYPE, source, at);
  if (!doctype) return undefined;
  replace(at, at + doctype.length, `${DOCTYPE}${blank(doctype.slice(DOCTYPE.length))}`);
  return at + doctype.length;
}

/** The place after a tag; for an element whose contents have no tags, after its contents. */
function afterTag(source: string, at: number, replace: Replace): number | undefined {
  const tag = matchAt(TAG, source, at);
  if (!tag) return undefined;
  const lower = asciiLowerCase(tag);
  const afterName = at + tag.length;
  if (tag !== lower && !CAMEL_CASE.test(tag)) replace(at, afterName, lower);
  const start = endOfTag(source, afterName);
  const name = lower.slice(1);
  if (name !== "template" && !RAW_TEXT.has(name)) return start;
  const end = name === "template" ? endOfTemplate(source, start) : endOfText(source, name, start);
  const contents = source.slice(start, end);
  if (name === "template") replace(start, end, blank(contents));
  if (name === "title" || name === "textarea") replace(start, end, contents.replaceAll("<", "x"));
  return end;
}

/** Anywhere in the source: html-validate takes some text for a comment that is not one. */
const DIRECTIVE = /(<!--\s*\[?)html-validate-/g;
/** Sticky expressions are tried at one place only. */
const TAG = /<\/?[a-z][^\s/>]*/iy;
/** Names of SVG elements have capitals inside and are case-sensitive. */
const CAMEL_CASE = /[a-z][A-Z]/;
const DOCTYPE = "<!doctype html>";
const LEGACY_DOCTYPE = /<!doctype\s+html\s+system\s+(?:"about:legacy-compat"|'about:legacy-compat')\s*>/iy;
/** Elements whose text has no tags. */
const RAW_TEXT: ReadonlySet<string> = new Set(["script", "style", "title", "textarea", "xmp", "iframe", "noembed"]);

function matchAt(pattern: RegExp, source: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(source)?.[0];
}

/** The place after `what`; the end of the source if it does not follow. */
function endOf(source: string, what: string, from: number): number {
  const found = source.indexOf(what, from);
  return found === -1 ? source.length : found + what.length;
}

/** The place after a tag's ">". Quotes count only where a value begins; an unclosed one includes all that follows. */
function endOfTag(source: string, from: number): number {
  VALUE_OR_END.lastIndex = from;
  for (let found = VALUE_OR_END.exec(source); found; found = VALUE_OR_END.exec(source)) {
    const [text] = found;
    if (text === ">") return VALUE_OR_END.lastIndex;
    const quote = text.at(-1) ?? "";
    VALUE_OR_END.lastIndex = endOf(source, quote, VALUE_OR_END.lastIndex);
  }
  return source.length;
}
const VALUE_OR_END = />|=\s*["']/g;

/** Where the end tag of an element without tags begins. */
function endOfText(source: string, name: string, from: number): number {
  const endTag = new RegExp(`</${name}(?=[\\s/>])`, "gi");
  endTag.lastIndex = from;
  return endTag.exec(source)?.index ?? source.length;
}

/** Where the end tag of a template begins. Templates may be nested; an unclosed one includes all that follows. */
function endOfTemplate(source: string, from: number): number {
  const tags = /<(\/?)template(?=[\s/>])/gi;
  tags.lastIndex = from;
  let depth = 1;
  for (let tag = tags.exec(source); tag; tag = tags.exec(source)) {
    depth += tag[1] ? -1 : 1;
    if (depth === 0) return tag.index;
  }
  return source.length;
}

/** `toLowerCase` changes the length of some texts. */
function asciiLowerCase(text: string): string {
  return text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
}

function blank(text: string): string {
  return text.replaceAll(/[^\n\r]/g, " ");
}
