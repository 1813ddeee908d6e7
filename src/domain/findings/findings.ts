import { type Impact, impacts } from "../../schema/impacts.ts";
import type { Failure } from "../failure.ts";
import type { ElementKey } from "../identity/element-key.ts";
import type { Box } from "./box.ts";

export { type Impact, impacts } from "../../schema/impacts.ts";

/**
 * The result of an engine on one page: plain JSON that the engine's process creates and the checker
 * stores. The engines' own types are not used beyond their folders.
 */

/** The two engines' kinds of check. */
export const checkKinds = ["html", "a11y"] as const;
export type CheckKind = (typeof checkKinds)[number];

export type Engine = { name: string; version: string };

/** Where in the source an HTML issue is. Lines and columns are 1-based. */
export type Coordinates = {
  first_line: number;
  last_line: number;
  /** null when the issue is about a whole line. */
  first_column: number | null;
  last_column: number;
  /** Offset in `extract` of the part to highlight, in characters from 0. */
  hilite_start: number;
  hilite_length: number;
};

/**
 * What identifies the element of a finding: null or left out for one about the document as a whole. A stored one has
 * its `fingerprint` and `selector` instead.
 */
type OfElement = { element?: ElementKey | null };

/** Where the element was when it was checked; null if it cannot be seen. */
type OfPlace = { box?: Box | null };

/** All findings with the same message on one page: one entry of `html` per affected element. */
export type HtmlIssue = {
  issue_type: "error" | "warning";
  /** The engine's own name of the rule, or null. */
  issue_sub_type: string | null;
  message: string;
  /** The part of the standard that it is about, if the engine names one. */
  help_url: string | null;
  tags: string[];
  html: ({ extract: string; coordinates: Coordinates } & OfElement)[];
  /** The number of affected elements, if `html` lists fewer. */
  how_many?: number;
};

/** All findings of one axe-core rule on one page. */
export type A11yIssue = {
  /** axe-core's rule id, for example `image-alt`. */
  rule_id: string;
  help: string;
  help_url: string;
  impact: Impact;
  /** true for an incomplete result, which a person must judge; counted as a warning. */
  review: boolean;
  /** Set when the issue is stored: true for a rule that is not part of the report's standard. */
  outside_standard?: boolean;
  tags: string[];
  /** `target` is a CSS selector; a frame's or shadow root's path is joined with " >>> ". */
  html: ({ extract: string; target: string; failure_summary: string } & OfPlace & OfElement)[];
  /** The number of affected elements, if `html` lists fewer. */
  how_many?: number;
};

/** How many elements an issue affects. */
export function countOf({ html, how_many }: Pick<HtmlIssue | A11yIssue, "how_many"> & { html: unknown[] }): number {
  return how_many ?? html.length;
}

/** A picture of a page, from the document's top left corner on. */
export type Screenshot = {
  png: Uint8Array;
  /** The part of the document that it shows, in CSS pixels. */
  width: number;
  height: number;
  /** Pixels of the picture per CSS pixel. */
  scale: number;
};

/** The outcome of one check: a result or the reason why there is none. */
export type CheckOutcome = (
  | { kind: "html"; engine: Engine; issues: HtmlIssue[]; raw?: unknown; screenshot?: Screenshot }
  | { kind: "a11y"; engine: Engine; issues: A11yIssue[]; raw?: unknown; screenshot?: Screenshot }
  | {
      kind: CheckKind;
      failure: Failure;
      /** The page used up its time, perhaps because of other pages that were checked at the same time. */
      deadlineExceeded?: true;
    }
) & {
  /** The HTTP status that the engine received, when it requests the page itself; null without a response. */
  httpStatus?: number | null;
};

/** Numeric form of an impact: minor 1 … critical 4. */
export function impactOrder(impact: Impact): number {
  return impacts.indexOf(impact) + 1;
}
