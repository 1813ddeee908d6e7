/** A day of the calendar, in UTC: 2026-12-10. */
export type CalendarDay = string;

export const DAY_MS = 86_400_000;

const DAY = /^\d{4}-\d\d-\d\d$/;

/** Whether the calendar has the day; it has no year 0000. */
export function isDay(day: string): day is CalendarDay {
  if (!DAY.test(day)) return false;
  const at = new Date(`${day}T00:00:00Z`);
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(day) && !day.startsWith("0000");
}

/** The last second of a day, in UTC; a text that is no day, such as one with a time, stays what it is. */
export function endOfDay(text: string): string {
  return DAY.test(text) ? `${text}T23:59:59` : text;
}

/** The day after a day; the last one of four digits has none. */
export function nextDay(day: CalendarDay): CalendarDay {
  return day === "9999-12-31" ? day : dayOf(new Date(Date.parse(day) + DAY_MS));
}

/** The day of a time, in UTC. */
export function dayOf(at: Date): CalendarDay {
  return at.toISOString().slice(0, 10);
}
