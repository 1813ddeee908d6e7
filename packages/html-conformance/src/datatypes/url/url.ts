import { characterAt, isAlpha, isDigit, isHexDigit, quote, stripSpaces } from "../text.ts";
import { dataUrlProblem, dataUrlWarning } from "./data-url.ts";
import { isUrlCodePoint } from "./url-code-points.ts";
import { opaqueHostProblem, specialHostProblem } from "./url-host.ts";

/** `reference`: relative or absolute; `absolute`: with a scheme; `http`: with the scheme http or https, if any. */
export type UrlKind = "reference" | "absolute" | "http";

const SLASH = 0x2f;
const BACKSLASH = 0x5c;
const QUESTION_MARK = 0x3f;
const HASH = 0x23;
const PERCENT = 0x25;
const SPECIAL = new Set(["http", "https", "ws", "wss", "ftp", "file"]);
const MAX_PORT = 65_535;

/**
 * Why a value is not a valid URL, potentially surrounded by spaces: the first validation error of the URL Standard's
 * parser (https://url.spec.whatwg.org/#validation-error). A relative URL is read with an http base, whose own path
 * does not matter. A `javascript:` URL is always right, since scripts are written with spaces and quotes there; a
 * `data:` URL is read as one.
 */
export function urlProblem(value: string, kind: UrlKind): string | undefined {
  const url = stripSpaces(value);
  if (url === "") return "it is empty";
  const colon = schemeEnd(url);
  if (colon < 0) {
    if (kind === "absolute") return "it has no scheme";
    return relativeProblem(url);
  }
  const scheme = url.slice(0, colon).toLowerCase();
  if (kind === "http" && scheme !== "http" && scheme !== "https") return "only http: and https: are allowed";
  if (scheme === "javascript") return undefined;
  if (SPECIAL.has(scheme)) return specialProblem(url, scheme, colon + 1);
  const problem = otherSchemeProblem(url, colon + 1);
  return problem === undefined && scheme === "data" ? dataUrlProblem(url) : problem;
}

/** A warning about a valid URL: the fragment of a `data:` URL cuts its data. */
export function urlWarning(value: string): string | undefined {
  const url = stripSpaces(value);
  return /^data:/i.test(url) && urlProblem(url, "reference") === undefined ? dataUrlWarning(url) : undefined;
}

/** The index of the colon after the scheme, or -1 if there is no scheme. */
function schemeEnd(url: string): number {
  if (!isAlpha(url.charCodeAt(0))) return -1;
  for (let index = 1; index < url.length; index++) {
    const code = url.charCodeAt(index);
    if (code === 0x3a) return index;
    if (!isAlpha(code) && !isDigit(code) && code !== 0x2b && code !== 0x2d && code !== 0x2e) return -1;
  }
  return -1;
}

function relativeProblem(url: string): string | undefined {
  const first = url.charCodeAt(0);
  if (first === BACKSLASH) return backslash();
  if (first === SLASH && url.charCodeAt(1) === BACKSLASH) return backslash();
  if (first === SLASH && url.charCodeAt(1) === SLASH) return authorityProblem(url, 2, true);
  return pathProblem(url, 0, true);
}

function specialProblem(url: string, scheme: string, start: number): string | undefined {
  if (url.charCodeAt(start) !== SLASH || url.charCodeAt(start + 1) !== SLASH)
    return `"${scheme}:" must be followed by "//"`;
  return scheme === "file" ? fileHostProblem(url, start + 2) : authorityProblem(url, start + 2, true);
}

function otherSchemeProblem(url: string, start: number): string | undefined {
  if (url.charCodeAt(start) !== SLASH) return pathProblem(url, start, false);
  if (url.charCodeAt(start + 1) !== SLASH) return pathProblem(url, start, false);
  return authorityProblem(url, start + 2, false);
}

/** The index where an authority ends: at a slash, a question mark, a hash, or, in a special URL, a backslash. */
function authorityEnd(url: string, start: number, special: boolean): number {
  for (let index = start; index < url.length; index++) {
    const code = url.charCodeAt(index);
    if (code === SLASH || code === QUESTION_MARK || code === HASH || (special && code === BACKSLASH)) return index;
  }
  return url.length;
}

function fileHostProblem(url: string, start: number): string | undefined {
  const end = authorityEnd(url, start, true);
  const host = url.slice(start, end);
  if (/^[a-z][:|]$/i.test(host)) return `the drive letter ${quote(host)} is where the host should be`;
  return (host === "" ? undefined : specialHostProblem(host)) ?? pathProblem(url, end, true);
}

function authorityProblem(url: string, start: number, special: boolean): string | undefined {
  const end = authorityEnd(url, start, special);
  if (
    special &&
    end === start &&
    end < url.length &&
    url.charCodeAt(end) !== QUESTION_MARK &&
    url.charCodeAt(end) !== HASH
  ) {
    return `${characterAt(url, end)} after "//" is one too many`;
  }
  const authority = url.slice(start, end);
  if (authority.includes("@")) return "it has credentials (a user name or a password) in front of the host";
  const colon = portColon(authority);
  const host = authority.slice(0, colon);
  if (host === "" && (special || colon < authority.length)) return "its host is empty";
  const problem = host === "" ? undefined : special ? specialHostProblem(host) : opaqueHostProblem(host);
  return problem ?? portProblem(authority, colon + 1) ?? pathProblem(url, end, special);
}

/** The index of the colon in front of the port: the first that is not in square brackets. */
function portColon(authority: string): number {
  let inBrackets = false;
  for (let index = 0; index < authority.length; index++) {
    const code = authority.charCodeAt(index);
    if (code === 0x5b) inBrackets = true;
    else if (code === 0x5d) inBrackets = false;
    else if (code === 0x3a && !inBrackets) return index;
  }
  return authority.length;
}

function portProblem(authority: string, start: number): string | undefined {
  let port = 0;
  for (let index = start; index < authority.length; index++) {
    const code = authority.charCodeAt(index);
    if (!isDigit(code)) return `${characterAt(authority, index)} is not allowed in the port`;
    port = port * 10 + code - 48;
    if (port > MAX_PORT) return `its port is greater than ${MAX_PORT}`;
  }
  return undefined;
}

/** Reads a path (opaque or not), a query and a fragment, to the end. */
function pathProblem(url: string, start: number, special: boolean): string | undefined {
  const hash = url.indexOf("#", start);
  const pathEnd = hash < 0 ? url.length : hash;
  const mark = url.indexOf("?", start);
  const queryStart = mark < 0 || mark > pathEnd ? pathEnd : mark;
  return (
    unitsProblem(url, start, queryStart, "path", special) ??
    unitsProblem(url, queryStart + 1, pathEnd, "query", special) ??
    unitsProblem(url, pathEnd + 1, url.length, "fragment", special)
  );
}

/** Why a part of a URL is not made of URL units: https://url.spec.whatwg.org/#url-units */
function unitsProblem(url: string, start: number, end: number, part: string, special: boolean): string | undefined {
  for (let index = start; index < end; index++) {
    const code = url.charCodeAt(index);
    if (code < 0xd800 && isUrlCodePoint(code)) continue;
    const problem = code === PERCENT ? percentProblem(url, index, part) : characterProblem(url, index, part, special);
    if (problem) return problem;
    if (code === PERCENT) index += 2;
    else if (code < 0xdc00) index++;
  }
  return undefined;
}

function percentProblem(url: string, index: number, part: string): string | undefined {
  const isEncoded = isHexDigit(url.charCodeAt(index + 1)) && isHexDigit(url.charCodeAt(index + 2));
  return isEncoded ? undefined : `"%" in the ${part} is not followed by two hexadecimal digits`;
}

function characterProblem(url: string, index: number, part: string, special: boolean): string | undefined {
  const code = url.codePointAt(index) ?? 0;
  if (isUrlCodePoint(code)) return undefined;
  if (code === BACKSLASH && special && part === "path") return backslash();
  return `${characterAt(url, index)} is not allowed in the ${part}${code === 0x20 ? '; write it as "%20"' : ""}`;
}

function backslash(): string {
  return 'it has a backslash where "/" should be';
}
