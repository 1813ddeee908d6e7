import type { EngineRunner, PageTask } from "../../src/checker/engine.ts";
import type { A11yIssue, CheckKind, CheckOutcome, HtmlIssue } from "../../src/domain/findings/findings.ts";

export const engine = { name: "fake", version: "1" };

export function htmlIssue(message: string, elements = 1, type: "error" | "warning" = "error"): HtmlIssue {
  const coordinates = {
    first_line: 1,
    last_line: 1,
    first_column: 1,
    last_column: 1,
    hilite_start: 0,
    hilite_length: 1,
  };
  return {
    issue_type: type,
    rule: "rule",
    message,
    help_url: null,
    tags: ["tag"],
    html: Array.from({ length: elements }, () => ({ extract: "<", coordinates })),
  };
}

export function a11yIssue(impact: A11yIssue["impact"], elements: number, review = false): A11yIssue {
  const html = Array.from({ length: elements }, () => ({ extract: "<p>", target: "p", failure_summary: "wrong" }));
  const issue_type = review ? "warning" : "error";
  return {
    issue_type,
    rule: `rule-${impact}`,
    message: `Help ${impact}`,
    help_url: "https://x/",
    impact,
    tags: [],
    html,
  };
}

/** An engine whose outcomes a test decides. */
export function fakeRunner(
  answer: (task: PageTask, signal: AbortSignal) => Promise<CheckOutcome> | CheckOutcome,
  { kind = "html" as CheckKind, concurrency = 4 } = {},
): EngineRunner {
  return {
    kind,
    concurrency,
    check: async (task, { signal, beforeRequest }) => {
      if (kind === "a11y") await beforeRequest();
      return answer(task, signal);
    },
    close: async () => {},
  };
}
