import type { A11yIssue } from "../../src/domain/findings/findings.ts";
import type { Example } from "./examples.ts";

/** What one run said of an example: a line for each finding, or why it was not checked. */
export type Run = { example: Example; said: readonly string[] };

/** The findings of a page as lines, in any order: rules, elements, and what is said of them. */
export function linesOf(issues: readonly A11yIssue[]): string[] {
  return issues
    .flatMap(({ rule, issue_type, html }) =>
      html.map(({ target, failure_summary }) => `${rule} ${issue_type} ${target} ${failure_summary}`),
    )
    .toSorted();
}

/** Says how many examples have the same findings in all runs, and what the others have in some runs only. */
export function equalityOf(runs: readonly Run[]): { isEqual: boolean; text: string } {
  const perExample = [...Map.groupBy(runs, ({ example }) => example.file)].map(([file, some]) => {
    const counts = Map.groupBy(
      some.flatMap(({ said }) => [...new Set(said)]),
      (line) => line,
    );
    const sometimes = [...counts].filter(([, times]) => times.length < some.length);
    return { file, lines: counts.size, some, sometimes };
  });
  const unequal = perExample.filter(({ sometimes }) => sometimes.length > 0);
  const findings = perExample.reduce((sum, { lines }) => sum + lines, 0);
  const times = perExample[0]?.some.length ?? 0;
  const detail = unequal.flatMap(({ file, some, sometimes }) =>
    sometimes.map(([line, { length }]) => `${file}, in ${length} of ${some.length} runs: ${line}\n`),
  );
  const text = `${perExample.length - unequal.length} of ${perExample.length} examples have the same findings in ${times} runs, ${findings} findings in all.\n${detail.join("")}`;
  return { isEqual: unequal.length === 0, text };
}
