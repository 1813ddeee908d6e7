import { settings } from "../../settings/index.ts";

/** Names the crawler to sites, unless a report has a user agent of its own. */
export const OWN_USER_AGENT = "Mozilla/5.0 (compatible; site-validator/0.1)";

const { pattern, maxLength } = settings.userAgent.schema;
const VALID = new RegExp(pattern);

/** True for a text that may be sent as a User-Agent. */
export function isUserAgent(text: unknown): text is string {
  return typeof text === "string" && text.length <= maxLength && VALID.test(text);
}

/**
 * The product token by which robots.txt names a crawler, in lower case (RFC 9309, section 2.2.1): the product after
 * `compatible;`, as in `Mozilla/5.0 (compatible; Name/1.0)`, which says Mozilla only for the sake of old sites;
 * otherwise the first product; `*` if there is none.
 *
 * @param userAgent "" for our own
 */
export function productToken(userAgent: string): string {
  const text = userAgent || OWN_USER_AGENT;
  const [, token = ""] = /\(compatible;\s*([^\s/;()]+)/i.exec(text) ?? /^([^\s/;()]+)/.exec(text) ?? [];
  return token.toLowerCase() || "*";
}
