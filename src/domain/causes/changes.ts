import { topics } from "../findings/fault.ts";
import type { CheckKind } from "../findings/findings.ts";

/** How a fault is mended in a copy of its page, to see what that removes. Values stand for what only people can write. */
export type Fix =
  /** Attributes with values for the element; null takes one away. `by` its name, if not all elements get the same. */
  | {
      kind: "attributes";
      set: Readonly<Record<string, string | null>>;
      by?: Readonly<Record<string, Record<string, string>>>;
      /** Whose attributes: the element's own, or those of the element around it. */
      on?: "parent";
    }
  /** The attribute goes from all but one of the elements that have the same value. */
  | { kind: "unique"; attribute: string }
  /** Another element in its place, with a style, and without attributes that only the old one has. */
  | { kind: "element"; names: Readonly<Record<string, { name: string; style?: string; without?: readonly string[] }>> }
  /** The attribute that the message names goes; CSS takes its place. */
  | { kind: "remove_attribute" }
  /** The level that the message allows. */
  | { kind: "heading" }
  /** An id that no other element has. */
  | { kind: "id" }
  /** The attribute that the message names is given. */
  | { kind: "missing_attribute" }
  /** The value of an address or id without the characters that it must not have. */
  | { kind: "encode"; attribute: string }
  /** What is missing at the end of the place. */
  | { kind: "append"; text: string }
  /** The place is superfluous. */
  | { kind: "remove" }
  /** The document has the doctype of HTML. */
  | { kind: "doctype" }
  /** The colour gets darker or lighter until the contrast suffices. */
  | { kind: "colour" }
  /** What is in no landmark becomes the main one; where there is one, it gets a section of its own, with a name. */
  | { kind: "main" }
  /** The first heading is of the first level. */
  | { kind: "first_heading" }
  /** A term at the end of a list gets a description. */
  | { kind: "description" };

/** What is changed once for all findings of these rules. */
export type Change = {
  /** Engines' names of the rules of each kind. */
  a11y: readonly string[];
  html: readonly string[];
  /** What has one change: elements of one shape, all pages together, or all uses of a colour. */
  of: "shape" | "document" | "colour";
  /** undefined where only people know what is right. */
  fix?: Fix;
};

const TEXT = "Text alternative";
const NAME = "Name";

const own = {
  name: {
    ...{
      of: "shape",
      html: [],
      fix: { kind: "attributes", set: { "aria-label": NAME }, by: { iframe: { title: NAME }, frame: { title: NAME } } },
    },
    a11y: [
      ...["aria-command-name", "aria-dialog-name", "aria-meter-name", "aria-progressbar-name", "aria-tooltip-name"],
      ...["aria-treeitem-name", "button-name", "frame-title", "input-button-name", "link-name", "summary-name"],
    ],
  },
  label: {
    ...{ of: "shape", html: [], fix: { kind: "attributes", set: { "aria-label": NAME } } },
    a11y: ["aria-input-field-name", "aria-toggle-field-name", "label", "label-title-only", "select-name"],
  },
  contrast: {
    ...{ of: "colour", html: [], fix: { kind: "colour" } },
    a11y: ["color-contrast", "color-contrast-enhanced"],
  },
  landmark: { of: "document", html: [], a11y: ["bypass", "landmark-one-main", "region"], fix: { kind: "main" } },
  "duplicate-id": {
    ...{ of: "shape", fix: { kind: "id" } },
    a11y: ["duplicate-id", "duplicate-id-active", "duplicate-id-aria"],
    html: ["duplicate-id", "no-dup-id"],
  },
  "description-list": {
    ...{ of: "shape", a11y: ["definition-list", "dlitem"], fix: { kind: "description" } },
    html: ["dl-div-role", "missing-child/dd", "missing-child/dt"],
  },
  "obsolete-attribute": {
    ...{ of: "shape", a11y: [], fix: { kind: "remove_attribute" } },
    html: ["no-deprecated-attr", "obsolete-attribute"],
  },
  "character-reference": {
    ...{ of: "shape", a11y: [], fix: { kind: "append", text: ";" } },
    html: ["parse/missing-semicolon-after-character-reference"],
  },
} as const satisfies Record<string, Change>;

/** The fixes of faults that several engines report (../findings/fault.ts). */
const fixes: Partial<Record<keyof typeof topics, Fix>> = {
  "text-alternative": {
    ...{ kind: "attributes", set: { alt: TEXT } },
    by: {
      svg: { "aria-label": TEXT },
      object: { "aria-label": TEXT },
      div: { "aria-label": TEXT },
      span: { "aria-label": TEXT },
    },
  },
  "page-language": { kind: "attributes", set: { lang: "en" } },
  "value-of-lang": { kind: "attributes", set: { lang: "en" } },
  zoom: { kind: "attributes", set: { content: "width=device-width" } },
  role: { kind: "attributes", set: { role: null } },
  "naming-prohibited": { kind: "attributes", set: { "aria-label": null, "aria-labelledby": null } },
  "role-without-effect": { kind: "attributes", set: { role: null } },
  "level-of-heading": { kind: "heading" },
  "heading-of-page": { kind: "first_heading" },
  "moving-text": {
    kind: "element",
    names: {
      acronym: { name: "abbr" },
      big: { name: "span", style: "font-size: larger" },
      blink: { name: "span" },
      center: { name: "div", style: "text-align: center" },
      dir: { name: "ul", without: ["compact"] },
      font: { name: "span", without: ["color", "face", "size"] },
      marquee: {
        name: "div",
        without: [
          ...["behavior", "bgcolor", "direction", "height", "hspace", "loop", "scrollamount", "scrolldelay"],
          ...["truespeed", "vspace", "width"],
        ],
      },
      nobr: { name: "span", style: "white-space: nowrap" },
      strike: { name: "s" },
      tt: { name: "code" },
    },
  },
};

const shared = Object.fromEntries(
  Object.entries(topics).map(([name, topic]): [string, Change] => {
    const { a11y, html } = topic;
    const fix = fixes[name as keyof typeof topics];
    return [name, { a11y, html, of: "isOfDocument" in topic ? "document" : "shape", ...(fix && { fix }) }];
  }),
);

/** By name. A rule is in one of them at most. */
export const changes: Readonly<Record<string, Change>> = { ...shared, ...own };

const changesOfRules = new Map<string, { name: string; change: Change }>(
  Object.entries(changes).flatMap(([name, change]) =>
    (["a11y", "html"] as const).flatMap((kind) =>
      change[kind].map((rule) => [`${kind} ${rule}`, { name, change }] as const),
    ),
  ),
);

/** How findings of other rules are mended, by name or by the part before the slash. */
const fixesOfRules: Readonly<Record<string, Fix>> = {
  accesskeys: { kind: "unique", attribute: "accesskey" },
  "aria-allowed-role": { kind: "attributes", set: { role: null } },
  "aria-not-needed": { kind: "remove_attribute" },
  // A list that is declared as something else, of which its items are no parts.
  "aria-required-children": { kind: "attributes", set: { role: null } },
  "attribute-not-allowed": { kind: "remove_attribute" },
  "bad-value/action": { kind: "encode", attribute: "action" },
  "bad-value/height": { kind: "remove_attribute" },
  "bad-value/href": { kind: "encode", attribute: "href" },
  "bad-value/id": { kind: "encode", attribute: "id" },
  "bad-value/src": { kind: "encode", attribute: "src" },
  "bad-value/width": { kind: "remove_attribute" },
  "bad-value/xmlns": { kind: "remove_attribute" },
  "empty-table-header": { kind: "attributes", set: { role: "cell" } },
  "li-role": { kind: "attributes", set: { role: null } },
  listitem: { kind: "attributes", set: { role: null }, on: "parent" },
  "meta/encoding-not-unique": { kind: "remove" },
  "missing-attribute": { kind: "missing_attribute" },
  "parse/disallowed-processing-instruction-target": { kind: "remove" },
  "parse/legacy-compat-doctype": { kind: "doctype" },
  "parse/missing-doctype": { kind: "doctype" },
  "parse/obsolete-doctype": { kind: "doctype" },
  "parse/quirks-mode-doctype": { kind: "doctype" },
  "parse/stray-end-tag": { kind: "remove" },
  "redundant-role": { kind: "attributes", set: { role: null } },
  "scrollable-region-focusable": { kind: "attributes", set: { tabindex: "0" } },
};

/** The change that mends findings of a rule; each rule that is named in none has one of its own. */
export function changeOf(kind: CheckKind, rule: string): { name: string; change: Pick<Change, "of" | "fix"> } {
  const family = rule.split("/")[0] ?? "";
  const known = changesOfRules.get(`${kind} ${rule}`) ?? changesOfRules.get(`${kind} ${family}`);
  if (known) return known;
  const fix = kind === "links" ? undefined : (fixesOfRules[rule] ?? fixesOfRules[family]);
  return {
    name: `${kind} ${rule}`,
    change: { of: fix?.kind === "doctype" ? "document" : "shape", ...(fix && { fix }) },
  };
}

/** True for a change that findings of several kinds ask for. */
export function isShared(name: string): boolean {
  const change = changes[name];
  return change !== undefined && change.a11y.length > 0 && change.html.length > 0;
}
