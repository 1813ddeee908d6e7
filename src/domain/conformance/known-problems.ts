import { type AssignmentState, isOver } from "../causes/assignment.ts";
import type { SuccessCriterion } from "../findings/success-criteria.ts";
import type { SiteCriterion } from "./judge-site.ts";

/** Something that does not work yet: a cause of errors, errors of no cause that is kept, or what a person has seen. */
export type KnownProblem = {
  title: string;
  /** The criteria that it fails, with their titles. */
  criteria: readonly string[];
  /** The day by which it is mended; null without one. */
  due_on: string | null;
  /** Whether somebody mends it; what a person has seen is taken once it has a day. */
  state: AssignmentState;
};

/** A cause of errors, with the criteria that they are about. */
export type CauseOfProblem = Omit<KnownProblem, "criteria"> & { criteria: ReadonlySet<string> };

const nameOf = ({ number, title }: SuccessCriterion) => `${number} ${title}`;

/** Whether a cause is about one of the criteria that the standard asks for. */
export function isAsked(cause: Pick<CauseOfProblem, "criteria">, criteria: readonly SuccessCriterion[]): boolean {
  return criteria.some(({ number }) => cause.criteria.has(number));
}

/**
 * What does not work yet. Each criterion that fails is named by a problem at least.
 *
 * @param criteria all that the standard asks for
 */
export function knownProblems(
  causes: readonly CauseOfProblem[],
  criteria: readonly SiteCriterion[],
  now: Date,
): KnownProblem[] {
  const ofCauses = causes
    .filter((cause) => isAsked(cause, criteria))
    .map((cause) => ({
      ...cause,
      // What was said to be done and is seen again is late, too, when its day is over.
      state: cause.state !== "done" && isOver(cause.due_on, now) ? ("late" as const) : cause.state,
      criteria: criteria.filter(({ number }) => cause.criteria.has(number)).map(nameOf),
    }));
  const named = new Set(ofCauses.flatMap((problem) => problem.criteria));
  const others = criteria.flatMap((criterion): KnownProblem[] => {
    const name = nameOf(criterion);
    const { state, answer, errors } = criterion;
    if (state === "failed") {
      const due_on = answer?.due_on ?? null;
      const assigned = due_on === null ? "nobody" : isOver(due_on, now) ? "late" : "taken";
      return [{ title: answer?.evidence ?? criterion.title, criteria: [name], due_on, state: assigned }];
    }
    if (state !== "failed_by_machine" || named.has(name)) return [];
    const title = `${criterion.title}: ${errors} ${errors === 1 ? "error" : "errors"}`;
    return [{ title, criteria: [name], due_on: null, state: "nobody" }];
  });
  return [...ofCauses, ...others];
}
