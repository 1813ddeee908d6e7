import { type Impact, impacts } from "../../checks/impacts.ts";
import { type CheckKind, checkKinds } from "../../checks/kinds.ts";
import type { PageFacts } from "../acting/page-facts.ts";
import type { CheckNotice } from "../coverage/notices.ts";
import type { Failure } from "../failure.ts";
import type { ElementKey } from "../identity/element-key.ts";
import type { Box } from "./box.ts";
import type { CausedBy, ElementFix } from "./consequence.ts";
import type { Contrast } from "./contrast.ts";
import type { ElementPicture } from "./picture.ts";

export { type Impact, impacts } from "../../checks/impacts.ts";
export { type CheckKind, checkKinds };

/**
 * The result of an engine on one page: plain JSON that the engine's process creates and the checker
 * stores. The engines' own types are not used beyond their folders.
 */

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

/** One element that an issue affects. */
export type IssueElement = {
  extract: string;
  /** Of a finding in the source. */
  coordinates?: Coordinates;
  /** Of a finding in a browser: a CSS selector; a frame's or shadow root's path is joined with " >>> ". */
  target?: string;
  failure_summary?: string;
  /** Where the element was when it was checked; null if it cannot be seen. */
  box?: Box | null;
  /** Of a text whose contrast was measured, as far as it could be. */
  contrast?: Contrast | null;
  /**
   * What identifies the element: null or left out for a finding about the document as a whole. A stored one has its
   * `fingerprint` and `selector` instead.
   */
  element?: ElementKey | null;
  /** The fault was gone in a repaired copy of the page (../causes/changes.ts). It is stored with the finding. */
  repaired?: boolean;
  /** It only follows from another finding of the page. */
  caused_by?: CausedBy | null;
  /** The change that mends it and what follows from it, where an engine has tried one. */
  fix?: ElementFix | null;
};

/** All findings of one rule on one page, or those of its findings that have the same message. */
export type Issue<Element extends IssueElement = IssueElement> = {
  /** A warning is also what a person must judge. */
  issue_type: "error" | "warning";
  /** The engine's own name of the rule, or null. */
  rule: string | null;
  message: string;
  /** What explains the rule, or the part of the standard that it is about, if the engine names one. */
  help_url: string | null;
  /** Left out by kinds whose findings have none. */
  impact?: Impact | null;
  /** Set when the issue is stored: true for a rule that is not part of the report's standard. */
  outside_standard?: boolean;
  tags: string[];
  /** One entry per affected element. */
  html: Element[];
  /** The number of affected elements, if `html` lists fewer. */
  how_many?: number;
};

export type HtmlElement = IssueElement & { coordinates: Coordinates };
export type HtmlIssue = Issue<HtmlElement>;

export type A11yElement = IssueElement & { target: string; failure_summary: string };
export type A11yIssue = Issue<A11yElement> & { impact: Impact; help_url: string };

/** How many elements an issue affects. */
export function countOf({ html, how_many }: Pick<Issue, "html" | "how_many">): number {
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
  | {
      kind: CheckKind;
      engine: Engine;
      issues: Issue[];
      raw?: unknown;
      screenshot?: Screenshot;
      /** Of elements, cut out of the screenshot. */
      pictures?: readonly ElementPicture[];
      /** By what the page is compared with the others of its site. */
      facts?: PageFacts;
      /** What was not checked; each code once. */
      notices?: readonly CheckNotice[];
    }
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

/** Numeric form of an impact: minor 1 … critical 4; null for none. */
export function impactOrder(impact: Impact): number;
export function impactOrder(impact: Impact | null | undefined): number | null;
export function impactOrder(impact: Impact | null | undefined): number | null {
  return impact ? impacts.indexOf(impact) + 1 : null;
}

/** The impact of such a number, or null. */
export function impactOf(order: number | null): Impact | null {
  return impacts[(order ?? 0) - 1] ?? null;
}
