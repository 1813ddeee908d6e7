import { number, plural } from "../plural.ts";
import { type Month, monthAfter, nameOf } from "./calendar.ts";
import { rateOf } from "./month-report.ts";

/** The numbers of a month that its sentences say: those of the API, and of mails. */
export type MonthFigures = {
  month: Month;
  /** false: it still runs. */
  ended: boolean;
  num_sites: number;
  totals: { sites: number; errors: number; pages: number };
  before: { sites: number; errors: number; pages: number };
  limits: { met: number; not_met: number };
  turns: { better: number; worse: number; as_before: number };
  away: { errors: number };
  came: { errors: number };
  num_not_checked: number;
};

/** Errors per page as they are shown everywhere: "2.5". */
export const rateText = (counted: { errors: number; pages: number }): string => rateOf(counted).toFixed(1);

/** A month in one sentence or two: better or worse, limits, and how many sites got worse. */
export function monthHeadline(figures: MonthFigures): string {
  const { month, ended, num_sites, totals, limits, turns } = figures;
  if (totals.sites === 0) return `Nothing was checked in ${nameOf(month)}${ended ? "" : " until now"}.`;
  const hasLimits = limits.met + limits.not_met > 0;
  const meet = limits.met === 1 ? "meets its limits" : "meet their limits";
  const met = hasLimits ? `, and ${number(limits.met)} of ${plural(num_sites, "site")} ${meet}` : "";
  const compared = turns.better + turns.worse + turns.as_before;
  const worse = turns.worse === 0 ? "None got worse." : `${number(turns.worse)} got worse.`;
  return `${turned(figures)}${met}.${compared > 0 ? ` ${worse}` : ""}`;
}

function turned({ totals, before }: MonthFigures): string {
  const [now, then] = [rateText(totals), rateText(before)];
  if (before.sites === 0) return `${now} errors per page`;
  if (now === then) return `As before: ${now} errors per page`;
  const isMore = Number(now) > Number(then);
  if (Number(then) === 0) return `Worse: ${now} errors per page, after none`;
  const percent = Math.max(1, Math.round(Math.abs(rateOf(totals) / rateOf(before) - 1) * 100));
  return `${isMore ? "Worse" : "Better"}: ${number(percent)} % ${isMore ? "more" : "fewer"} errors on each page`;
}

/** What is said below it: the two rates, what went away and came, and what could not be checked. */
export function monthSummary({ month, totals, before, away, came, num_not_checked }: MonthFigures): string {
  const rates =
    totals.sites === 0
      ? []
      : before.sites === 0
        ? [
            `${plural(totals.errors, "error")} on ${plural(totals.pages, "page")}; nothing was checked in ${nameOf(monthAfter(month, -1))}.`,
          ]
        : [
            `${rateText(totals)} errors per page, after ${rateText(before)} in ${nameOf(monthAfter(month, -1))}: ${number(away.errors)} went away, ${number(came.errors)} came.`,
          ];
  const without = num_not_checked === 0 ? [] : [`${plural(num_not_checked, "site")} could not be checked.`];
  return [...rates, ...without].join(" ");
}

/** In a line: "November: fewer errors, 2.5 per page after 3.3; 3 sites got worse". */
export function monthSubject({ month, totals, before, turns }: MonthFigures): string {
  const name = nameOf(month);
  if (totals.sites === 0) return `${name}: nothing was checked`;
  const [now, then] = [rateText(totals), rateText(before)];
  const worse = turns.worse === 0 ? "" : `; ${turns.worse === 1 ? "1 site" : `${number(turns.worse)} sites`} got worse`;
  if (before.sites === 0) return `${name}: ${now} errors per page`;
  const turn = now === then ? "as before" : Number(now) < Number(then) ? "fewer errors" : "more errors";
  return `${name}: ${turn}, ${now} per page after ${then}${worse}`;
}
