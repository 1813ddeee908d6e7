import type { Range } from "../locate.ts";
import type { Message } from "./message.ts";
import type { SourceLines } from "./source-lines.ts";

/** Findings beyond this, per page and per rule on a page, are only counted. */
export const MAX_FINDINGS = 20_000;
export const MAX_FINDINGS_OF_A_RULE = 1_000;
/** The rule of the finding that counts the others of a page. */
export const TOO_MANY_FINDINGS = "too-many-findings";

export type Located = Range & {
  severity: "error" | "warning" | "info";
  rule: string;
  message: string;
  section: string;
};

/** Collects findings, each once, up to the limits. */
export function createCollection() {
  const found: (Located & { order: number })[] = [];
  const seen = new Set<string>();
  const ofRule = new Map<string, { listed: number; left: number; last: Located }>();
  let beyond: { left: number; errors: number; last: Located } | undefined;

  return {
    add(finding: Located): void {
      if (found.length >= MAX_FINDINGS) {
        beyond ??= { left: 0, errors: 0, last: finding };
        beyond.left++;
        if (finding.severity === "error") beyond.errors++;
        return;
      }
      // The grammar and an assertion both find an unknown element.
      const what = finding.rule === "unknown-element" ? finding.rule : finding.message;
      const key = `${finding.start} ${finding.end} ${what}`;
      if (seen.has(key)) return;
      let counted = ofRule.get(finding.rule);
      if (!counted) {
        counted = { listed: 0, left: 0, last: finding };
        ofRule.set(finding.rule, counted);
      }
      if (counted.listed >= MAX_FINDINGS_OF_A_RULE) {
        counted.left++;
        return;
      }
      counted.listed++;
      counted.last = finding;
      seen.add(key);
      found.push({ ...finding, order: found.length });
    },

    /** The messages in the order of the source; at the same place, in the order in which they were found. */
    messages(lines: SourceLines): Message[] {
      found.sort((a, b) => a.start - b.start || a.order - b.order);
      const rest: Located[] = [];
      for (const [rule, { listed, left, last }] of ofRule) {
        if (left === 0) continue;
        const message = `${left} more findings of the rule ${rule} are not listed; at most ${listed} of a rule are.`;
        rest.push({ ...last, message });
      }
      if (beyond) {
        const severity = beyond.errors > 0 ? "error" : "warning";
        const message = `${beyond.left} more findings are not listed; at most ${MAX_FINDINGS} of a page are.`;
        rest.push({ ...beyond.last, severity, rule: TOO_MANY_FINDINGS, message });
      }
      return [...found, ...rest].map((finding) => toMessage(finding, lines));
    },
  };
}

function toMessage({ severity, start, end, message, rule, section }: Located, lines: SourceLines): Message {
  return {
    type: severity === "error" ? "error" : "info",
    ...(severity === "warning" && { subType: "warning" as const }),
    ...lines.placeOf(start, end),
    message,
    rule,
    section,
  };
}
