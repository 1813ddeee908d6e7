import type { Impact } from "../../checks/impacts.ts";
import { tagOfActRule } from "../findings/act-rules.ts";
import { type SuccessCriterion, successCriteria } from "../findings/success-criteria.ts";

type ActingRule = {
  /** What is wrong, as axe-core's help says what is right. */
  help: string;
  /** The success criterion of WCAG that it is about. */
  criterion: string;
  /** Ids of the ACT rules about the same thing. What it says need not be all that they ask for. */
  act?: readonly string[];
  impact: Impact;
  /** Whether what it finds may be an error; otherwise a person judges all of it. */
  canFail: boolean;
  /** axe-core's name of the category. */
  category:
    | "keyboard"
    | "time-and-media"
    | "sensory-and-visual-cues"
    | "language"
    | "name-role-value"
    | "text-alternatives"
    | "semantics";
  /** It is read of each page; others are acted on, on a few pages of each template. */
  isRead?: true;
  /** It compares the pages of a site, when all of them are checked. */
  isOfSite?: true;
};

/** How the names of these rules begin, and of no other's. */
export const RULE_PREFIX = "sv-";

const ofSite = { isRead: true, isOfSite: true } as const;

/** The rules that need somebody who acts. Their names are stable: findings of several reports are compared by them. */
export const actingRules = {
  "sv-keyboard-trap": {
    help: "The keyboard focus must be able to leave every part of the page",
    canFail: true,
    criterion: "2.1.2",
    act: ["80af7b", "ebe86a", "a1b64e"],
    impact: "critical",
    category: "keyboard",
  },
  "sv-focus-visible": {
    help: "The keyboard focus must be visible",
    canFail: true,
    criterion: "2.4.7",
    act: ["oj04fd"],
    impact: "serious",
    category: "keyboard",
  },
  "sv-focus-hidden": {
    help: "What has the keyboard focus should not be hidden by other content",
    canFail: false,
    criterion: "2.4.11",
    impact: "serious",
    category: "keyboard",
  },
  "sv-focus-context": {
    help: "The keyboard focus alone must not lead elsewhere",
    canFail: true,
    criterion: "3.2.1",
    impact: "serious",
    category: "keyboard",
  },
  "sv-input-context": {
    help: "A choice alone should not lead elsewhere",
    canFail: false,
    criterion: "3.2.2",
    impact: "serious",
    category: "keyboard",
  },
  "sv-character-keys": {
    help: "Single letters, digits and signs should not be shortcuts, unless they can be turned off",
    canFail: false,
    criterion: "2.1.4",
    act: ["ffbc54"],
    impact: "serious",
    category: "keyboard",
  },
  "sv-device-motion": {
    help: "What moving the device does should be possible otherwise, too, and be turned off",
    canFail: false,
    criterion: "2.5.4",
    act: ["c249d5", "7677a9"],
    impact: "moderate",
    category: "keyboard",
  },
  "sv-frame-name": {
    help: "Frames of one name should have the same content",
    canFail: false,
    criterion: "4.1.2",
    act: ["4b1c6c"],
    impact: "moderate",
    category: "name-role-value",
    isRead: true,
  },
  "sv-keyboard-unreachable": {
    help: "What can be clicked should be reachable by keyboard",
    canFail: false,
    criterion: "2.1.1",
    impact: "serious",
    category: "keyboard",
  },
  "sv-zoom-clips-text": {
    help: "Text must not be cut off when it is enlarged to 200 %",
    canFail: true,
    criterion: "1.4.4",
    act: ["59br37"],
    impact: "serious",
    category: "sensory-and-visual-cues",
  },
  "sv-reflow": {
    help: "Content should fit into a window of 320 CSS pixels",
    canFail: false,
    criterion: "1.4.10",
    impact: "moderate",
    category: "sensory-and-visual-cues",
  },
  "sv-moving-content": {
    help: "What moves by itself should be possible to pause, stop or hide",
    canFail: false,
    criterion: "2.2.2",
    act: ["efbfc7"],
    impact: "serious",
    category: "time-and-media",
  },
  "sv-link-purpose": {
    help: "Links should say where they lead",
    canFail: false,
    criterion: "2.4.4",
    act: ["5effbb", "fd3a94"],
    impact: "moderate",
    category: "name-role-value",
    isRead: true,
  },
  "sv-image-name": {
    help: "Text alternatives should say what images show or do",
    canFail: false,
    criterion: "1.1.1",
    act: ["qt1vmo"],
    impact: "serious",
    category: "text-alternatives",
    isRead: true,
  },
  "sv-heading-name": {
    help: "Headings and labels should describe what they are for",
    canFail: false,
    criterion: "2.4.6",
    act: ["b49b2e", "cc0f0a"],
    impact: "moderate",
    category: "name-role-value",
    isRead: true,
  },
  "sv-page-title": {
    help: "The title should say what the page is about",
    canFail: true,
    criterion: "2.4.2",
    act: ["c4a8a4"],
    impact: "moderate",
    category: "text-alternatives",
    isRead: true,
  },
  "sv-table-headers": {
    help: "Tables of data should have headers that say what their cells are",
    canFail: false,
    criterion: "1.3.1",
    impact: "serious",
    category: "semantics",
    isRead: true,
  },
  "sv-field-group": {
    help: "Fields that belong together should be a group with a name",
    canFail: false,
    criterion: "1.3.1",
    impact: "moderate",
    category: "semantics",
    isRead: true,
  },
  "sv-field-label": {
    help: "Fields should have labels of their own that stay",
    canFail: false,
    criterion: "3.3.2",
    impact: "serious",
    category: "name-role-value",
    isRead: true,
  },
  "sv-field-purpose": {
    help: "Fields for somebody's own data should say so to browsers",
    canFail: false,
    criterion: "1.3.5",
    impact: "moderate",
    category: "semantics",
    isRead: true,
  },
  "sv-heading-markup": {
    help: "What looks like a heading should be one",
    canFail: false,
    criterion: "1.3.1",
    impact: "moderate",
    category: "semantics",
    isRead: true,
  },
  "sv-list-markup": {
    help: "What looks like a list should be one",
    canFail: false,
    criterion: "1.3.1",
    impact: "moderate",
    category: "semantics",
    isRead: true,
  },
  "sv-generated-text": {
    help: "Text should be in the page, and not in its style sheets",
    canFail: false,
    criterion: "1.3.1",
    impact: "moderate",
    category: "semantics",
    isRead: true,
  },
  "sv-text-direction": {
    help: "Text must have the direction in which it is written",
    canFail: true,
    criterion: "1.3.2",
    impact: "serious",
    category: "semantics",
    isRead: true,
  },
  "sv-text-presentation": {
    help: "Long texts should be easy to read",
    canFail: false,
    criterion: "1.4.8",
    impact: "minor",
    category: "sensory-and-visual-cues",
    isRead: true,
  },
  "sv-transcript": {
    help: "Recordings should have a text beside them",
    canFail: false,
    criterion: "1.2.1",
    impact: "serious",
    category: "time-and-media",
    isRead: true,
  },
  "sv-captions": {
    help: "Films in players should have captions",
    canFail: false,
    criterion: "1.2.2",
    impact: "serious",
    category: "time-and-media",
    isRead: true,
  },
  "sv-skip-link": {
    help: "A link that skips to the content must lead there",
    canFail: true,
    criterion: "2.4.1",
    impact: "moderate",
    category: "keyboard",
    isRead: true,
  },
  "sv-focus-removed": {
    help: "What gets the keyboard focus must keep it",
    canFail: true,
    criterion: "2.1.1",
    impact: "critical",
    category: "keyboard",
    isRead: true,
  },
  "sv-scripted-element": {
    help: "What a click does something with should be a control",
    canFail: false,
    criterion: "4.1.2",
    impact: "serious",
    category: "name-role-value",
    isRead: true,
  },
  "sv-scripted-link": {
    help: "What does something on the page should be a button, and no link",
    canFail: false,
    criterion: "4.1.2",
    impact: "moderate",
    category: "name-role-value",
    isRead: true,
  },
  "sv-new-window": {
    help: "Links that open a new window should say so",
    canFail: false,
    criterion: "3.2.5",
    impact: "minor",
    category: "name-role-value",
    isRead: true,
  },
  "sv-document-link": {
    help: "Links to documents should say of which kind they are",
    canFail: false,
    criterion: "2.4.4",
    impact: "minor",
    category: "name-role-value",
    isRead: true,
  },
  "sv-adjacent-links": {
    help: "Links beside each other should not lead to one place",
    canFail: false,
    criterion: "2.4.4",
    impact: "minor",
    category: "name-role-value",
    isRead: true,
  },
  "sv-button-keys": {
    help: "What says that it is a button must be pressed by the space bar and by Enter",
    canFail: true,
    criterion: "2.1.1",
    impact: "serious",
    category: "keyboard",
  },
  "sv-dialog-focus": {
    help: "The keyboard focus must go into a dialog that opens, and come back from it",
    canFail: true,
    criterion: "2.4.3",
    impact: "serious",
    category: "keyboard",
  },
  "sv-hover-only": {
    help: "What a mouse shows by pointing should be shown by the keyboard, too",
    canFail: false,
    criterion: "2.1.1",
    impact: "serious",
    category: "keyboard",
  },
  "sv-blank-markup": {
    help: "Paragraphs and words should not be made by blanks and empty lines",
    canFail: false,
    criterion: "1.3.1",
    impact: "minor",
    category: "semantics",
    isRead: true,
  },
  "sv-section-headings": {
    help: "Long texts should have headings",
    canFail: false,
    criterion: "2.4.10",
    impact: "minor",
    category: "semantics",
    isRead: true,
  },
  "sv-sensory-words": {
    help: "Nothing should be told by its place or shape alone",
    canFail: false,
    criterion: "1.3.3",
    impact: "moderate",
    category: "sensory-and-visual-cues",
    isRead: true,
  },
  "sv-colour-words": {
    help: "Nothing should be told by its colour alone",
    canFail: false,
    criterion: "1.4.1",
    impact: "serious",
    category: "sensory-and-visual-cues",
    isRead: true,
  },
  "sv-placeholder-contrast": {
    help: "Placeholders must have enough contrast",
    canFail: true,
    criterion: "1.4.3",
    impact: "serious",
    category: "sensory-and-visual-cues",
    isRead: true,
  },
  "sv-hover-contrast": {
    help: "Text must have enough contrast while a mouse points at it",
    canFail: true,
    criterion: "1.4.3",
    impact: "serious",
    category: "sensory-and-visual-cues",
  },
  "sv-control-contrast": {
    help: "Fields should be told from what is around them",
    canFail: false,
    criterion: "1.4.11",
    impact: "moderate",
    category: "sensory-and-visual-cues",
    isRead: true,
  },
  "sv-drag-only": {
    help: "What is dragged should be possible to move otherwise",
    canFail: false,
    criterion: "2.5.7",
    impact: "moderate",
    category: "keyboard",
    isRead: true,
  },
  "sv-down-event": {
    help: "What is pressed should act when it is released",
    canFail: false,
    criterion: "2.5.2",
    impact: "moderate",
    category: "keyboard",
    isRead: true,
  },
  "sv-flashing": {
    help: "Nothing should flash more than three times a second",
    canFail: false,
    criterion: "2.3.1",
    impact: "critical",
    category: "time-and-media",
    isRead: true,
  },
  "sv-field-message": {
    help: "What is said of a field should belong to it",
    canFail: false,
    criterion: "1.3.1",
    impact: "serious",
    category: "semantics",
    isRead: true,
  },
  "sv-field-error": {
    help: "What a page says is wrong with a field should belong to the field",
    canFail: false,
    criterion: "3.3.1",
    impact: "serious",
    category: "semantics",
  },
  "sv-widget-keys": {
    help: "What says that it is a control must react to the keys of its kind",
    canFail: true,
    criterion: "2.1.1",
    impact: "serious",
    category: "keyboard",
  },
  "sv-focus-order": {
    help: "The keyboard focus should go in the order in which the page is read",
    canFail: false,
    criterion: "2.4.3",
    impact: "moderate",
    category: "keyboard",
  },
  "sv-button-state": {
    help: "What a button opens should be told by its role and state",
    canFail: false,
    criterion: "4.1.2",
    impact: "moderate",
    category: "name-role-value",
  },
  "sv-status-message": {
    help: "Messages that come should be announced",
    canFail: false,
    criterion: "4.1.3",
    impact: "moderate",
    category: "name-role-value",
  },
  "sv-message-time": {
    help: "Messages should stay until they are read",
    canFail: false,
    criterion: "2.2.1",
    impact: "serious",
    category: "time-and-media",
  },
  "sv-hover-content": {
    help: "What pointing or the focus shows should be possible to dismiss and to point at",
    canFail: false,
    criterion: "1.4.13",
    impact: "moderate",
    category: "sensory-and-visual-cues",
  },
  "sv-same-title": {
    help: "Pages that differ should have different titles",
    canFail: false,
    criterion: "2.4.2",
    impact: "moderate",
    category: "text-alternatives",
    ...ofSite,
  },
  "sv-navigation-order": {
    help: "Navigation should be in the same order on each page",
    canFail: false,
    criterion: "3.2.3",
    impact: "moderate",
    category: "semantics",
    ...ofSite,
  },
  "sv-same-function": {
    help: "The same function should have the same name on each page",
    canFail: false,
    criterion: "3.2.4",
    impact: "moderate",
    category: "semantics",
    ...ofSite,
  },
  "sv-help-place": {
    help: "Help should be in the same place on each page",
    canFail: false,
    criterion: "3.2.6",
    impact: "moderate",
    category: "semantics",
    ...ofSite,
  },
  "sv-one-way": {
    help: "There should be more than one way to each page",
    canFail: false,
    criterion: "2.4.5",
    impact: "minor",
    category: "keyboard",
    ...ofSite,
  },
  "sv-page-language": {
    help: "The language of the page must be the one that its lang says",
    canFail: true,
    criterion: "3.1.1",
    act: ["ucwvc8"],
    impact: "serious",
    category: "language",
    isRead: true,
  },
  "sv-part-language": {
    help: "Texts in another language should say which one it is",
    canFail: false,
    criterion: "3.1.2",
    act: ["off6ek"],
    impact: "moderate",
    category: "language",
    isRead: true,
  },
  "sv-audio-control": {
    help: "Sound that plays by itself must be possible to stop",
    canFail: true,
    criterion: "1.4.2",
    act: ["80f0bf", "aaa1bf", "4c31df"],
    impact: "serious",
    category: "time-and-media",
  },
  "sv-spacing-clips-text": {
    help: "Text should not be cut off when its spacing is increased",
    canFail: false,
    criterion: "1.4.12",
    impact: "moderate",
    category: "sensory-and-visual-cues",
  },
} as const satisfies Record<`${typeof RULE_PREFIX}${string}`, ActingRule>;

/**
 * Rules of axe-core that are off by default, and run in reports that act. A person judges all that they find: a small target may have an
 * equal one elsewhere, and what looks like a heading need not be one.
 */
export const axeRulesOfActing: Readonly<Record<string, Pick<ActingRule, "criterion" | "canFail">>> = {
  "target-size": { criterion: "2.5.8", canFail: false },
  "p-as-heading": { criterion: "1.3.1", canFail: false },
};

export type ActingRuleName = keyof typeof actingRules;

/** Rules that need to act on a page, so that they say nothing of a page that was left out. */
export const rulesByActing = (Object.keys(actingRules) as ActingRuleName[]).filter(
  (name) => !("isRead" in actingRules[name]),
);

/** Rules that compare the pages of a site. */
export type SiteRuleName = {
  [Name in ActingRuleName]: (typeof actingRules)[Name] extends { isOfSite: true } ? Name : never;
}[ActingRuleName];
export const siteRules = (Object.keys(actingRules) as ActingRuleName[]).filter(
  (name): name is SiteRuleName => "isOfSite" in actingRules[name],
);

/** Changes with what these rules find: reports of different versions are compared as those of different engines. */
export const ACTING_VERSION = 6;

export function criterionOfRule(name: ActingRuleName): SuccessCriterion {
  const criterion = successCriteria.get(actingRules[name].criterion);
  if (!criterion) throw new Error(`${name} is about ${actingRules[name].criterion}, which is no success criterion.`);
  return criterion;
}

/** The tags by which axe-core's rules are sorted, too: of category, standard and criterion. */
export function tagsOfRule(name: ActingRuleName): string[] {
  const { number, level, since } = criterionOfRule(name);
  const version = since === "2.0" ? "2" : since.replace(".", "");
  const { act = [] }: ActingRule = actingRules[name];
  return [
    `cat.${actingRules[name].category}`,
    `wcag${version}${level.toLowerCase()}`,
    `wcag${number.replaceAll(".", "")}`,
    ...act.map(tagOfActRule),
  ];
}
