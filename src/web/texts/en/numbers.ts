const numbers = new Intl.NumberFormat("en");

/** 1,234. */
export function formatNumber(value: number): string {
  return numbers.format(value);
}

const percent = new Intl.NumberFormat("en", { style: "percent" });

/** "38%", of a whole that may be 0. */
export function formatShare(part: number, whole: number): string {
  return percent.format(part / Math.max(1, whole));
}

/** "1 page", "1,234 pages". */
export function counted(value: number, one: string, many = `${one}s`): string {
  return `${formatNumber(value)} ${value === 1 ? one : many}`;
}

const compact = new Intl.NumberFormat("en", { notation: "compact", maximumSignificantDigits: 3 });

/** "371K", of what need not be exact. */
export function formatCompact(value: number): string {
  return compact.format(value);
}

const UNITS = ["bytes", "kB", "MB", "GB", "TB"];
const short = new Intl.NumberFormat("en", { maximumSignificantDigits: 3 });

/** "1.25 GB", in powers of 1,000. */
export function formatBytes(bytes: number): string {
  const power = bytes < 1 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log10(bytes) / 3));
  return `${short.format(bytes / 1_000 ** power)} ${UNITS[power]}`;
}
