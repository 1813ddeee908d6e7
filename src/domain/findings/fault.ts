import { digest } from "../identity/digest.ts";
import type { ElementKey } from "../identity/element-key.ts";

/** What rules of several engines are about: findings of them about the same element are one fault. */
export type Topic = {
  /** The success criterion of WCAG that a fault fails; null for one that fails none. */
  criterion: string | null;
  /** The ACT rules (https://www.w3.org/WAI/standards-guidelines/act/rules/) that its accessibility rules implement. */
  act: readonly string[];
  /** true: a document has it once, whatever element an engine names. */
  isOfDocument?: true;
  /** The rules of each kind, by their engines' names. */
  a11y: readonly string[];
  html: readonly string[];
};

/** By name. A rule is in one topic, and the rules of a topic agree on which element they report. */
export const topics = {
  "text-alternative": {
    ...{ criterion: "1.1.1", act: ["23a2a8", "59796f", "7d6734", "8fc3b6", "c487ae"] },
    a11y: ["area-alt", "image-alt", "input-image-alt", "object-alt", "role-img-alt", "svg-img-alt"],
    html: ["area-alt", "img/alt", "missing-attribute/alt", "wcag/h36", "wcag/h37"],
  },
  "page-language": {
    ...{ criterion: "3.1.1", act: ["b5c3f8"], isOfDocument: true },
    a11y: ["html-has-lang"],
    html: ["missing-lang"],
  },
  "value-of-lang": {
    ...{ criterion: "3.1.1", act: ["bf051a", "de46e4"] },
    a11y: ["html-lang-valid", "valid-lang"],
    html: ["bad-value/lang"],
  },
  "languages-of-page": {
    ...{ criterion: "3.1.1", act: ["5b7ae0"], isOfDocument: true },
    a11y: ["html-xml-lang-mismatch"],
    html: ["global/xml:lang"],
  },
  "page-title": {
    ...{ criterion: "2.4.2", act: ["2779a5"], isOfDocument: true },
    a11y: ["document-title"],
    html: ["empty-text/title", "empty-title", "missing-child/title"],
  },
  zoom: {
    ...{ criterion: "1.4.4", act: ["b4f0c3"], isOfDocument: true },
    a11y: ["meta-viewport"],
    html: ["meta/viewport"],
  },
  "input-purpose": {
    ...{ criterion: "1.3.5", act: ["73f2c2"] },
    a11y: ["autocomplete-valid"],
    html: ["bad-value/autocomplete", "valid-autocomplete"],
  },
  role: {
    ...{ criterion: "4.1.2", act: ["674b10"] },
    a11y: ["aria-roles"],
    html: ["bad-value/role", "no-abstract-role", "unknown-role"],
  },
  "naming-prohibited": {
    ...{ criterion: "4.1.2", act: ["5c01ea"] },
    a11y: ["aria-prohibited-attr"],
    html: ["aria-label-misuse", "naming-prohibited"],
  },
  "context-of-role": {
    ...{ criterion: "1.3.1", act: ["ff89c9"] },
    a11y: ["aria-required-parent"],
    html: ["role-context"],
  },
  "role-without-effect": {
    ...{ criterion: null, act: ["46ca7f"] },
    a11y: ["presentation-role-conflict"],
    html: ["presentation-without-effect"],
  },
  "empty-heading": {
    ...{ criterion: null, act: ["ffd0e9"] },
    a11y: ["empty-heading"],
    html: ["empty-heading"],
  },
  "level-of-heading": { ...{ criterion: null, act: [] }, a11y: ["heading-order"], html: ["heading-level-skipped"] },
  "heading-of-page": {
    ...{ criterion: null, act: [], isOfDocument: true },
    a11y: ["page-has-heading-one"],
    html: ["heading-level-one"],
  },
  "main-once": {
    ...{ criterion: null, act: [], isOfDocument: true },
    a11y: ["landmark-no-duplicate-main"],
    html: ["main-not-unique", "main-not-unique/role", "no-multiple-main"],
  },
  "moving-text": {
    ...{ criterion: "2.2.2", act: [] },
    a11y: ["blink", "marquee"],
    html: ["deprecated", "obsolete-element"],
  },
} as const satisfies Record<string, Topic>;

const topicsOfRules = new Map<string, { name: string; topic: Topic }>(
  Object.entries<Topic>(topics).flatMap(([name, topic]) =>
    (["a11y", "html"] as const).flatMap((kind) =>
      topic[kind].map((rule) => [`${kind} ${rule}`, { name, topic }] as const),
    ),
  ),
);

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
