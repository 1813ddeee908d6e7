import { roundedParts } from "../../domain/rounded-parts.ts";

/** Errors per page have one digit wherever they stand: so what is shown of them adds up. */
const DIGITS = 1;
const rounded = (rate: number) => Number(rate.toFixed(DIGITS));

/** "5.2" of 78 errors on 15 pages. */
export function perPage(errors: number, pages: number): string {
  return rateText(errors / Math.max(1, pages));
}

/** A number of errors per page. */
export function rateText(rate: number): string {
  return rounded(rate).toFixed(DIGITS);
}

/** What a number of errors per page was, is, and the difference between these two as they are shown. */
export function rateChange(now: number, change: number): { from: string; to: string; by: number } {
  const [from, to] = [rounded(now - change), rounded(now)];
  return { from: from.toFixed(DIGITS), to: to.toFixed(DIGITS), by: rounded(to - from) };
}

/** The parts of a number of errors per page, as they are shown: they add up to it as it is shown. */
export function rateParts(errors: readonly number[], pages: number): number[] {
  return roundedParts(
    errors.map((count) => count / Math.max(1, pages)),
    DIGITS,
  );
}

/** The shares of a whole in percent: they add up to 100. */
export function shares(parts: readonly number[]): string[] {
  const whole = parts.reduce((sum, part) => sum + part, 0);
  return roundedParts(
    parts.map((part) => (part / Math.max(1, whole)) * 100),
    0,
  ).map((percent) => `${percent}%`);
}
