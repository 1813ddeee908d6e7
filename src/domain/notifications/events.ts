import type { runEventNames } from "../../schema/notifications.ts";
import type { CalendarDay } from "../calendar-day.ts";
import type { HeldKind } from "../causes/assignment.ts";
import type { StateTotals } from "../findings/finding-state.ts";
import type { Impact } from "../findings/findings.ts";
import type { GateResult } from "../findings/gate.ts";
import type { MonthTold } from "../months/told.ts";

/** What others can hear of, in the order in which one end of a run is told: what it is about, and when it happens. */
export const eventTypes = {
  "report.completed": { title: "A run has ended", when: "whatever its result" },
  "issues.new": { title: "It got worse", when: "more errors than in the run before, on the same pages" },
  "report.gate_failed": { title: "A limit is exceeded", when: "with the first limit that is not met" },
  "report.failed": { title: "A run failed", when: "the site could not be checked" },
  "schedule.missed": { title: "A run was missed", when: "it did not start within 15 minutes of its time" },
  "credits.low": { title: "Pages run out", when: "80 % of the month's pages are used" },
  "month.ended": { title: "A month has ended", when: "on the 1st at 08:00: what all sites were in it" },
} as const satisfies Record<(typeof runEventNames)[number], unknown> & Record<string, { title: string; when: string }>;
export type EventType = keyof typeof eventTypes;
export const eventNames = Object.keys(eventTypes) as EventType[];

/** What a message is about: an event, several that were collected, or nothing (`test`). */
export type MessageType = EventType | "digest" | "test";
export const messageNames: readonly MessageType[] = [...eventNames, "digest", "test"];

/** A site as messages name it. */
export type NamedSite = {
  name: string | null;
  url: string;
  /** Who has it, at the time of the event; null for nobody. */
  owner: string | null;
};

/** Of so many causes a message names the new errors. */
export const TOLD_CAUSES = 5;

/** New errors that one change would mend, and who has that. */
export type NewErrors = {
  cause_id: string;
  /** What an engine says of one of them. */
  title: string;
  new: number;
  pages: number;
  impact: Impact | null;
  /** The name of who has it at the time of the event; null for nobody, also where that person or team is removed. */
  assignee: string | null;
  /** Whether the cause, its section or its site is what somebody has; null for nobody. */
  of: HeldKind | null;
  /** The section that somebody has; null for others. */
  path: string | null;
  due_on: CalendarDay | null;
};

/** The end of a run as it is stored, without addresses of the service, which may change. */
export type RunEnd = {
  site: NamedSite;
  report_id: string;
  /** Errors that were found; null when the run failed. */
  errors: number | null;
  /** Those of the run before on the pages of both; null without one that could be compared. */
  errors_before: number | null;
  new: number | null;
  fixed: number | null;
  /** What is new by cause, the most first; empty unless the site got worse. */
  causes: NewErrors[];
  pages: { checked: number; not_checked: number };
  /** The first limit that is not met. */
  first_failed_limit: { name: string; limit: number; value: number | null } | null;
  /** Why the run failed: code and text. */
  failure: { code: string; detail: string } | null;
};

export type MissedRun = { site: NamedSite; schedule_id: string; due_at: string };
export type LowCredits = { month: string; used: number; limit: number };

/** What an event says, by its type. */
export type EventData = RunEnd | MissedRun | LowCredits | MonthTold;

/** An event as it is stored for each receiver. */
export type Event = { type: EventType; data: EventData };

/** A run that has ended. */
export type EndedRun = {
  site: NamedSite;
  reportId: string;
  failure: { code: string; detail: string } | null;
  /** null when nothing was counted, because the run failed. */
  counts: { errors: number; pages: { checked: number; failed: number } } | null;
  compared: StateTotals | null;
  /** What is new by cause, where it got worse. */
  causes: NewErrors[];
  gate: { passed: boolean; results: readonly GateResult[] } | null;
};

/** The events of a run's end, in the order in which they are told. */
export function eventsOf(run: EndedRun): Event[] {
  const data = endOf(run);
  const isWorse = run.compared !== null && gotWorse(run.compared);
  const types: EventType[] =
    run.counts === null
      ? ["report.completed", "report.failed"]
      : [
          "report.completed",
          ...(isWorse ? (["issues.new"] as const) : []),
          ...(run.gate?.passed === false ? (["report.gate_failed"] as const) : []),
        ];
  return types.map((type) => ({ type, data }));
}

const fixedOf = ({ fixed, gone }: StateTotals) => fixed.errors + gone.errors;

/** More new errors than fixed ones. */
export function gotWorse(compared: StateTotals): boolean {
  return compared.new.errors > fixedOf(compared);
}

function endOf({ site, reportId, failure, counts, compared, causes, gate }: EndedRun): RunEnd {
  const errors = counts?.errors ?? null;
  const fixed = compared && fixedOf(compared);
  // What only a new version of an engine finds was there before.
  const added = compared?.new.errors ?? null;
  const failed = gate?.results.find(({ passed }) => passed === false);
  return {
    site,
    report_id: reportId,
    errors,
    errors_before: compared && errors !== null ? errors - (added ?? 0) + (fixed ?? 0) : null,
    new: added,
    fixed,
    causes,
    pages: { checked: counts?.pages.checked ?? 0, not_checked: counts?.pages.failed ?? 0 },
    first_failed_limit: failed ? { name: failed.condition, limit: failed.limit, value: failed.counted } : null,
    failure,
  };
}
