/**
 * The success criteria of WCAG 2.2 (https://www.w3.org/TR/WCAG22/) with their levels, and the version of WCAG that
 * introduced each (https://www.w3.org/WAI/standards-guidelines/wcag/new-in-21/ and …/new-in-22/). Titles as in 2.2.
 */

export type WcagLevel = "A" | "AA" | "AAA";
export type WcagVersion = "2.0" | "2.1" | "2.2";

export type SuccessCriterion = {
  /** For example `1.4.3`. */
  number: string;
  title: string;
  level: WcagLevel;
  /** The first version that has it. */
  since: WcagVersion;
};

const [A, AA, AAA] = ["A", "AA", "AAA"] as const;

const table: readonly (readonly [number: string, level: WcagLevel, title: string, since?: WcagVersion])[] = [
  ["1.1.1", A, "Non-text Content"],
  ["1.2.1", A, "Audio-only and Video-only (Prerecorded)"],
  ["1.2.2", A, "Captions (Prerecorded)"],
  ["1.2.3", A, "Audio Description or Media Alternative (Prerecorded)"],
  ["1.2.4", AA, "Captions (Live)"],
  ["1.2.5", AA, "Audio Description (Prerecorded)"],
  ["1.2.6", AAA, "Sign Language (Prerecorded)"],
  ["1.2.7", AAA, "Extended Audio Description (Prerecorded)"],
  ["1.2.8", AAA, "Media Alternative (Prerecorded)"],
  ["1.2.9", AAA, "Audio-only (Live)"],
  ["1.3.1", A, "Info and Relationships"],
  ["1.3.2", A, "Meaningful Sequence"],
  ["1.3.3", A, "Sensory Characteristics"],
  ["1.3.4", AA, "Orientation", "2.1"],
  ["1.3.5", AA, "Identify Input Purpose", "2.1"],
  ["1.3.6", AAA, "Identify Purpose", "2.1"],
  ["1.4.1", A, "Use of Color"],
  ["1.4.2", A, "Audio Control"],
  ["1.4.3", AA, "Contrast (Minimum)"],
  ["1.4.4", AA, "Resize Text"],
  ["1.4.5", AA, "Images of Text"],
  ["1.4.6", AAA, "Contrast (Enhanced)"],
  ["1.4.7", AAA, "Low or No Background Audio"],
  ["1.4.8", AAA, "Visual Presentation"],
  ["1.4.9", AAA, "Images of Text (No Exception)"],
  ["1.4.10", AA, "Reflow", "2.1"],
  ["1.4.11", AA, "Non-text Contrast", "2.1"],
  ["1.4.12", AA, "Text Spacing", "2.1"],
  ["1.4.13", AA, "Content on Hover or Focus", "2.1"],
  ["2.1.1", A, "Keyboard"],
  ["2.1.2", A, "No Keyboard Trap"],
  ["2.1.3", AAA, "Keyboard (No Exception)"],
  ["2.1.4", A, "Character Key Shortcuts", "2.1"],
  ["2.2.1", A, "Timing Adjustable"],
  ["2.2.2", A, "Pause, Stop, Hide"],
  ["2.2.3", AAA, "No Timing"],
  ["2.2.4", AAA, "Interruptions"],
  ["2.2.5", AAA, "Re-authenticating"],
  ["2.2.6", AAA, "Timeouts", "2.1"],
  ["2.3.1", A, "Three Flashes or Below Threshold"],
  ["2.3.2", AAA, "Three Flashes"],
  ["2.3.3", AAA, "Animation from Interactions", "2.1"],
  ["2.4.1", A, "Bypass Blocks"],
  ["2.4.2", A, "Page Titled"],
  ["2.4.3", A, "Focus Order"],
  ["2.4.4", A, "Link Purpose (In Context)"],
  ["2.4.5", AA, "Multiple Ways"],
  ["2.4.6", AA, "Headings and Labels"],
  ["2.4.7", AA, "Focus Visible"],
  ["2.4.8", AAA, "Location"],
  ["2.4.9", AAA, "Link Purpose (Link Only)"],
  ["2.4.10", AAA, "Section Headings"],
  ["2.4.11", AA, "Focus Not Obscured (Minimum)", "2.2"],
  ["2.4.12", AAA, "Focus Not Obscured (Enhanced)", "2.2"],
  ["2.4.13", AAA, "Focus Appearance", "2.2"],
  ["2.5.1", A, "Pointer Gestures", "2.1"],
  ["2.5.2", A, "Pointer Cancellation", "2.1"],
  ["2.5.3", A, "Label in Name", "2.1"],
  ["2.5.4", A, "Motion Actuation", "2.1"],
  ["2.5.5", AAA, "Target Size (Enhanced)", "2.1"],
  ["2.5.6", AAA, "Concurrent Input Mechanisms", "2.1"],
  ["2.5.7", AA, "Dragging Movements", "2.2"],
  ["2.5.8", AA, "Target Size (Minimum)", "2.2"],
  ["3.1.1", A, "Language of Page"],
  ["3.1.2", AA, "Language of Parts"],
  ["3.1.3", AAA, "Unusual Words"],
  ["3.1.4", AAA, "Abbreviations"],
  ["3.1.5", AAA, "Reading Level"],
  ["3.1.6", AAA, "Pronunciation"],
  ["3.2.1", A, "On Focus"],
  ["3.2.2", A, "On Input"],
  ["3.2.3", AA, "Consistent Navigation"],
  ["3.2.4", AA, "Consistent Identification"],
  ["3.2.5", AAA, "Change on Request"],
  ["3.2.6", A, "Consistent Help", "2.2"],
  ["3.3.1", A, "Error Identification"],
  ["3.3.2", A, "Labels or Instructions"],
  ["3.3.3", AA, "Error Suggestion"],
  ["3.3.4", AA, "Error Prevention (Legal, Financial, Data)"],
  ["3.3.5", AAA, "Help"],
  ["3.3.6", AAA, "Error Prevention (All)"],
  ["3.3.7", A, "Redundant Entry", "2.2"],
  ["3.3.8", AA, "Accessible Authentication (Minimum)", "2.2"],
  ["3.3.9", AAA, "Accessible Authentication (Enhanced)", "2.2"],
  // WCAG 2.2 removed it, and the errata of 2.0 and 2.1 say that HTML always satisfies it.
  ["4.1.1", A, "Parsing (Obsolete and removed)"],
  ["4.1.2", A, "Name, Role, Value"],
  ["4.1.3", AA, "Status Messages", "2.1"],
];

/** By number, in the order of WCAG. */
export const successCriteria: ReadonlyMap<string, SuccessCriterion> = new Map(
  table.map(([number, level, title, since = "2.0"]) => [number, { number, title, level, since }]),
);

/** `wcag143` and `wcag1410` name criteria 1.4.3 and 1.4.10. */
const CRITERION_TAG = /^wcag(\d)(\d)(\d{1,2})$/;

/** The criterion that a tag of axe-core names. */
export function criterionOfTag(tag: string): SuccessCriterion | undefined {
  const [, principle, guideline, criterion] = CRITERION_TAG.exec(tag) ?? [];
  return successCriteria.get(`${principle}.${guideline}.${criterion}`);
}

/** The success criteria that a rule is about, by its tags, in the order of WCAG. */
export function successCriteriaOf(tags: readonly string[]): SuccessCriterion[] {
  const named = new Set(tags.map((tag) => criterionOfTag(tag)?.number));
  return [...successCriteria.values()].filter(({ number }) => named.has(number));
}

/** Where WCAG 2.2 explains a criterion: one page each, by its title. */
export function understandingUrl(criterion: SuccessCriterion): string {
  return `https://www.w3.org/WAI/WCAG22/Understanding/${anchorOf(criterion)}.html`;
}

/** The name of a criterion's section in WCAG 2.2, made of its title. */
export function anchorOf({ number, title }: Pick<SuccessCriterion, "number" | "title">): string {
  // The title of this criterion says that it was removed, but its section is older.
  const name = number === "4.1.1" ? "Parsing" : title;
  return name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-|-$/g, "");
}
