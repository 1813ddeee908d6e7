import type { FindingState } from "../../../domain/findings/finding-state.ts";
import { settings } from "../../../settings/index.ts";
import { counted, formatNumber } from "./numbers.ts";

/** Names of the properties of findings. */
export const findingsTexts = {
  roles: { content: "content", template: "template", design: "design" },
  standards: settings.standard.form.labels as Readonly<Record<string, string>>,
  states: {
    new: "new",
    fixed: "fixed",
    persisting: "as before",
    new_rule: "new rule",
    gone: "page gone",
    unknown: "unknown",
  },
  stateMeans: {
    persisting: "The run before has it, too.",
    new: "The run before does not have it.",
    new_rule:
      "The run before does not have it, and was checked without this rule: by another checker, version or setting, or not at all.",
    fixed: "The run before has it. Its page was checked again, and does not have it any more.",
    gone: "The run before has it. Its page now responds with 404 or 410.",
    unknown:
      "Only one of the two has it, and in the other one its page was not visited, could not be checked, or was checked by another checker.",
  } satisfies Record<FindingState, string> as Readonly<Record<FindingState, string>>,
  impacts: { critical: "critical", serious: "serious", moderate: "moderate", minor: "minor" },
  types: { error: "error", warning: "warning" },
  consequences: {
    fix: (title: string, n: number) =>
      `${title.charAt(0).toUpperCase()}${title.slice(1)}: ${counted(n, "finding")} ${n === 1 ? "goes" : "go"}.`,
    follows: (rule: string, line: number) => `It only follows from ${rule} in line ${formatNumber(line)}.`,
    folded: (n: number) => `${counted(n, "finding")} ${n === 1 ? "follows" : "follow"} from this one`,
    andMore: (n: number) => `and ${formatNumber(n)} that ${n === 1 ? "follows" : "follow"}`,
  },
};
