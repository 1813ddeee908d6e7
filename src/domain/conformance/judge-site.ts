import type { CalendarDay } from "../calendar-day.ts";
import type { CriterionState, JudgedCriterion } from "../findings/judged-criteria.ts";

/** What a person has seen of a criterion on a site: it is met, it is not met somewhere, nothing is what it is about. */
export const answerOutcomes = ["passed", "failed", "not_present"] as const;
export type AnswerOutcome = (typeof answerOutcomes)[number];

/** A person's answer, which holds for all reports of the site. */
export type CriterionAnswer = {
  outcome: AnswerOutcome;
  /** What was seen; it stands in exports. */
  evidence: string | null;
  /** A person, a team or an agency. */
  answered_by: string;
  answered_at: Date;
  /** The day by which a failure is mended; null without one, and of other answers. */
  due_on: CalendarDay | null;
  /** The pages that were looked at, and what each of them says. */
  pages: { url: string; outcome: AnswerOutcome }[];
};

/** What is known of a criterion on a site: by a program, or by a person. Together they are all criteria. */
export const siteCriterionStates = {
  failed_by_machine: "The newest report of the whole site has errors about it, whatever a person has said.",
  failed: "A person says that it is not met.",
  passed: "A person says that it is met, and no check of a program has failed.",
  not_present: "A person says that nothing on the site is what it is about.",
  nothing_found: "Checks of programs found nothing, which does not say that it is met: a person can confirm it.",
  needs_person: "No check of a program is about it.",
} as const;
export type SiteCriterionState = keyof typeof siteCriterionStates;

export type SiteCriterion = Omit<JudgedCriterion, "state"> & {
  state: SiteCriterionState;
  /** Also one that no longer holds; null without one. */
  answer: (CriterionAnswer & { holds: boolean }) | null;
};

/** So long an answer holds. */
const ANSWER_DAYS = 365;
const DAY = 86_400_000;

const byMachine: Readonly<Record<CriterionState, SiteCriterionState>> = {
  fails: "failed_by_machine",
  nothing_found: "nothing_found",
  not_judged: "needs_person",
};

/**
 * What is known of each criterion of a site.
 *
 * @param judged what its newest report says
 * @param answers of persons, by number
 */
export function judgeSite(
  judged: readonly JudgedCriterion[],
  answers: ReadonlyMap<string, CriterionAnswer>,
  now: Date,
): SiteCriterion[] {
  return judged.map((criterion) => {
    const answer = answers.get(criterion.number);
    const holds = answer !== undefined && now.getTime() - answer.answered_at.getTime() < ANSWER_DAYS * DAY;
    const state = criterion.state === "fails" || !holds ? byMachine[criterion.state] : answer.outcome;
    return { ...criterion, state, answer: answer ? { ...answer, holds } : null };
  });
}

/** How many criteria are in each state. */
export function countStates(criteria: readonly SiteCriterion[]): Record<SiteCriterionState, number> {
  const counts = { failed_by_machine: 0, failed: 0, passed: 0, not_present: 0, nothing_found: 0, needs_person: 0 };
  for (const { state } of criteria) counts[state]++;
  return counts;
}

/** What a site may claim of its standard. */
export const claims = {
  conforms: "All criteria are met, or concern nothing that the site has.",
  partly: "Some criteria are not met, or nobody has judged them yet.",
} as const;

/** Whether all criteria are answered and none fails: nothing less is conformance. */
export function claimOf(criteria: readonly SiteCriterion[]): keyof typeof claims {
  return criteria.every(({ state }) => state === "passed" || state === "not_present") ? "conforms" : "partly";
}
