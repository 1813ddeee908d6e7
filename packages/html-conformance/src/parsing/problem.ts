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
  /** Where the element begins that it says to be open: that it is not closed is a problem of its own. */
  follows?: number;
};

/** The most problems of one kind that are kept: a page of end tags would have a million. */
const MAX_PROBLEMS_OF_A_KIND = 10_000;

/** How many more problems of a kind there are than are kept, with the last one that is. */
export type Unlisted = Map<string, { problem: ParseProblem; count: number }>;

export type Collector = {
  problems: ParseProblem[];
  unlisted: Unlisted;
  report: (problem: ParseProblem) => void;
};

/** Collects what is reported, without consecutive duplicates. */
export function createCollector(): Collector {
  const problems: ParseProblem[] = [];
  const unlisted: Unlisted = new Map();
  const counts = new Map<string, number>();
  let previous: ParseProblem | undefined;
  const report = (problem: ParseProblem): void => {
    if (previous?.code === problem.code && previous.start === problem.start) return;
    previous = problem;
    const count = counts.get(problem.code) ?? 0;
    counts.set(problem.code, count + 1);
    if (count < MAX_PROBLEMS_OF_A_KIND) problems.push(problem);
    else unlisted.set(problem.code, { problem, count: count + 1 - MAX_PROBLEMS_OF_A_KIND });
  };
  return { problems, unlisted, report };
}
