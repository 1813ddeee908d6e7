/*
 * One mistake makes several findings: without a quote, half of a page is a value. The engine that has found which one they
 * follow from says so, and with which change all of them go (packages/html-conformance/docs/checks.md#causes-and-fixes).
 */

/** The finding of the same page that another one only follows from: a fault is what follows from nothing. */
export type CausedBy = {
  rule: string;
  /** Where it is in the source, from 1. */
  first_line: number;
  first_column: number;
};

/** A change of a page's source that was tried in a copy: then the finding and what follows from it are gone. */
export type ElementFix = {
  /** What is done, for people: `insert " at 12:34`. */
  title: string;
  /** How many findings go with it. */
  removes: number;
  /** In the order of the source, without overlaps. Each replaces what is from its first place up to the second one, which is not included. */
  edits: FixEdit[];
};

/** Lines and columns count from 1, columns in UTF-16 units. */
export type FixEdit = {
  start_line: number;
  start_column: number;
  end_line: number;
  end_column: number;
  text: string;
};
