import { type Comparison, classOf, type Lone } from "./compare.ts";
import { type Explanation, explain } from "./disagreements.ts";

/** Counts of documents and lines. */
export type Counts = {
  documents: number;
  /** Documents that Nu finds invalid, and those of them that ours finds invalid, too. */
  invalid: number;
  invalidFound: number;
  /** Documents that Nu finds valid, and those of them that ours does not. */
  valid: number;
  validAccused: number;
  nuLines: number;
  nuLinesFound: number;
  ourLines: number;
  ourLinesAlone: number;
  /** Of the missed and accused documents, and of the lines, those in which all is explained with ours being right. */
  missedRightly: number;
  accusedRightly: number;
  nuLinesRightly: number;
  ourLinesRightly: number;
};

export type DisagreementClass = {
  class: string;
  count: number;
  /** Documents with another verdict for it. */
  verdicts: number;
  right: Explanation["right"] | "unexplained";
  why?: string;
  section?: string;
  example: { where: string; line: number; message: string; source: string };
};

export type Tally = ReturnType<typeof createTally>;

const EMPTY: Counts = {
  documents: 0,
  invalid: 0,
  invalidFound: 0,
  valid: 0,
  validAccused: 0,
  nuLines: 0,
  nuLinesFound: 0,
  ourLines: 0,
  ourLinesAlone: 0,
  missedRightly: 0,
  accusedRightly: 0,
  nuLinesRightly: 0,
  ourLinesRightly: 0,
};

/** Adds up comparisons by category. */
export function createTally() {
  const categories = new Map<string, Counts>();
  const classes = new Map<string, DisagreementClass>();

  const addClass = (lone: Lone, verdict: boolean, where: string, source: string): void => {
    const explanation = explain(lone);
    const key = explanation ? `${lone.side} ${explanation.why}` : classOf(lone);
    let found = classes.get(key);
    if (!found) {
      const example = { where, line: lone.line, message: lone.message, source };
      const { why, section, right = "unexplained" as const } = explanation ?? {};
      found = {
        class: classOf(lone),
        count: 0,
        verdicts: 0,
        right,
        ...(why !== undefined && { why }),
        ...(section !== undefined && { section }),
        example,
      };
      classes.set(key, found);
    }
    found.count++;
    if (verdict) found.verdicts++;
    if (source.length < found.example.source.length)
      found.example = { where, line: lone.line, message: lone.message, source };
  };

  return {
    categories,
    classes,
    /** Documents that Nu could not check, by where they come from. */
    unanswered: [] as { where: string; source: string }[],
    add(category: string, comparison: Comparison | undefined, where: string, source: string): void {
      if (!comparison) {
        this.unanswered.push({ where, source });
        return;
      }
      let counts = categories.get(category);
      if (!counts) {
        counts = { ...EMPTY };
        categories.set(category, counts);
      }
      count(counts, comparison);
      const verdict = comparison.nuInvalid !== comparison.oursInvalid;
      for (const lone of comparison.lone) addClass(lone, verdict, where, source);
    },
    total(): Counts {
      const total = { ...EMPTY };
      for (const counts of categories.values())
        for (const key of Object.keys(total) as (keyof Counts)[]) total[key] += counts[key];
      return total;
    },
  };
}

function count(counts: Counts, { nuInvalid, oursInvalid, lone, ...lines }: Comparison): void {
  const isRight = (one: Lone): boolean => explain(one)?.right === "ours";
  const linesOf = (side: Lone["side"]): number =>
    new Set(lone.filter((one) => one.side === side && isRight(one)).map(({ line }) => line)).size;
  const allRight = lone.length > 0 && lone.every(isRight);
  counts.documents++;
  if (nuInvalid) counts.invalid++;
  else counts.valid++;
  if (nuInvalid && oursInvalid) counts.invalidFound++;
  if (nuInvalid && !oursInvalid && allRight) counts.missedRightly++;
  if (!nuInvalid && oursInvalid) counts.validAccused++;
  if (!nuInvalid && oursInvalid && allRight) counts.accusedRightly++;
  counts.nuLines += lines.nuLines;
  counts.nuLinesFound += lines.nuLinesFound;
  counts.ourLines += lines.ourLines;
  counts.ourLinesAlone += lines.ourLines - lines.ourLinesOfNu;
  counts.nuLinesRightly += linesOf("nu");
  counts.ourLinesRightly += linesOf("ours");
}
