import { type Periodicity, weekdays } from "../../schema/schedule.ts";
import { instantOf, type LocalDay, localDay } from "./time-zones.ts";

/**
 * When a schedule fires. A slot is the moment at which a run is due. It identifies the run, so that each slot creates one
 * report only.
 */

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
  const slotsOf = slotsByDay(periodicity, scheduleId);
  // Tries the days one by one; a slot follows within about a month.
  for (let day = localDay(after, zoneOf(periodicity)); slotsOf; day = dayAfter(day, 1)) {
    const slot = slotsOf(day).find((one) => one > after);
    if (slot) return slot;
  }
  return undefined;
}

/**
 * The slot to run now: the latest one after `since` (the last slot that ran, or the
 * schedule's creation) and not after `now`. Of several missed slots only the latest one runs.
 */
export function dueRunTime(periodicity: Periodicity, scheduleId: string, since: Date, now: Date): Date | undefined {
  const slotsOf = slotsByDay(periodicity, scheduleId);
  const first = dayAfter(localDay(since, zoneOf(periodicity)), -1);
  for (let day = localDay(now, zoneOf(periodicity)); slotsOf && day > first; day = dayAfter(day, -1)) {
    const slot = slotsOf(day).findLast((one) => one <= now);
    if (slot) return slot > since ? slot : undefined;
  }
  return undefined;
}

/** @returns a function that gives the slots of a day, in order; undefined for `deploy`, which has none */
function slotsByDay(periodicity: Periodicity, scheduleId: string): ((day: LocalDay) => Date[]) | undefined {
  if (periodicity.every === "deploy") return undefined;
  const minutes = periodicity.at === undefined ? [minuteOfDay(scheduleId)] : listOf(periodicity.at).map(minuteOf);
  const sorted = [...new Set(minutes)].sort((a, b) => a - b);
  return (day) =>
    isRunDay(periodicity, day) ? sorted.map((minute) => instantOf(day, minute, zoneOf(periodicity))) : [];
}

function zoneOf({ timeZone = "UTC" }: Periodicity): string {
  return timeZone;
}

function minuteOf(at: string): number {
  const [hours = 0, minutes = 0] = at.split(":").map(Number);
  return hours * 60 + minutes;
}

function listOf(text: string): string[] {
  return text.split(",").map((one) => one.trim());
}

function isRunDay(periodicity: Periodicity, day: LocalDay): boolean {
  const date = new Date(day);
  switch (periodicity.every) {
    case "week":
      // getUTCDay counts from Sunday.
      return listOf(periodicity.weekday ?? "monday").includes(weekdays[(date.getUTCDay() + 6) % 7] ?? "");
    case "month":
      return date.getUTCDate() === (periodicity.monthday ?? 1);
    default:
      return true;
  }
}

function dayAfter(day: LocalDay, days: number): LocalDay {
  return day + days * DAY_MINUTES * 60_000;
}
