import type { CheckKind } from "../../checks/kinds.ts";
import type { CriterionState } from "../findings/judged-criteria.ts";
import type { RoleCounts } from "../findings/role.ts";
import { type Month, monthAfter } from "./calendar.ts";

/** The last run of a site with a result in some time. */
export type MonthRun = {
  report_id: string;
  ended_at: Date;
  /** Its report is deleted, and its numbers outlive it. */
  is_past: boolean;
  errors: number;
  critical: number;
  /** Checked pages. */
  pages: number;
  /** Pages that are known, and could not be checked or are beyond the limit. */
  pages_left: number;
  /** The same for runs that can be compared. */
  series: string;
  errors_by_kind: Partial<Record<CheckKind, number>>;
  /** Who can mend the errors; null when that is not known, as of a deleted report. */
  roles: RoleCounts | null;
  /** Whether it kept its limits when it ended, and whether it keeps them now; null without limits. */
  passed: boolean | null;
  passed_now: boolean | null;
  engines: Partial<Record<CheckKind, { name: string; version: string }>>;
};

/** The last run of a site in a month, or in a week. */
export type RunOf<When> = { when: When } & Pick<MonthRun, "errors" | "pages">;

/** A site as the month needs it. */
export type MonthSite = {
  id: string;
  starting_url: string;
  name: string | null;
  owner: string | null;
  tags: string[];
  /** A schedule checks it. */
  is_scheduled: boolean;
  /** Its runs with a result in the month. */
  num_runs: number;
  /** The last one in the month, and the last one in the month before. */
  now: MonthRun | null;
  before: MonthRun | null;
  /** The last one with a result before the month. */
  last_known: Pick<MonthRun, "report_id" | "is_past" | "ended_at" | "errors" | "pages"> | null;
  /** The last report by the end of the month, if it has no result: when it ended, and why it failed. */
  without_result: { report_id: string; ended_at: Date; code: string | null } | null;
  months: RunOf<Month>[];
  /** Weeks before the end: 0 is the last one. */
  weeks: RunOf<number>[];
};

/** Errors of a rule in one report. */
export type RuleErrors = {
  report_id: string;
  kind: CheckKind;
  rule: string;
  /** What the engine says, where that is one thing. */
  message: string | null;
  impact: number | null;
  errors: number;
};
/** Errors about a success criterion in one report, and what the report says of it. */
export type CriterionErrors = { report_id: string; number: string; state: CriterionState; errors: number };

/** What is read for a month. */
export type MonthRows = { sites: MonthSite[]; rules: RuleErrors[]; criteria: CriterionErrors[] };

/** Errors and pages of the last runs of all sites in some month. */
export type Totals = { sites: number; errors: number; pages: number; critical: number };

/** How a site differs from the month before, by the numbers as they are shown. */
export type Turn = "better" | "worse" | "as_before" | "not_compared";

/** What a rule has fewer or more of; `rule` is null for what is of deleted reports, whose rules are not known. */
export type RuleChange = {
  kind: CheckKind;
  rule: string | null;
  /** What the engine says, where that is one thing. */
  message: string | null;
  impact: number | null;
  errors: number;
  /** Those where it changed, the most first. */
  sites: MonthSite[];
};
/** Rules that changed, and all of their errors. */
export type RuleChanges = { errors: number; rules: RuleChange[] };

/** Why a site is among the worst. */
export type WhyWorst = "got_worse" | "limit" | "most";

export type MonthReport = {
  totals: Totals;
  before: Totals;
  num_runs: number;
  /** Sites by how their last run kept its limits; `unknown` when the report is deleted. */
  limits: { met: number; not_met: number; none: number; unknown: number };
  not_checked: MonthSite[];
  /** Sites with pages that could not be checked. */
  in_part: MonthSite[];
  turns: Record<Turn, MonthSite[]>;
  /**
   * The errors of the month before, less those that went away, and those that came, are the errors of the month, where both
   * are compared. What is not compared is of sites that are in one month only or were checked with other settings.
   */
  away: RuleChanges;
  came: RuleChanges;
  not_compared: { before: number; now: number };
  /** Who can mend what is left, and of how many sites that is not known. */
  roles: RoleCounts & { unknown_sites: number };
  worst: { site: MonthSite; why: WhyWorst }[];
  criteria: { number: string; state: CriterionState; sites: number; errors: number }[];
  /** All sites together in this month and those before it, the oldest first, without those in which nothing was checked. */
  months: ({ month: Month } & Omit<Totals, "critical">)[];
  engines: string[];
};

/** How many sites are named as the worst. */
export const MAX_WORST = 5;
/** Of those that got worse, and of those above their limits, so many come before the ones with the most errors on a page. */
const FIRST_WORST = 2;
export const YEAR = 12;

type Counted = { errors: number; pages: number };
export const rateOf = ({ errors, pages }: Counted): number => errors / Math.max(1, pages);
/** As it is shown: so a change that nobody can see is none. */
const shown = (run: Counted): number => Number(rateOf(run).toFixed(1));

/** How a site turned since the month before. */
export function turnOf({ now, before }: Pick<MonthSite, "now" | "before">): Turn {
  if (!now || !before || now.series !== before.series) return "not_compared";
  const by = shown(now) - shown(before);
  return by === 0 ? "as_before" : by > 0 ? "worse" : "better";
}

/** What a month is, from what is stored of its runs. Everything shown of it is from here. */
export function monthReport(month: Month, { sites, rules, criteria }: MonthRows): MonthReport {
  const checked = sites.filter(({ now }) => now !== null);
  const turns: Record<Turn, MonthSite[]> = { better: [], worse: [], as_before: [], not_compared: [] };
  for (const site of sites) turns[turnOf(site)].push(site);
  const by = (a: MonthSite, b: MonthSite) => Math.abs(changeOf(b)) - Math.abs(changeOf(a));
  turns.better.sort(by);
  turns.worse.sort(by);
  const compared = sites.filter((site) => turnOf(site) !== "not_compared");
  const other = turns.not_compared;
  const changes = changesByRule(compared, rules);
  return {
    totals: totalsOf(sites.map(({ now }) => now)),
    before: totalsOf(sites.map(({ before }) => before)),
    num_runs: sites.reduce((sum, { num_runs }) => sum + num_runs, 0),
    limits: limitsOf(checked),
    not_checked: sites.filter(({ now }) => now === null),
    in_part: checked.filter(({ now }) => (now?.pages_left ?? 0) > 0),
    turns,
    ...{ away: sumUp(changes, -1), came: sumUp(changes, 1) },
    not_compared: {
      before: other.reduce((sum, { before }) => sum + (before?.errors ?? 0), 0),
      now: other.reduce((sum, { now }) => sum + (now?.errors ?? 0), 0),
    },
    roles: rolesOf(checked),
    worst: worstOf(checked, turns.worse),
    criteria: criteriaOf(criteria),
    months: monthsOf(month, sites),
    engines: enginesOf(checked),
  };
}

function changeOf({ now, before }: MonthSite): number {
  return now && before ? rateOf(now) - rateOf(before) : 0;
}

function totalsOf(runs: readonly (MonthRun | null)[]): Totals {
  const there = runs.filter((run) => run !== null);
  const sum = (field: "errors" | "pages" | "critical") => there.reduce((total, run) => total + run[field], 0);
  return { sites: there.length, errors: sum("errors"), pages: sum("pages"), critical: sum("critical") };
}

function limitsOf(checked: readonly MonthSite[]): MonthReport["limits"] {
  const limits = { met: 0, not_met: 0, none: 0, unknown: 0 };
  for (const { now } of checked) limits[now ? limitOf(now) : "none"] += 1;
  return limits;
}

/** How a run kept its limits. */
export function limitOf({ is_past, passed }: Pick<MonthRun, "is_past" | "passed">): keyof MonthReport["limits"] {
  if (is_past) return "unknown";
  return passed === null ? "none" : passed ? "met" : "not_met";
}

type SiteRuleChange = Omit<RuleChange, "sites"> & { site: MonthSite };

/** What each rule has fewer (negative) or more of on each site. */
function changesByRule(compared: readonly MonthSite[], rules: readonly RuleErrors[]): SiteRuleChange[] {
  const byReport = Map.groupBy(rules, ({ report_id }) => report_id);
  return compared.flatMap((site) => {
    const { now, before } = site;
    // A run that stands for both has no changes.
    if (!now || !before || now.report_id === before.report_id) return [];
    const isKnown = !now.is_past && !before.is_past;
    const of = (run: MonthRun) => (isKnown ? (byReport.get(run.report_id) ?? []) : byKindOf(run));
    const changes = new Map<string, SiteRuleChange>();
    const add = (
      { kind, rule, message, impact, errors }: Omit<RuleErrors, "rule"> & { rule: string | null },
      sign: number,
    ) => {
      const key = `${kind} ${rule ?? ""}`;
      const change = changes.get(key) ?? { site, kind, rule, message, impact, errors: 0 };
      change.errors += sign * errors;
      change.impact = Math.max(change.impact ?? 0, impact ?? 0) || null;
      changes.set(key, change);
    };
    for (const one of of(now)) add(one, 1);
    for (const one of of(before)) add(one, -1);
    return [...changes.values()].filter(({ errors }) => errors !== 0);
  });
}

/** The errors of a run whose rules are not known, or of one that is compared with such a run. */
function byKindOf({ report_id, errors_by_kind }: MonthRun): (Omit<RuleErrors, "rule"> & { rule: null })[] {
  return Object.entries(errors_by_kind).map(([kind, errors]) => ({
    ...{ report_id, kind: kind as CheckKind, rule: null, message: null, impact: null, errors },
  }));
}

/** The changes in one direction, added up by rule: those that changed most first. */
function sumUp(changes: readonly SiteRuleChange[], sign: 1 | -1): RuleChanges {
  const there = changes.filter(({ errors }) => Math.sign(errors) === sign);
  const rules = [...Map.groupBy(there, ({ kind, rule }) => `${kind} ${rule ?? ""}`).values()].flatMap((group) => {
    const [first] = group;
    if (!first) return [];
    const most = group.toSorted((a, b) => Math.abs(b.errors) - Math.abs(a.errors));
    return {
      ...{ kind: first.kind, rule: first.rule, message: first.message },
      impact: Math.max(0, ...group.map(({ impact }) => impact ?? 0)) || null,
      errors: group.reduce((sum, { errors }) => sum + Math.abs(errors), 0),
      sites: most.map(({ site }) => site),
    };
  });
  rules.sort((a, b) => b.errors - a.errors || (`${a.kind} ${a.rule}` < `${b.kind} ${b.rule}` ? -1 : 1));
  return { errors: rules.reduce((sum, { errors }) => sum + errors, 0), rules };
}

function rolesOf(checked: readonly MonthSite[]): MonthReport["roles"] {
  const sums = { content: 0, template: 0, design: 0, unknown_sites: 0 };
  for (const { now } of checked) {
    if (!now?.roles) {
      sums.unknown_sites += 1;
      continue;
    }
    for (const role of ["content", "template", "design"] as const) sums[role] += now.roles[role];
  }
  return sums;
}

/** Sites that got worse, are above their limits, or have the most errors on a page: the worst of each first. */
function worstOf(checked: readonly MonthSite[], worse: readonly MonthSite[]): MonthReport["worst"] {
  const rate = ({ now }: MonthSite) => (now ? rateOf(now) : 0);
  // What can be mended is known of reports that are there.
  const withErrors = checked
    .filter(({ now }) => now !== null && now.errors > 0 && !now.is_past)
    .toSorted((a, b) => rate(b) - rate(a) || (a.starting_url < b.starting_url ? -1 : 1));
  const picked = new Map<MonthSite, WhyWorst>();
  const pick = (sites: readonly MonthSite[], why: WhyWorst) => {
    for (const site of sites)
      if (picked.size < MAX_WORST && withErrors.includes(site) && !picked.has(site)) picked.set(site, why);
  };
  pick(worse.slice(0, FIRST_WORST), "got_worse");
  const above = withErrors.filter((site) => site.now?.passed === false && !picked.has(site));
  pick(above.slice(0, FIRST_WORST), "limit");
  pick(withErrors, "most");
  return [...picked].map(([site, why]) => ({ site, why }));
}

/** A criterion that fails on one site fails; one that is judged on one site is judged. */
function criteriaOf(rows: readonly CriterionErrors[]): MonthReport["criteria"] {
  return [...Map.groupBy(rows, ({ number }) => number)].map(([number, group]) => {
    const failing = group.filter(({ state }) => state === "fails");
    const isJudged = group.some(({ state }) => state === "nothing_found");
    return {
      number,
      state: failing.length > 0 ? "fails" : isJudged ? "nothing_found" : "not_judged",
      sites: failing.length,
      errors: failing.reduce((sum, { errors }) => sum + errors, 0),
    };
  });
}

function monthsOf(month: Month, sites: readonly MonthSite[]): MonthReport["months"] {
  return Array.from({ length: YEAR }, (_, index) => monthAfter(month, index + 1 - YEAR)).flatMap((one) => {
    const runs = sites.flatMap(({ months }) => months.filter(({ when }) => when === one));
    const sum = (field: "errors" | "pages") => runs.reduce((total, run) => total + run[field], 0);
    return runs.length === 0 ? [] : { month: one, sites: runs.length, errors: sum("errors"), pages: sum("pages") };
  });
}

function enginesOf(checked: readonly MonthSite[]): string[] {
  const names = checked.flatMap(({ now }) =>
    Object.values(now?.engines ?? {}).map(({ name, version }) => `${name} ${version}`),
  );
  return [...new Set(names)].sort();
}
