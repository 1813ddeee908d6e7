/**
 * Local times of IANA time zones, with their rules for summer time, by what the runtime knows of them.
 */

/** A day of a calendar, as the milliseconds of its midnight if it were in UTC. */
export type LocalDay = number;

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

/** The day that a calendar in a time zone shows at a moment. */
export function localDay(time: Date, zone: string): LocalDay {
  return Math.floor(shownAt(time.getTime(), zone) / DAY) * DAY;
}

/**
 * The moment at which a clock shows a time of a day. One that it skips is the next one that it shows: the end of the gap. Of
 * one that it shows twice it is the first.
 *
 * @param minute of the day, from 0
 */
export function instantOf(day: LocalDay, minute: number, zone: string): Date {
  const shown = day + minute * MINUTE;
  // No zone changes twice within two days.
  const offsets = [shown - DAY, shown + DAY].map((time) => shownAt(time, zone) - time);
  const [before = 0, after = 0] = offsets;
  const found = [shown - Math.max(before, after), shown - Math.min(before, after)].find(
    (time) => shownAt(time, zone) === shown,
  );
  if (found !== undefined) return new Date(found);
  // Halves the time in which the clock jumps, down to the minute.
  let [still, jumped] = [shown - Math.max(before, after), shown - Math.min(before, after)];
  while (jumped - still > MINUTE) {
    const middle = still + Math.floor((jumped - still) / 2 / MINUTE) * MINUTE;
    if (shownAt(middle, zone) < shown) still = middle;
    else jumped = middle;
  }
  return new Date(jumped);
}

/** What a clock shows, as milliseconds as if it were in UTC. */
function shownAt(time: number, zone: string): number {
  if (zone === "UTC") return time;
  const parts = Object.fromEntries(
    formatOf(zone)
      .formatToParts(time)
      .map(({ type, value }) => [type, Number(value)]),
  );
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
  return Date.UTC(year, month - 1, day, hour, minute, second);
}

const formats = new Map<string, Intl.DateTimeFormat>();

/** @throws RangeError for an unknown zone */
function formatOf(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone);
  if (known) return known;
  const format = new Intl.DateTimeFormat("en-GB", {
    ...{ timeZone, hourCycle: "h23", year: "numeric", month: "numeric", day: "numeric" },
    ...{ hour: "numeric", minute: "numeric", second: "numeric" },
  });
  formats.set(timeZone, format);
  return format;
}
