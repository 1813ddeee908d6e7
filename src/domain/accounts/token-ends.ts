import { DAY_MS } from "../calendar-day.ts";

/** From how many days before its end a token is said to end soon. */
export const TOKEN_ENDS_SOON_DAYS = 14;
/** After how many days without a request a token is said to be unused. */
export const TOKEN_UNUSED_DAYS = 90;
/** The most days that a token may last from now on, if it has an end. */
export const MAX_TOKEN_DAYS = 366;

/** What is said of a token's end: the whole days that are left from 14 days before it, and that it is over. */
export function tokenEnd(expiresAt: Date | null, now: Date): "none" | "later" | "over" | { days: number } {
  if (expiresAt === null) return "none";
  const left = expiresAt.getTime() - now.getTime();
  if (left <= 0) return "over";
  return left <= TOKEN_ENDS_SOON_DAYS * DAY_MS ? { days: Math.floor(left / DAY_MS) } : "later";
}

/** The end of a token after another year: from its end, or from now if that is over or there is none; never more than is allowed. */
export function oneYearMore(expiresAt: Date | null, now: Date): Date {
  const from = Math.max(expiresAt?.getTime() ?? 0, now.getTime());
  return new Date(Math.min(from + 365 * DAY_MS, now.getTime() + (MAX_TOKEN_DAYS - 1) * DAY_MS));
}
