/**
 * The wait that a Retry-After header (whole seconds or a date) requests, in milliseconds (RFC 9110, 10.2.3);
 * undefined when the header is missing or neither. `now` is in milliseconds since 1970.
 */
export function retryAfterMs(header: string | undefined, now: number): number | undefined {
  const text = header?.trim() ?? "";
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1_000;
  // An HTTP date starts with the name of a day. Date.parse alone accepts many other formats.
  const time = /^[A-Z][a-z]{2,8},? /.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(time) ? undefined : Math.max(0, time - now);
}
