import { DAY_MS } from "../calendar-day.ts";
import type { Limits } from "./limits.ts";

/** What of a report is deleted: all of it, or a part. */
export type Part = "report" | "pictures" | "raw";
export const parts: readonly Part[] = ["report", "pictures", "raw"];

/**
 * Why a report, or a part of it, stays:
 * - `running`: it runs, or a page of it is being checked again
 * - `pinned`: somebody wants to keep it
 * - `newest`: the site would be without a result
 * - `compared`: a report that stays is compared with it, or the next run will be
 */
export type Stays = "running" | "pinned" | "newest" | "compared";

/** What is decided by. Reports of one account that are not deleted. */
export type KnownReport = {
  id: string;
  /** Whose: null for the account's own. */
  guestToken: string | null;
  startingUrl: string;
  /** The schedule of which it is a run; null without one, or when that is deleted. */
  scheduleId: string | null;
  /** The digest of the settings that reports share which are compared with each other. */
  series: string;
  createdAt: Date;
  /** Null while it runs. */
  endedAt: Date | null;
  /** Others may be compared with it: it is complete, neither cut short nor cancelled. */
  isBase: boolean;
  /** It has a result of the whole site. */
  isWhole: boolean;
  isPinned: boolean;
  /** The report with which it is compared. */
  baseId: string | null;
  /** What it is to be compared with, as somebody has said. */
  namedBaseId: string | null;
};

/** What else refers to reports: the bases that schedules name, and both reports of comparisons that somebody waits for. */
export type Wanted = ReadonlySet<string>;

/** What is deleted of which reports, by why, and what would be but stays. */
export type Decision = {
  goes: Record<"age" | "runs" | "pictures" | "raw", string[]>;
  stays: Map<string, Stays>;
};

/** Decides by limits. A report that is deleted as a whole is not named for its parts. */
export function whatIsKeptNoLonger(
  reports: readonly KnownReport[],
  wanted: Wanted,
  limits: Limits,
  now: Date,
): Decision {
  const olderThan = (days: number | null) => {
    const before = days === null ? Number.NEGATIVE_INFINITY : now.getTime() - days * DAY_MS;
    return reports.filter(({ endedAt }) => endedAt !== null && endedAt.getTime() < before);
  };
  const old = new Set(olderThan(limits.report_days).map(({ id }) => id));
  const surplus = beyondRuns(reports, limits.schedule_runs).filter((id) => !old.has(id));
  const stays = whatStays(reports, wanted, new Set([...old, ...surplus]));
  const whole = new Set([...old, ...surplus].filter((id) => !stays.has(id)));
  const partsOf = (days: number | null) => {
    const found = olderThan(days).filter(({ id }) => !whole.has(id));
    for (const { id, isPinned } of found) if (isPinned) stays.set(id, "pinned");
    return found.filter(({ isPinned }) => !isPinned).map(({ id }) => id);
  };
  return {
    goes: {
      age: [...old].filter((id) => whole.has(id)),
      runs: surplus.filter((id) => whole.has(id)),
      pictures: partsOf(limits.picture_days),
      raw: partsOf(limits.raw_days),
    },
    stays,
  };
}

/** The reports of schedules that have more of them than are kept. Those that run are not counted. */
function beyondRuns(reports: readonly KnownReport[], most: number | null): string[] {
  if (most === null) return [];
  const ended = reports.filter(({ endedAt, scheduleId }) => endedAt !== null && scheduleId !== null);
  return [...Map.groupBy(ended, ({ scheduleId }) => scheduleId).values()].flatMap((runs) =>
    newestFirst(runs)
      .slice(most)
      .map(({ id }) => id),
  );
}

/**
 * Which of the chosen reports stay all the same, and why. A base that stays only because of another does not keep its own:
 * otherwise nothing could ever be deleted of a chain.
 */
export function whatStays(
  reports: readonly KnownReport[],
  wanted: Wanted,
  chosen: ReadonlySet<string>,
): Map<string, Stays> {
  const stays = new Map<string, Stays>();
  const keep = (id: string | null | undefined, why: Stays) => {
    if (id && chosen.has(id) && !stays.has(id)) stays.set(id, why);
  };
  for (const { id, endedAt, isPinned } of reports)
    if (endedAt === null) keep(id, "running");
    else if (isPinned) keep(id, "pinned");
  for (const ofSite of groups(reports, ({ isWhole }) => isWhole, siteOf)) keep(newestFirst(ofSite)[0]?.id, "newest");
  const staying = reports.filter(({ id }) => !chosen.has(id) || stays.has(id));
  for (const id of [...wanted, ...staying.map(({ baseId }) => baseId)]) keep(id, "compared");
  for (const id of basesOfNextRuns(reports)) keep(id, "compared");
  return stays;
}

/** What runs are compared with at their end: those that are under way, and those that may begin at any time. */
function basesOfNextRuns(reports: readonly KnownReport[]): (string | null | undefined)[] {
  const bases = (keyOf: (report: KnownReport) => string | null) =>
    groups(reports, ({ isBase }) => isBase, keyOf).map((group) => newestFirst(group));
  const newest = [...bases(scheduleSeriesOf), ...bases(siteSeriesOf)].map(([first]) => first?.id);
  const underWay = reports.filter(({ endedAt }) => endedAt === null);
  return [
    ...newest,
    ...underWay.map((run) => {
      if (run.namedBaseId !== null) return run.namedBaseId;
      const keyOf = run.scheduleId === null ? siteSeriesOf : scheduleSeriesOf;
      const earlier = reports.filter(
        (report) => report.isBase && report.createdAt < run.createdAt && keyOf(report) === keyOf(run),
      );
      return newestFirst(earlier)[0]?.id;
    }),
  ];
}

const siteOf = ({ guestToken, startingUrl }: KnownReport) => JSON.stringify([guestToken, startingUrl]);
const siteSeriesOf = ({ guestToken, startingUrl, series }: KnownReport) =>
  JSON.stringify([guestToken, startingUrl, series]);
const scheduleSeriesOf = ({ guestToken, scheduleId, series }: KnownReport) =>
  scheduleId === null ? null : JSON.stringify([guestToken, scheduleId, series]);

/** The reports that a condition holds for, by a key; those without a key are left out. */
function groups(
  reports: readonly KnownReport[],
  isOne: (report: KnownReport) => boolean,
  keyOf: (report: KnownReport) => string | null,
): KnownReport[][] {
  const found = Map.groupBy(reports.filter(isOne), keyOf);
  found.delete(null);
  return [...found.values()];
}

/** Of two of the same moment the one with the lower id is the newer, as in lists. */
function newestFirst(reports: readonly KnownReport[]): KnownReport[] {
  return [...reports].sort(
    (one, two) => two.createdAt.getTime() - one.createdAt.getTime() || (one.id < two.id ? -1 : 1),
  );
}
