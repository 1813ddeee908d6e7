import { digest } from "../identity/digest.ts";
import type { ElementKey } from "../identity/element-key.ts";

/** What rules of several engines are about: findings of them about the same element are one fault. */
export type Topic = {
  /** What people call it where rules with several names are in it. */
  title: string;
  /** The success criterion of WCAG that a fault fails; null for one that fails none. */
  criterion: string | null;
  /** The ACT rules (https://www.w3.org/WAI/standards-guidelines/act/rules/) that its accessibility rules implement. */
  act: readonly string[];
  /** true: a document has it once, whatever element an engine names. */
  isOfDocument?: true;
  /** The rules of each kind, by their engines' names. */
  a11y: readonly string[];
  html: readonly string[];
  /** Those of these rules that are about other things, too: only their findings of the same element are of the topic. */
  wider?: readonly string[];
};

/** By name. A rule is in one topic, and the rules of a topic agree on which element they report. */
export const topics = {
  "text-alternative": {
    title: "An image, or what acts as one, has no text alternative",
    ...{ criterion: "1.1.1", act: ["23a2a8", "59796f", "7d6734", "8fc3b6", "c487ae"] },
    a11y: ["area-alt", "image-alt", "input-image-alt", "object-alt", "role-img-alt", "svg-img-alt"],
    html: ["area-alt", "img/alt", "missing-attribute/alt", "wcag/h36", "wcag/h37"],
  },
  "page-language": {
    title: "The language of the page is not declared",
    ...{ criterion: "3.1.1", act: ["b5c3f8"], isOfDocument: true },
    a11y: ["html-has-lang"],
    html: ["missing-lang"],
  },
  "value-of-lang": {
    title: "A language is not a valid tag",
    ...{ criterion: "3.1.1", act: ["bf051a", "de46e4"] },
    a11y: ["html-lang-valid", "valid-lang"],
    html: ["bad-value/lang"],
  },
  "languages-of-page": {
    title: "Two attributes name different languages of the page",
    ...{ criterion: "3.1.1", act: ["5b7ae0"], isOfDocument: true },
    a11y: ["html-xml-lang-mismatch"],
    html: ["global/xml:lang"],
  },
  "page-title": {
    title: "The page has no title",
    ...{ criterion: "2.4.2", act: ["2779a5"], isOfDocument: true },
    a11y: ["document-title"],
    html: ["empty-text/title", "empty-title", "missing-child/title"],
  },
  zoom: {
    title: "The page cannot be enlarged",
    ...{ criterion: "1.4.4", act: ["b4f0c3"], isOfDocument: true },
    a11y: ["meta-viewport"],
    html: ["meta/viewport"],
  },
  "input-purpose": {
    title: "The value of autocomplete is not valid",
    ...{ criterion: "1.3.5", act: ["73f2c2"] },
    a11y: ["autocomplete-valid"],
    html: ["bad-value/autocomplete", "valid-autocomplete"],
  },
  role: {
    title: "A role does not exist",
    ...{ criterion: "4.1.2", act: ["674b10"] },
    a11y: ["aria-roles"],
    html: ["bad-value/role", "no-abstract-role", "unknown-role"],
  },
  "naming-prohibited": {
    title: "A name is given to an element that cannot have one",
    ...{ criterion: "4.1.2", act: ["5c01ea"] },
    a11y: ["aria-prohibited-attr"],
    html: ["aria-label-misuse", "naming-prohibited"],
  },
  "context-of-role": {
    title: "A role is outside of what it belongs to",
    ...{ criterion: "1.3.1", act: ["ff89c9"] },
    a11y: ["aria-required-parent"],
    html: ["role-context"],
  },
  "role-without-effect": {
    title: "An element is declared as decoration, and yet is not",
    ...{ criterion: null, act: ["46ca7f"] },
    a11y: ["presentation-role-conflict"],
    html: ["presentation-without-effect"],
  },
  "empty-heading": {
    title: "A heading is empty",
    ...{ criterion: null, act: ["ffd0e9"] },
    a11y: ["empty-heading"],
    html: ["empty-heading"],
  },
  "level-of-heading": {
    title: "A level of headings is skipped",
    ...{ criterion: null, act: [] },
    a11y: ["heading-order"],
    html: ["heading-level-skipped"],
  },
  "heading-of-page": {
    title: "The page has no heading of the first level",
    ...{ criterion: null, act: [], isOfDocument: true },
    a11y: ["page-has-heading-one"],
    html: ["heading-level-one"],
  },
  "main-once": {
    title: "The page has more than one main content",
    ...{ criterion: null, act: [], isOfDocument: true },
    a11y: ["landmark-no-duplicate-main"],
    html: ["main-not-unique", "main-not-unique/role", "no-multiple-main"],
  },
  "moving-text": {
    title: "Text moves or blinks",
    ...{ criterion: "2.2.2", act: [] },
    a11y: ["blink", "marquee"],
    html: ["deprecated", "obsolete-element"],
    wider: ["deprecated", "obsolete-element"],
  },
} as const satisfies Record<string, Topic>;

export type TopicName = keyof typeof topics;

const topicsOfRules = new Map<string, { name: string; topic: Topic }>(
  Object.entries<Topic>(topics).flatMap(([name, topic]) =>
    (["a11y", "html"] as const).flatMap((kind) =>
      topic[kind].map((rule) => [`${kind} ${rule}`, { name, topic }] as const),
    ),
  ),
);

/** The rules with the name of the topic that each is wholly about, whatever element it reports. */
export const rulesByTopic: readonly { kind: "a11y" | "html"; rule: string; topic: TopicName }[] = (
  Object.entries(topics) as [TopicName, Topic][]
).flatMap(([topic, of]) =>
  (["a11y", "html"] as const).flatMap((kind) =>
    of[kind].filter((rule) => !of.wider?.includes(rule)).map((rule) => ({ kind, rule, topic })),
  ),
);

/**
 * What people call rules that are listed as one: their title where they share it, else that of their topic.
 *
 * @param titles of the rules, the one with the most elements first
 * @param topic null for a rule that is alone
 */
export function titleOfTopic(titles: readonly string[], topic: TopicName | null): string {
  const [first = ""] = titles;
  return topic === null || new Set(titles).size === 1 ? first : topics[topic].title;
}

/**
 * What findings of equivalent rules about the same element of a page share; null for a rule without equivalents, whose
 * fingerprint says it alone.
 *
 * @param finding.page of `pageKey`
 */
export function faultOf(finding: {
  kind: string;
  rule: string;
  page: string;
  element: ElementKey | null;
}): string | null {
  const found = topicsOfRules.get(`${finding.kind} ${finding.rule}`);
  if (!found) return null;
  const element = found.topic.isOfDocument ? null : finding.element;
  return digest(["fault", found.name, finding.page, element?.tag ?? "", element?.path ?? ""]);
}
