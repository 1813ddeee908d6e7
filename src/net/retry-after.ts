/**
 * The wait that a Retry-After header requests, in milliseconds (RFC 9110, 10.2.3). The header has whole
 * seconds or a date; undefined when it is missing or neither.
 */
export function retryAfterMs(header: string | undefined, now: number): number | undefined {
  const text = header?.trim() ?? "";
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1_000;
  // An HTTP date starts with the name of a day. Date.parse alone accepts many other formats.
  const time = /^[A-Z][a-z]{2,8},? /.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(time) ? undefined : Math.max(0, time - now);
}
