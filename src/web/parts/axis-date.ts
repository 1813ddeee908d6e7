import type { Html } from "../html.ts";
import { shortTime } from "./text.ts";

/** Of longer periods the same days come twice, so dates below their axis have the year, and no day. */
const DAYS_OF_A_YEAR = 300;

/** How the dates below the axis of some days are written. @returns a function of milliseconds */
export function axisDate(days: number): (at: number) => Html {
  const as = days >= DAYS_OF_A_YEAR ? "month" : "day";
  return (at) => shortTime(new Date(at).toISOString().slice(0, 19), as);
}
