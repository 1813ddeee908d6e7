import type { Lone } from "./compare.ts";

/** A kind of disagreement that is understood. */
export type Explanation = {
  side: Lone["side"];
  /** Part of Nu's message, or of ours with the rule before it. */
  match: RegExp;
  /** What the source around the finding must have besides. */
  source?: RegExp;
  /** Who follows the standard; "open" where the standard does not say, or what we do not do yet. */
  right: "ours" | "nu" | "open";
  why: string;
  /** Where the standard says so. */
  section?: string;
};

export const explanations: readonly Explanation[] = [];

export function explain(lone: Lone): Explanation | undefined {
  const text = lone.side === "ours" ? `${lone.rule}: ${lone.message}` : lone.message;
  return explanations.find(
    ({ side, match, source }) => side === lone.side && match.test(text) && (source?.test(lone.extract) ?? true),
  );
}
