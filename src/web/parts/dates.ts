/**
 * Dates as every page has them: "29 Nov 2026, 16:25". The script (assets/script.js) writes them in the same way in the
 * reader's time zone.
 */
const format = new Intl.DateTimeFormat("en", {
  ...({
    day: "numeric",
    month: "short",
    year: "numeric",
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
  } as const),
  timeZone: "UTC",
});

type Part = "day" | "month" | "year" | "hour" | "minute";

function partsOf(value: string): Record<Part, string> {
  const parts = format.formatToParts(new Date(`${value}Z`));
  return Object.fromEntries(parts.map((part) => [part.type, part.value])) as Record<Part, string>;
}

/** "29 Nov 2026, 16:25 UTC" of a time of the API. */
export function utc(value: string): string {
  const { day, month, year, hour, minute } = partsOf(value);
  return `${day} ${month} ${year}, ${hour}:${minute} UTC`;
}

/** Shorter forms of a time, where there is no room for all of it: "29 Nov", "29 Nov 2026", "Nov 2026", "16:25". */
export const shortTimes = {
  day: ({ day, month }: Record<Part, string>) => `${day} ${month}`,
  date: ({ day, month, year }: Record<Part, string>) => `${day} ${month} ${year}`,
  month: ({ month, year }: Record<Part, string>) => `${month} ${year}`,
  clock: ({ hour, minute }: Record<Part, string>) => `${hour}:${minute}`,
};

/** A time of the API in a short form, in UTC. */
export function short(value: string, as: keyof typeof shortTimes): string {
  return shortTimes[as](partsOf(value));
}

/** "10 Dec 2026" of a day of the API, 2026-12-10, which is the same day for every reader. */
export function calendarDay(date: string): string {
  const { day, month, year } = partsOf(`${date}T00:00:00`);
  return `${day} ${month} ${year}`;
}
