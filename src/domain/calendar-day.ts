/** A day of the calendar, in UTC: 2026-12-10. */
export type CalendarDay = string;

/** Whether the calendar has the day; it has no year 0000. @param day of four, two and two digits */
export function isDay(day: CalendarDay): boolean {
  const at = new Date(`${day}T00:00:00Z`);
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(day) && !day.startsWith("0000");
}

/** The day of a time, in UTC. */
export function dayOf(at: Date): CalendarDay {
  return at.toISOString().slice(0, 10);
}
