import { type Periodicity, weekdays } from "../../schema/schedule.ts";

/**
 * When a schedule fires. All times are UTC, so daylight saving time cannot skip or repeat a slot. A
 * slot is the moment at which a run is due. It identifies the run, so that each slot creates one report
 * only.
 */

const MINUTE = 60_000;
const DAY_MINUTES = 24 * 60;

/**
 * The minute of the day at which a schedule without `at` fires: a hash of its id (FNV-1a, 32 bit), so
 * that a thousand schedules do not start in the same minute.
 */
export function minuteOfDay(scheduleId: string): number {
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(scheduleId)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  // The low bits of FNV are its weakest, so the high half is folded in.
  return ((hash >>> 16) ^ (hash & 0xffff)) % DAY_MINUTES;
}

/** The first slot after `after`; undefined when only a deploy hook starts the schedule. */
export function nextRunTime(periodicity: Periodicity, scheduleId: string, after: Date): Date | undefined {
  const minute = minuteOf(periodicity, scheduleId);
  if (minute === undefined) return undefined;
  // Tries the days one by one; a slot follows within about a month.
  for (let day = startOfDay(after); ; day = addDays(day, 1)) {
    const slot = new Date(day.getTime() + minute * MINUTE);
    if (slot > after && isRunDay(periodicity, day)) return slot;
  }
}

/**
 * The slot to run now: the latest one after `since` (the last slot that ran, or the
 * schedule's creation) and not after `now`. Of several missed slots only the latest one runs.
 */
export function dueRunTime(periodicity: Periodicity, scheduleId: string, since: Date, now: Date): Date | undefined {
  const minute = minuteOf(periodicity, scheduleId);
  if (minute === undefined) return undefined;
  for (let day = startOfDay(now); addDays(day, 1) > since; day = addDays(day, -1)) {
    const slot = new Date(day.getTime() + minute * MINUTE);
    if (slot <= now && isRunDay(periodicity, day)) return slot > since ? slot : undefined;
  }
  return undefined;
}

/** Undefined for `deploy`, which has no times. */
function minuteOf(periodicity: Periodicity, scheduleId: string): number | undefined {
  if (periodicity.every === "deploy") return undefined;
  if (!periodicity.at) return minuteOfDay(scheduleId);
  const [hours = 0, minutes = 0] = periodicity.at.split(":").map(Number);
  return hours * 60 + minutes;
}

function isRunDay(periodicity: Periodicity, day: Date): boolean {
  switch (periodicity.every) {
    case "week":
      // getUTCDay counts from Sunday.
      return weekdays[(day.getUTCDay() + 6) % 7] === (periodicity.weekday ?? "monday");
    case "month":
      return day.getUTCDate() === (periodicity.monthday ?? 1);
    default:
      return true;
  }
}

function startOfDay(time: Date): Date {
  return new Date(Date.UTC(time.getUTCFullYear(), time.getUTCMonth(), time.getUTCDate()));
}

function addDays(day: Date, days: number): Date {
  return new Date(day.getTime() + days * DAY_MINUTES * MINUTE);
}
