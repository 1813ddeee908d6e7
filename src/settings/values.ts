/** The longest URL that is accepted; longer ones are treated as crawl traps. */
export const MAX_URL_LENGTH = 2000;

/** Maximum for all initial URLs together, because every response about a report contains them. */
export const MAX_INITIAL_CHARACTERS = 200_000;

export const url = {
  type: "string",
  minLength: 8,
  maxLength: MAX_URL_LENGTH,
  // No userinfo: URLs are shown, so credentials belong in stored Basic HTTP Authentication.
  pattern: "^[hH][tT][tT][pP][sS]?://[^\\s/?#@]+([/?#]\\S*)?$",
} as const;

// Braces, which other globs have for alternatives, are refused rather than taken for text.
export const glob = { type: "string", minLength: 1, maxLength: 500, pattern: "^[^{}\\s]+$" } as const;

export const globs = { type: "array", items: glob, maxItems: 100, default: [] } as const;

export const GLOB_TEXT =
  "* is any text without a slash, ** any text. One with a scheme is compared with the whole URL, otherwise with the path, in which one without a slash at its start may begin in any folder; the query is compared only if the glob has a question mark.";

export const GLOB_HELP =
  "Patterns of addresses, one per line: /docs/** or *.pdf; * stands for any text without a slash, ** for any text.";

/** A whole number. */
export function number<const Bounds extends { minimum: number; maximum: number; default: number }>(bounds: Bounds) {
  return { type: "integer", ...bounds } as const;
}

/** A switch. */
export function flag<const Default extends boolean>(byDefault: Default) {
  return { type: "boolean", default: byDefault } as const;
}

/**
 * Parameters by which campaigns and sessions are told apart, but never documents; in lower case. Names that some sites
 * use for content, such as session_id of a conference, are not among them.
 */
export const trackingParameters: readonly string[] = [
  ...["utm_*", "gclid", "gclsrc", "dclid", "gbraid", "wbraid", "fbclid", "msclkid", "yclid", "twclid", "ttclid"],
  ...["igshid", "li_fat_id", "mc_cid", "mc_eid", "mkt_tok", "_ga", "_gl", "_hsenc", "_hsmi", "srsltid", "vero_id"],
  ...["mtm_*", "piwik_*", "jsessionid", "phpsessid", "aspsessionid*", "cfid", "cftoken"],
];
