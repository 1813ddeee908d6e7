import type { CheckKind } from "../../checks/kinds.ts";
import type { GuideFrontMatter } from "../../schema/guide.ts";
import type { ActRule } from "../findings/act-rules.ts";
import type { SuccessCriterion } from "../findings/success-criteria.ts";

/** The source of an example: a whole document, or a part of a body. */
export type GuideExample = { source: string; language: "html" | "xhtml"; isDocument: boolean };

/** A guide to one rule, or to all rules whose names begin with its name and a slash. */
export type Guide = Pick<GuideFrontMatter, "rule" | "engine" | "title" | "named" | "section"> & {
  kind: CheckKind;
  criteria: readonly SuccessCriterion[];
  act: readonly ActRule[];
  /** What is wrong, who is affected, how to fix it: Markdown with its heading, in this order. */
  parts: readonly { heading: string; markdown: string }[];
  /** An example in which the rule finds something. */
  before: GuideExample;
  /** The same, fixed. */
  after: GuideExample;
};

/** The headings of every guide, in this order; the examples follow. */
export const partHeadings = ["What is wrong", "Who is affected", "How to fix it"] as const;
export const exampleHeadings = ["Before", "After"] as const;
