import { successCriteriaOf } from "../../src/domain/findings/success-criteria.ts";
import type { Example } from "./examples.ts";

/** What one of our rules says of an example. */
export type Said = {
  rule: string;
  tags: readonly string[];
  says: "error" | "review" | "passed" | "inapplicable" | "untested";
};

/** An example with what our rules say about its criteria. */
export type Judged = { example: Example; said: readonly Said[] };

/** Keeps what is about the criteria of the example. */
export function judge(example: Example, said: readonly Said[]): Judged {
  const numbers = new Set(example.rule.criteria.map(({ number }) => number));
  const isAbout = ({ tags }: Said) => successCriteriaOf(tags).some(({ number }) => numbers.has(number));
  return { example, said: said.filter(isAbout) };
}

/** How many examples there are, with how many errors, and with how many reviews but no error. */
export type Tally = { examples: number; errors: number; reviews: number };

/** Examples that fail, where errors and reviews are right, and the others, where errors accuse. */
export type Tallies = { failing: Tally; others: Tally };

export function tally(judged: readonly Judged[]): Tallies {
  const count = (some: readonly Judged[]): Tally => {
    const has = (says: Said["says"]) => some.filter(({ said }) => said.some((one) => one.says === says));
    const errors = has("error");
    return {
      examples: some.length,
      errors: errors.length,
      reviews: has("review").filter((one) => !errors.includes(one)).length,
    };
  };
  const isFailing = ({ example }: Judged) => example.expected === "failed";
  return { failing: count(judged.filter(isFailing)), others: count(judged.filter((one) => !isFailing(one))) };
}

/** A table in Markdown: a row for each rule, and one for all. */
export function tableOf(judged: readonly Judged[]): string {
  const byRule = [...Map.groupBy(judged, ({ example }) => example.rule.id).values()];
  const rows = byRule.map((some) => {
    const { id, name, criteria } = some[0]?.example.rule ?? { id: "", name: "", criteria: [] };
    return [`${name} (${id})`, criteria.map(({ number }) => number).join(", "), ...cells(tally(some))];
  });
  const lines = [
    ["rule", "WCAG", "failing", "found by errors", "more by reviews", "others", "accused", "reviews"],
    ["---", "---", "---", "---", "---", "---", "---", "---"],
    ...rows,
    ["**all**", "", ...cells(tally(judged))],
  ];
  return lines.map((row) => `| ${row.join(" | ")} |\n`).join("");
}

function cells({ failing, others }: Tallies): string[] {
  return [failing, others].flatMap(({ examples, errors, reviews }) => [examples, errors, reviews].map(String));
}

/** In a sentence, with percentages. */
export function summaryOf(judged: readonly Judged[]): string {
  const { failing, others } = tally(judged);
  const share = (part: number, { examples }: Tally) =>
    examples === 0 ? "–" : `${((100 * part) / examples).toFixed(1)} %`;
  return `Errors find ${share(failing.errors, failing)} of ${failing.examples} examples that fail, with reviews ${share(failing.errors + failing.reviews, failing)}; errors accuse ${share(others.errors, others)} of ${others.examples} others, and ${share(others.reviews, others)} have reviews alone.`;
}
