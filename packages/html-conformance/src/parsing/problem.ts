/** Something that the standard calls a parse error, with its place in the source. */
export type ParseProblem = {
  /** The standard's code, if it has one (13.2.2), otherwise our own. */
  code: string;
  /** Offsets in the source. */
  start: number;
  end: number;
  /** The tag, element, attribute or character in question, if any. */
  name?: string;
  /** What was found, if the source itself does not show it. */
  found?: string;
};

/** The most problems of one kind that are kept: a page of end tags would have a million. */
const MAX_PROBLEMS_OF_A_KIND = 10_000;

/** Collects what is reported, without consecutive duplicates. */
export function createCollector(): { problems: ParseProblem[]; report: (problem: ParseProblem) => void } {
  const problems: ParseProblem[] = [];
  const counts = new Map<string, number>();
  const report = (problem: ParseProblem): void => {
    const last = problems.at(-1);
    if (last?.code === problem.code && last.start === problem.start) return;
    const count = counts.get(problem.code) ?? 0;
    counts.set(problem.code, count + 1);
    if (count < MAX_PROBLEMS_OF_A_KIND) problems.push(problem);
  };
  return { problems, report };
}
