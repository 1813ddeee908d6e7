/** A month of the calendar, in UTC as all days of charts are: 2026-11. */
export type Month = string;

const names = new Intl.DateTimeFormat("en", { month: "long", timeZone: "UTC" });

/** Whether a text is a month that this calendar has, from the year 2000 on. */
export function isMonth(text: string): boolean {
  return /^2\d{3}-(?:0[1-9]|1[0-2])$/.test(text);
}

/** The month of a time. */
export function monthAt(at: Date): Month {
  return at.toISOString().slice(0, 7);
}

/** When a month begins. */
export function startOf(month: Month): Date {
  return new Date(`${month}-01T00:00:00Z`);
}

/** The month so many months later, or earlier. */
export function monthAfter(month: Month, months = 1): Month {
  const at = startOf(month);
  at.setUTCMonth(at.getUTCMonth() + months);
  return monthAt(at);
}

/** "November". */
export function nameOf(month: Month): string {
  return names.format(startOf(month));
}

/** "November 2026". */
export function titleOf(month: Month): string {
  return `${nameOf(month)} ${month.slice(0, 4)}`;
}
