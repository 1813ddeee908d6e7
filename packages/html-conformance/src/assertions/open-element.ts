import type { Finding } from "../finding.ts";
import { type Element, HTML, type Node, SVG } from "../tree.ts";
import { ancestryInside, type RoleAncestry, rootAncestry } from "./aria/role-ancestry.ts";
import { marksOf, WITHIN_LABEL_FOR, WITHIN_LINK } from "./within.ts";

/** An element that the walk has entered, with the information from its ancestors. */
export type OpenElement = {
  readonly element: Element;
  /** The name of an HTML element; empty for SVG and MathML. */
  readonly name: string;
  readonly parent: OpenElement | undefined;
  /** Its place in document order. */
  readonly order: number;
  /** It is inside of a template's contents. */
  readonly inTemplate: boolean;
  /** Bits of `within.ts` for the HTML elements around it. */
  readonly within: number;
  /** The same for those inside of it. */
  readonly withinInside: number;
  /** What the roles around it mean for it. */
  readonly ancestry: RoleAncestry;
  /** The same for those inside of it. */
  readonly ancestryInside: RoleAncestry;
  /** The value of `role`, as it is written. */
  readonly role: string | undefined;
  /** The tokens of `role` in lower case. */
  readonly roles: readonly string[];
  /** Which of the attributes in `FLAGS` it has. */
  readonly flags: number;
  /** It has an `aria-*` attribute with a value, other than `aria-hidden`. */
  readonly hasAria: boolean;
  readonly id: string | undefined;
};

export type Problem = Pick<Finding, "rule" | "message" | "section" | "atEnd" | "place"> & {
  /** "error" where it is left out; "info" is a note, and no finding. */
  severity?: "warning" | "info";
  /** The name of the attribute that is meant. */
  attribute?: string;
  /** The value that was probably meant. */
  meant?: string | undefined;
};

/** Takes what is wrong with an element. */
export type ReportProblem = (open: OpenElement, problem: Problem) => void;

/** Checks a single element, by itself and its ancestors. */
export type ElementRule = (open: OpenElement, report: ReportProblem) => void;

/** Checks a whole document; created for each document. */
export type DocumentVisitor = {
  /** `open` and `close` are called for elements with these names only. */
  names?: readonly string[];
  /** It looks into the contents of templates, too. */
  inTemplates?: boolean;
  open?(open: OpenElement): void;
  text?(text: string, parent: OpenElement): void;
  close?(open: OpenElement): void;
  /** After the last element. */
  end?(): void;
};

/** What rules know of the document besides its elements. */
export type DocumentContext = {
  url: string;
  /** The errors of a document that an attribute contains; left out in such documents, which are not nested further. */
  errorsOf?: ((source: string) => readonly { rule: string; message: string }[]) | undefined;
};

export type DocumentRule = (report: ReportProblem, document: DocumentContext) => DocumentVisitor;

/** Bits for attributes that few elements have and many checks ask for: faster than searching the attributes. */
export const ARIA = 1;
export const ROLE = 2;
export const MICRODATA = 4;
export const HEADING_LEVEL = 8;
export const FOCUS = 16;
const FLAGS = new Map([
  ["role", ROLE],
  ["itemscope", MICRODATA],
  ["itemprop", MICRODATA],
  ["itemref", MICRODATA],
  ["itemid", MICRODATA],
  ["itemtype", MICRODATA],
  ["headingoffset", HEADING_LEVEL],
  ["headingreset", HEADING_LEVEL],
  ["autofocus", FOCUS],
  ["popover", FOCUS],
]);

const NO_ROLES: readonly string[] = [];
const WHITESPACE = /\s+/;

/** The frame of an element inside of another one. */
export function openElement(
  element: Element,
  parent: OpenElement | undefined,
  order: number,
  inTemplate: boolean,
): OpenElement {
  let role: string | undefined;
  let id: string | undefined;
  let hasAria = false;
  let flags = 0;
  for (const { name, value, prefix } of element.attrs) {
    if (prefix) continue;
    if (name === "role") role = value;
    else if (name === "id") id = value;
    if (name.startsWith("aria-")) {
      flags |= ARIA;
      if (value !== "" && name !== "aria-hidden") hasAria = true;
    } else flags |= FLAGS.get(name) ?? 0;
  }
  const trimmed = role?.trim().toLowerCase();
  const roles = trimmed ? trimmed.split(WHITESPACE) : NO_ROLES;
  const name = element.namespaceURI === HTML ? element.tagName : "";
  const within = parent ? parent.withinInside : 0;
  const ancestry = parent ? parent.ancestryInside : rootAncestry;
  return {
    element,
    name,
    parent,
    order,
    inTemplate,
    within,
    withinInside: within | marksOf(name) | conditionalMarks(element, name),
    ancestry,
    ancestryInside: ancestryInside(ancestry, name, role, roles),
    role,
    roles,
    flags,
    hasAria,
    id,
  };
}

function conditionalMarks({ attrs }: Element, name: string): number {
  if (name === "a") return attrs.some((one) => one.name === "href" && !one.prefix) ? WITHIN_LINK : 0;
  if (name === "label") return attrs.some((one) => one.name === "for") ? WITHIN_LABEL_FOR : 0;
  return 0;
}

/** The value of an attribute without a namespace. */
export function value(open: OpenElement, name: string): string | undefined {
  for (const attribute of open.element.attrs) if (attribute.name === name && !attribute.prefix) return attribute.value;
  return undefined;
}

export function has(open: OpenElement, name: string): boolean {
  return value(open, name) !== undefined;
}

/** True where the attribute has this value, whatever the case of its ASCII letters. */
export function is(open: OpenElement, name: string, expected: string): boolean {
  return value(open, name)?.toLowerCase() === expected;
}

export function isSvg(open: OpenElement): boolean {
  return open.element.namespaceURI === SVG;
}

/** The tokens of a list that is separated by spaces. */
export function tokens(list: string): string[] {
  return list.split(/[ \t\n\f\r]+/).filter(Boolean);
}

/** The text that stands directly in an element. */
export function ownText(open: OpenElement): string {
  let text = "";
  for (const node of childrenOf(open.element)) if ("value" in node) text += node.value;
  return text;
}

export function childrenOf(element: Element): readonly Node[] {
  return "content" in element ? (element.content as { childNodes: Node[] }).childNodes : element.childNodes;
}

/** True where a text is more than spaces between elements. */
export function hasWords(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code !== 32 && code !== 9 && code !== 10 && code !== 13) return true;
  }
  return false;
}

/** Names of elements as a list in words. */
export function elements(names: readonly string[]): string {
  return inWords(names.map((name) => `<${name}>`));
}

export function quoted(values: readonly string[]): string {
  return inWords(values.map((one) => `"${one}"`));
}

function inWords(items: readonly string[]): string {
  return items.length < 2 ? (items[0] ?? "") : `${items.slice(0, -1).join(", ")} or ${items.at(-1)}`;
}

/** A value as a message shows it. */
export function formatValue(text: string): string {
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}
