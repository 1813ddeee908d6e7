import type { Range } from "../locate.ts";
import type { FoundMessage } from "./message.ts";
import type { SourceLines } from "./source-lines.ts";

/** Findings beyond this, per page, per rule on a page and per element, are only counted. */
export const MAX_FINDINGS = 20_000;
export const MAX_FINDINGS_OF_A_RULE = 1_000;
export const MAX_FINDINGS_OF_AN_ELEMENT = 100;
/** The rule of the finding that counts the others of a page, or of an element. */
export const TOO_MANY_FINDINGS = "too-many-findings";

export type Located = Range & {
  severity: "error" | "warning" | "info";
  rule: string;
  message: string;
  section: string;
  meant?: string | undefined;
  /** Where the element begins of which another finding says what is wrong here, too. */
  follows?: number | undefined;
};

/** How many findings are listed, and how many more there are. */
type Count = { listed: number; left: number; errors: number; last: Located };

/** Collects findings, each once, up to the limits; beyond them it counts exactly. */
export function createCollection() {
  const found: (Located & { order: number })[] = [];
  const seen = new Set<number>();
  const ofRule = new Map<string, Count>();
  /** By the place of a start tag, where all findings about an element and its attributes are. */
  const ofElement = new Map<number, Count>();
  let ofPage: Count | undefined;

  return {
    add(finding: Located): void {
      // A name is there once: of a million attributes none has to be remembered.
      if (!finding.rule.startsWith("attribute-not-allowed/")) {
        // The grammar and an assertion both find an unknown element.
        const what = finding.rule === "unknown-element" ? finding.rule : finding.message;
        const key = digest(`${finding.start} ${finding.end} ${what}`);
        if (seen.has(key)) return;
        seen.add(key);
      }
      const full =
        fullOf(ofElement.get(finding.start), MAX_FINDINGS_OF_AN_ELEMENT) ??
        fullOf(ofRule.get(finding.rule), MAX_FINDINGS_OF_A_RULE);
      if (!full && found.length >= MAX_FINDINGS) ofPage ??= { listed: MAX_FINDINGS, left: 0, errors: 0, last: finding };
      const counted = full ?? ofPage;
      if (counted) more(counted, finding, 1);
      else {
        list(ofElement, finding.start, finding);
        list(ofRule, finding.rule, finding);
        found.push({ ...finding, order: found.length });
      }
    },

    /** Counts findings of a rule that nobody keeps, of which one is given. */
    count(finding: Located, number: number): void {
      const rule = ofRule.get(finding.rule) ?? { listed: 0, left: 0, errors: 0, last: finding };
      ofRule.set(finding.rule, rule);
      more(rule, finding, number);
    },

    /** The messages in the order of the source; at the same place, in the order in which they were found. */
    messages(lines: SourceLines): FoundMessage[] {
      found.sort((a, b) => a.start - b.start || a.order - b.order);
      const rest: Located[] = [];
      for (const [rule, count] of ofRule)
        if (count.left > 0)
          rest.push({
            ...{ ...count.last, follows: undefined },
            message: `${count.left} more findings of the rule ${rule} are not listed; at most ${count.listed} of a rule are.`,
          });
      for (const count of ofElement.values()) if (count.left > 0) rest.push(tooMany(count, "an element"));
      if (ofPage) rest.push(tooMany(ofPage, "a page"));
      return [...found, ...rest].map((finding) => toMessage(finding, lines));
    },
  };
}

function more(count: Count, { severity }: Located, number: number): void {
  count.left += number;
  if (severity === "error") count.errors += number;
}

function fullOf(count: Count | undefined, most: number): Count | undefined {
  return count && count.listed >= most ? count : undefined;
}

function list<Key>(counts: Map<Key, Count>, key: Key, last: Located): void {
  const known = counts.get(key);
  if (known) {
    known.listed++;
    known.last = last;
  } else counts.set(key, { listed: 1, left: 0, errors: 0, last });
}

function tooMany({ left, errors, listed, last }: Count, of: string): Located {
  const message = `${left} more findings are not listed; at most ${listed} of ${of} are.`;
  return { ...last, follows: undefined, severity: errors > 0 ? "error" : "warning", rule: TOO_MANY_FINDINGS, message };
}

/** 53 bits of a text: a million of them take a tenth of the memory of their texts. */
function digest(text: string): number {
  let a = 0x811c9dc5;
  let b = 0x9747b28c;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    a = Math.imul(a ^ code, 0x01000193);
    b = Math.imul(b ^ code, 0x85ebca6b);
    b ^= b >>> 13;
  }
  return (a >>> 0) * 0x20_0000 + ((b >>> 0) & 0x1f_ffff);
}

function toMessage(
  { severity, start, end, message, rule, section, meant, follows }: Located,
  lines: SourceLines,
): FoundMessage {
  return {
    type: severity === "error" ? "error" : "info",
    ...(severity === "warning" && { subType: "warning" as const }),
    ...lines.placeOf(start, end),
    message,
    rule,
    section,
    ...(meant !== undefined && { meant }),
    ...(follows !== undefined && { follows }),
  };
}
