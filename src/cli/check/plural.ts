/** A number with its digits in groups of three, as in 12,345. */
export function number(value: number): string {
  return value.toLocaleString("en-US");
}

/** A number and what it counts, as in "1 page" and "2,000 pages". */
export function plural(value: number, noun: string): string {
  return `${number(value)} ${noun}${value === 1 ? "" : "s"}`;
}
