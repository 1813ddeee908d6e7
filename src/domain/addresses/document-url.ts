import { MAX_URL_LENGTH } from "../../settings/values.ts";
import { MAX_PARSED_LENGTH, parseUrl } from "../scope/url-scope.ts";
import { encodeQuery } from "./query-encoding.ts";

/** The URL that those of a document are relative to. @param base of its `base` element, as written */
export function resolveBase(base: string | undefined, url: string, encoding: string): string {
  const resolved = base === undefined || base.length > MAX_URL_LENGTH ? null : parseIn(base, url, encoding);
  // The HTML standard ignores a base with another scheme (data:, javascript:).
  return resolved && (resolved.protocol === "http:" || resolved.protocol === "https:") ? resolved.href : url;
}

/** Parses a URL of a document in this encoding. */
export function parseIn(href: string, base: string, encoding: string): URL | null {
  if (href.length > MAX_PARSED_LENGTH || encoding === "utf-8") return parseUrl(href, base);
  // The parser drops tabs and line breaks, and what surrounds the URL, before anything is encoded.
  const text = href.replace(/^[\0-\x20]+|[\0-\x20]+$|[\t\r\n]/g, "");
  return parseUrl(encodeQuery(text, encoding), base);
}
