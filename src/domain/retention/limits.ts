import { DAY_MS } from "../calendar-day.ts";

/** What an account keeps: null keeps for ever. */
export type Limits = {
  /** Days after which a whole report is deleted. */
  report_days: number | null;
  /** How many reports of one schedule are kept: the newest. */
  schedule_runs: number | null;
  /** Days after which a report loses its screenshots, and the pictures of elements. */
  picture_days: number | null;
  /** Days after which a report loses what the engines said, as they said it. */
  raw_days: number | null;
};

/** The names of the limits, with the most that each may be. */
export const limitMaxima: Readonly<Record<keyof Limits, number>> = {
  report_days: 36_500,
  schedule_runs: 100_000,
  picture_days: 36_500,
  raw_days: 36_500,
};
export const limitNames = Object.keys(limitMaxima) as (keyof Limits)[];

export const noLimits: Limits = { report_days: null, schedule_runs: null, picture_days: null, raw_days: null };

/** Whether these limits delete anything at all. */
export function isLimited(limits: Limits): boolean {
  return limitNames.some((name) => limits[name] !== null);
}

/** What holds for an account: of its own limits and the operator's, the one that keeps less. */
export function effectiveLimits(own: Limits, operator: Limits): Limits {
  return mapLimits((name) => {
    const given = [own[name], operator[name]].filter((limit) => limit !== null);
    return given.length === 0 ? null : Math.min(...given);
  });
}

/** The limits, each made by its name. */
export function mapLimits(make: (name: keyof Limits) => number | null): Limits {
  return Object.fromEntries(limitNames.map((name) => [name, make(name)])) as Limits;
}

/** How many reports of an account may be pinned. */
export const MAX_PINS = 100;

/** How long the numbers of a run are kept after its report. */
export const NUMBERS_KEPT_MONTHS = 36;

/** The hour of the day in UTC at which it is deleted what is kept no longer. */
const NIGHT_HOUR = 3;
/** There is so much time at least to take a change back. */
const SECOND_THOUGHTS_MS = 3_600_000;
/** The night in which a change takes effect, or after which it is looked again. */
export function nightAfter(now: Date): Date {
  const tonight = new Date(now);
  tonight.setUTCHours(NIGHT_HOUR, 0, 0, 0);
  const days = Math.max(0, Math.ceil((now.getTime() + SECOND_THOUGHTS_MS - tonight.getTime()) / DAY_MS));
  return new Date(tonight.getTime() + days * DAY_MS);
}
