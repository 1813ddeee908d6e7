/**
 * How long a Retry-After header asks to wait, in milliseconds (RFC 9110, 10.2.3): whole
 * seconds, or a date. undefined for none, or what is neither.
 */
export function retryAfterMs(header: string | undefined, now: number): number | undefined {
  const text = header?.trim() ?? "";
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1_000;
  // A date has a name of a day before it; Date.parse would take much more.
  const time = /^[A-Z][a-z]{2,8},? /.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(time) ? undefined : Math.max(0, time - now);
}
