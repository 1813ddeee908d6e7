import { checkAttributes, createAttributeRules } from "./attributes.ts";
import { type Finding, htmlSection, type Report } from "./finding.ts";
import { createDerivatives } from "./grammar/derivative.ts";
import { allowedValues, createChildren, createParents, listNames, requiredNames } from "./grammar/expectations.ts";
import { createNames, forEachPattern } from "./grammar/names.ts";
import type { Grammar, Pattern } from "./grammar/pattern.ts";
import type { DatatypeProblem } from "./grammar/value.ts";
import { near } from "./messages/near.ts";
import { attributeSection, sectionOf } from "./sections.ts";
import {
  type Attribute,
  type Document,
  type Element,
  HTML,
  isElement,
  isHtml,
  MATHML,
  type Node,
  SVG,
} from "./tree.ts";

/** In the grammar, names with a hyphen are elements of a namespace of their own. */
const CUSTOM_ELEMENTS = "http://n.validator.nu/custom-elements/";
const MORE_THAN_SPACE = /[^ \t\n\r\f]/;

/** The most patterns that are kept: usual pages need some thousands, hostile ones any number. */
const MAX_PATTERNS = 200_000;

/**
 * An open element. `content` is what may follow in it. `outers` is what may follow its end in its parent. Where
 * several ways are open, each is in `content`, followed by a mark in place of what is in `outers`: the patterns
 * stay as small as the content of one element, however deep it is.
 */
type Frame = {
  element: Element;
  children: readonly Node[];
  next: number;
  content: Pattern;
  outers: readonly Pattern[];
};

/**
 * Compares a document with a grammar: which elements, attributes and text are allowed where. After an
 * error it continues as the Nu checker does: it skips the subtree of an element that is not allowed,
 * leaves out an attribute that is not allowed, and assumes that what is missing is there.
 */
export function createContentCheck(grammar: Grammar, problem: DatatypeProblem, warning: DatatypeProblem) {
  const { patterns } = grammar;
  const { notAllowed } = patterns;
  const names = createNames(grammar);
  const derive = createDerivatives(grammar, names);
  const parentsOf = createParents(grammar);
  const childNames = createChildren(grammar);
  const childrenOf = (parent: Element["parentNode"]): readonly string[] =>
    parent && isElement(parent) ? childNames(parent.namespaceURI, parent.tagName) : [];
  const attributeRules = createAttributeRules(grammar, names, derive, problem, warning);
  patterns.keep();

  const forgetWhenFull = (): void => {
    if (patterns.size < MAX_PATTERNS) return;
    patterns.forget();
    derive.forget();
    attributeRules.sets.forget();
  };

  /** What may follow an element's start tag. If the element is not allowed here, reports that and returns undefined. */
  const open = (pattern: Pattern, element: Element, report: Report): Pattern | undefined => {
    const { tagName: name, namespaceURI } = element;
    const namespace = namespaceURI === HTML && name.includes("-") ? CUSTOM_ELEMENTS : namespaceURI;
    const number = names.numberOf(namespace, name);
    let opened = derive.openTag(pattern, number);
    if (opened === notAllowed) {
      opened = derive.openTag(pattern, number, true);
      if (opened === notAllowed) {
        report(elementNotAllowed(element, parentsOf(namespace, name), childrenOf(element.parentNode)));
        return undefined;
      }
      report(missingBefore(element, requiredNames(grammar, pattern, "element")));
    }
    const withAttributes = checkAttributes(attributeRules, opened, element, report);
    const closed = derive.closeTag(withAttributes);
    if (closed !== notAllowed) return closed;
    const missing = requiredNames(grammar, withAttributes, "attribute");
    const isOfOther = needsOther(missing, element);
    const culprit = element.attrs.length <= (isOfOther ? MAX_ATTRIBUTES : 10) ? culpritOf(opened, element) : undefined;
    if (culprit && isOfOther) report(attributeOutOfPlace(element, culprit, missing.flat(), withAttributes));
    else if (!isMistyped(element, missing)) report(attributeMissing(element, missing, culprit));
    return derive.closeTag(withAttributes, true);
  };

  /** The attribute without which nothing would be missing: it is what is wrong, not what it would need. */
  const culpritOf = (opened: Pattern, element: Element): Attribute | undefined =>
    element.attrs.find((one) => {
      const others = { ...element, attrs: element.attrs.filter((other) => other !== one) };
      return derive.closeTag(checkAttributes(attributeRules, opened, others, () => {})) !== notAllowed;
    });

  /** True where a missing attribute is there with a mistyped name, which is reported. */
  const isMistyped = (element: Element, missing: readonly string[][]): boolean =>
    missing.some((names) =>
      names.some(
        (name) =>
          near(
            name,
            element.attrs.map((one) => one.name),
          ) !== undefined,
      ),
    );

  /** Stands for one of the `outers` of a frame. */
  const mark = (index: number): Pattern =>
    patterns.value({ library: "", name: "outer", parameters: [] }, String(index));

  const frameOf = (element: Element, inside: Pattern): Frame => {
    // A template's contents are another document's; the grammar sees an empty element.
    const children = element.tagName === "template" && isHtml(element) ? [] : element.childNodes;
    const ways = inside.kind === "choice" ? inside.children : [inside];
    const afters = ways.flatMap((way) => (way.kind === "after" ? [way] : []));
    const [only] = afters;
    const frame = { element, children, next: 0, outers: afters.map(({ outer }) => outer) };
    if (only && afters.length === 1) return { ...frame, content: only.inner };
    return { ...frame, content: patterns.choice(afters.map(({ inner }, index) => patterns.after(inner, mark(index)))) };
  };

  /** What may follow an element's end tag in its parent. */
  const end = ({ content, outers, element }: Frame, report: Report): Pattern => {
    const missing = (): void => report(childMissing(element, requiredNames(grammar, content, "element")));
    const [outer] = outers;
    if (outer !== undefined && outers.length === 1) {
      if (!derive.mayBeEmpty(content)) missing();
      return outer;
    }
    let ended = derive.endTag(content);
    if (ended === notAllowed) {
      missing();
      ended = derive.endTag(content, true);
    }
    const marks = ended.kind === "choice" ? ended.children : [ended];
    return patterns.choice(marks.flatMap((one) => (one.kind === "value" ? (outers[Number(one.value)] ?? []) : [])));
  };

  return function checkContent(document: Document, report: Report): void {
    const stack: Frame[] = [];
    const enter = (pattern: Pattern, element: Element): void => {
      forgetWhenFull();
      const inside = open(pattern, element, report);
      if (inside === undefined) return;
      stack.push(frameOf(element, inside));
    };
    const visit = (frame: Frame, child: Node): void => {
      if (isElement(child)) enter(frame.content, child);
      else if (child.nodeName === "#text" && "value" in child && MORE_THAN_SPACE.test(child.value)) {
        const after = derive.text(frame.content);
        if (after !== notAllowed) frame.content = after;
        else report(textNotAllowed(frame.element, child, childrenOf(frame.element)));
      }
    };
    for (const root of document.childNodes) if (isElement(root)) enter(grammar.start, root);
    for (let frame = stack.at(-1); frame; frame = stack.at(-1)) {
      const child = frame.children[frame.next++];
      if (child !== undefined) {
        visit(frame, child);
        continue;
      }
      stack.pop();
      const ended = end(frame, report);
      const parent = stack.at(-1);
      if (parent) parent.content = ended;
    }
  };
}

/** The most elements that a message lists. */
const MAX_LISTED = 12;

/** What is allowed instead: the few elements that may contain it, or else what its parent may contain. */
function allowedInstead(element: Element, parent: string, parents: readonly string[], siblings: readonly string[]) {
  const { tagName: name } = element;
  if (parents.length <= MAX_LISTED)
    return siblings.includes(name)
      ? `${parent} may contain it, but not at this place`
      : `elements that may contain it: ${list(parents.map((found) => `<${found}>`))}`;
  if (siblings.length === 0) return `${parent} may contain no elements`;
  if (siblings.length <= MAX_LISTED) return `${parent} may contain ${list(siblings.map((found) => `<${found}>`))}`;
  if (!siblings.includes("p") && siblings.includes("em"))
    return `${parent} may contain text, and phrasing content such as <em>, <img> or <span>`;
  return siblings.includes(name)
    ? `${parent} may contain it, but not at this place`
    : `${parent} may contain other elements, such as ${list(siblings.slice(0, MAX_LISTED).map((found) => `<${found}>`))}`;
}

function elementNotAllowed(element: Element, parents: readonly string[], siblings: readonly string[]): Finding {
  const { tagName: name, parentNode } = element;
  const parent = parentNode && isElement(parentNode) ? `<${parentNode.tagName}>` : "the document";
  const known = parents.length > 0;
  const meant = known ? undefined : near(name, siblings);
  return {
    severity: "error",
    rule: known ? "element-not-allowed" : "unknown-element",
    message: known
      ? `<${name}> is not allowed in ${parent} here; ${allowedInstead(element, parent, parents, siblings)}.`
      : `<${name}> is not an element of ${languageOf(element)}; it is not allowed in ${parent}.${meant ? ` Did you mean <${meant}>?` : ""}`,
    section: known ? sectionOf(element) : htmlSection("dom.html#elements-in-the-dom"),
    element,
    meant,
  };
}

/** More attributes than these are not tried one by one, which bounds the time. */
const MAX_ATTRIBUTES = 100;

/** True where the grammar needs a type or a role only because of another attribute. */
function needsOther(missing: readonly string[][], { tagName, attrs }: Element): boolean {
  const names = missing.flat();
  if (names.includes("role")) return !attrs.some(({ name }) => name === "role");
  return tagName === "input" && names.includes("type") && !attrs.some(({ name }) => name === "type");
}

function attributeOutOfPlace(
  element: Element,
  attribute: Attribute,
  missing: readonly string[],
  pattern: Pattern,
): Finding {
  const needed = missing.includes("role") ? "role" : "type";
  const values = new Set<string>();
  forEachPattern(pattern, new Set(), (part) => {
    if (part.kind === "attribute" && listNames(part.name).includes(needed))
      for (const value of allowedValues(part.child).values) values.add(`"${value}"`);
  });
  const which = values.size > 0 && values.size <= 2 * MAX_LISTED ? ` (${[...values].sort().join(", ")})` : "";
  return {
    severity: "error",
    rule: `attribute-not-allowed/${attribute.name.slice(0, 60)}`,
    message: `The attribute "${attribute.name.slice(0, 60)}" is not allowed on <${element.tagName}> without a ${needed} that has it${which}.`,
    section: attributeSection(element, attribute.name),
    element,
    attribute,
  };
}

/** Attributes of RDFa and ITS are alternatives in the grammar that nobody who misses one of HTML's means. */
const OF_OTHERS = /^(?:property|resource|about|typeof|its-.*)$/;

/** @param culprit the attribute without which nothing would be missing */
function attributeMissing(element: Element, missing: readonly string[][], culprit: Attribute | undefined): Finding {
  const names = missing.map((oneOf) => {
    const ofHtml = oneOf.filter((name) => !OF_OTHERS.test(name));
    return alternatives((ofHtml.length > 0 ? ofHtml : oneOf).map((name) => `"${name}"`));
  });
  const { tagName } = element;
  const of = culprit === undefined ? `<${tagName}>` : withAttribute(tagName, culprit);
  return {
    severity: "error",
    rule: missing[0]?.[0] ? `missing-attribute/${missing[0][0]}` : "missing-attribute",
    message:
      names.length > 0
        ? `${of} needs the attribute ${list(names)}.`
        : `The attributes of <${tagName}> do not go together, or one is missing.`,
    section: missing[0]?.[0] ? attributeSection(element, missing[0][0]) : sectionOf(element),
    element,
  };
}

/** An element as it is: `<button role="checkbox">`, or with the attribute's name alone where its value says nothing. */
function withAttribute(tagName: string, { name, value }: Attribute): string {
  return name === "type" || name === "role" || name === "rel"
    ? `<${tagName} ${name}="${value.slice(0, 60)}">`
    : `<${tagName}> with the attribute "${name.slice(0, 60)}"`;
}

/** The number of elements that MathML Core's elements with a fixed number of children have. */
const MATHML_CHILDREN: Readonly<Record<string, number>> = {
  mfrac: 2,
  mroot: 2,
  msub: 2,
  msup: 2,
  munder: 2,
  mover: 2,
  msubsup: 3,
  munderover: 3,
};

function childMissing(element: Element, missing: readonly string[][]): Finding {
  const needed = element.namespaceURI === MATHML ? MATHML_CHILDREN[element.tagName] : undefined;
  const what = needed
    ? `needs ${needed} child elements, and has ${element.childNodes.filter(isElement).length}`
    : `is missing ${children(missing)}`;
  return {
    severity: "error",
    rule: missing[0]?.[0] ? `missing-child/${missing[0][0]}` : "missing-child",
    message: `<${element.tagName}> ${what}.`,
    section: sectionOf(element),
    element,
    atEnd: true,
  };
}

/** The finding for an element that would be allowed here after others. */
function missingBefore(element: Element, missing: readonly string[][]): Finding {
  const before = missing.filter((oneOf) => !oneOf.includes(element.tagName));
  const { parentNode } = element;
  const parent = parentNode && isElement(parentNode) ? `<${parentNode.tagName}>` : "The document";
  return {
    severity: "error",
    rule: before[0]?.[0] ? `missing-child/${before[0][0]}` : "missing-child",
    message: `${parent} is missing ${children(before)} before <${element.tagName}>.`,
    section: htmlSection("indices.html#elements-3"),
    element,
  };
}

const HEADINGS = "h1,h2,h3,h4,h5,h6";

/** Child elements that are missing; of more alternatives than a reader can take in, none is named. */
function children(missing: readonly string[][]): string {
  const named = missing.filter((oneOf) => oneOf.length <= MAX_LISTED);
  if (named.length === 0) return "a child element";
  const names = named.map((oneOf) =>
    oneOf.join() === HEADINGS
      ? "a heading (<h1> to <h6>)"
      : `a child element ${alternatives(oneOf.map((name) => `<${name}>`))}`,
  );
  return names.join(" and ");
}

function textNotAllowed(element: Element, node: Node, siblings: readonly string[]): Finding {
  const { tagName } = element;
  // RDF in the head is another language's, which is not checked.
  const allowed = siblings.filter((name) => name !== "RDF");
  const few = allowed.length > 0 && allowed.length <= MAX_LISTED;
  return {
    severity: "error",
    rule: "text-not-allowed",
    message: few
      ? `Text is not allowed directly in <${tagName}>; it may contain ${alternatives(allowed.map((name) => `<${name}>`))}.`
      : `Text is not allowed directly in <${tagName}>.`,
    section: sectionOf(element),
    element,
    node,
  };
}

function languageOf({ namespaceURI }: Element): string {
  if (namespaceURI === SVG) return "SVG";
  return namespaceURI === MATHML ? "MathML" : "HTML";
}

/** Joins what one of is enough. */
function alternatives(names: readonly string[]): string {
  return names.length > 1 ? `${names.slice(0, -1).join(", ")} or ${names.at(-1)}` : (names[0] ?? "");
}

/** Enumerates up to twelve. */
function list(names: readonly string[]): string {
  return names.length > MAX_LISTED
    ? `${names.slice(0, MAX_LISTED).join(", ")} and ${names.length - MAX_LISTED} more`
    : names.join(", ");
}
