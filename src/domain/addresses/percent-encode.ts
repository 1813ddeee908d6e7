/** What RFC 3986 allows in no URL: controls, spaces, non-ASCII characters, and a few others. `%` stays as it is. */
const NOT_IN_URLS = /[^\x21-\x7e]|["<>\\^`{|}]/gu;

/** The text with characters that no URL has as escapes of their UTF-8 octets; what is escaped already stays so. */
export function percentEncode(text: string): string {
  return text.toWellFormed().replace(NOT_IN_URLS, encodeURIComponent);
}
