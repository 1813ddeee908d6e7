import { cutTo } from "../cut-to.ts";
import { dueRunTime } from "../schedules/schedule-times.ts";
import { type Month, monthAfter, monthAt, startOf } from "./calendar.ts";
import { type MonthReport, type MonthSite, rateOf, type Totals, type Turn } from "./month-report.ts";
import type { MonthFigures } from "./sentences.ts";

/** A site in a message about a month; names are cut, so that a message stays small. */
type ToldSite = { name: string; id: string; owner: string | null };

/** The one change that removes the most errors of a site, and who has it: null for nobody. */
export type Helps = { title: string; errors: number; assignee: string | null };

/** What is told of a month that has ended: numbers of its page, and a few sites. */
export type MonthTold = MonthFigures & {
  totals: Totals;
  before: Totals;
  limits: MonthReport["limits"];
  turns: Record<Turn, number>;
  roles: { content: number; template: number; design: number };
  /** Those that turned the most. */
  worse: (ToldSite & { from: number; to: number; helps: Helps | null })[];
  better: (ToldSite & { from: number; to: number })[];
  /** Sites without a result, with the last one that is known. */
  not_checked: (ToldSite & { last: { day: string; rate: number } | null })[];
  /** There is a PDF of it, for whoever signs in. */
  pdf: boolean;
  /** Success criteria of WCAG 2.2, levels A and AA. */
  criteria: { all: number; fails: number; nothing_found: number; not_judged: number };
};

/** Of each list so many sites are named. */
export const NAMED = 5;
/** Bytes of a name in HTML: with those of all sites a mail stays below 12 kB. */
const MAX_NAME = 68;

const cut = (text: string): string => cutTo(text, MAX_NAME);

/** What is told of a month. @param criteria the numbers of those that are counted @param helps by the ids of sites that got worse */
export function monthTold(
  month: Month,
  report: MonthReport,
  {
    numSites,
    criteria,
    helps = new Map(),
    pdf = false,
  }: { numSites: number; criteria: ReadonlySet<string>; helps?: ReadonlyMap<string, Helps>; pdf?: boolean },
): MonthTold {
  const { turns, not_checked, roles } = report;
  const counted = report.criteria.filter(({ number }) => criteria.has(number));
  const inState = (state: string) => counted.filter((one) => one.state === state).length;
  const moved = (sites: readonly MonthSite[]) =>
    sites.slice(0, NAMED).flatMap((site) => {
      const { now, before } = site;
      return now && before ? { ...named(site), from: digit(rateOf(before)), to: digit(rateOf(now)) } : [];
    });
  return {
    ...{ month, ended: true, num_sites: numSites, totals: report.totals, before: report.before, limits: report.limits },
    turns: {
      ...{ better: turns.better.length, worse: turns.worse.length },
      ...{ as_before: turns.as_before.length, not_compared: turns.not_compared.length },
    },
    ...{ away: { errors: report.away.errors }, came: { errors: report.came.errors } },
    num_not_checked: not_checked.length,
    roles: { content: roles.content, template: roles.template, design: roles.design },
    worse: moved(turns.worse).map((site) => ({ ...site, helps: toldHelps(helps.get(site.id)) })),
    better: moved(turns.better),
    not_checked: not_checked.slice(0, NAMED).map((site) => ({
      ...named(site),
      last: site.last_known && {
        day: site.last_known.ended_at.toISOString().slice(0, 10),
        rate: digit(rateOf(site.last_known)),
      },
    })),
    pdf,
    criteria: {
      ...{ all: counted.length, fails: inState("fails") },
      ...{ nothing_found: inState("nothing_found"), not_judged: inState("not_judged") },
    },
  };
}

function toldHelps(helps: Helps | undefined): Helps | null {
  if (!helps) return null;
  const { title, errors, assignee } = helps;
  return { title: cut(title), errors, assignee: assignee === null ? null : cut(assignee) };
}

const digit = (rate: number) => Number(rate.toFixed(1));

function named({ id, name, starting_url, owner }: MonthSite): ToldSite {
  const shown = name ?? starting_url.replace(/^https?:\/\//, "").replace(/\/$/, "");
  return { name: cut(shown), id, owner: owner === null ? null : cut(owner) };
}

const DAY = 86_400_000;
/** A month is told so many days later at most: who was away for longer reads its page. */
const TOLD_DAYS = 7;

/**
 * The month that somebody is told of now: from the 1st at 08:00 in their time zone on, when the month is over in UTC, too.
 *
 * @param since from when on somebody wants to hear of months: who comes later is not told of one that was told before
 */
export function monthToTell(now: Date, timeZone: string, since: Date): Month | undefined {
  const at = { every: "month" as const, monthday: 1, at: "08:00", timeZone };
  const due = dueRunTime(at, "", new Date(now.getTime() - TOLD_DAYS * DAY), now);
  if (!due || since > due) return undefined;
  // In the east it is the 1st while UTC has the last of the month.
  const month = monthAfter(monthAt(new Date(due.getTime() + DAY)), -1);
  return startOf(monthAfter(month)) <= now ? month : undefined;
}
