import { checkAttributes, createAttributeRules } from "./attributes.ts";
import { type Finding, htmlSection, type Report } from "./finding.ts";
import { createDerivatives } from "./grammar/derivative.ts";
import { createParents, requiredNames } from "./grammar/expectations.ts";
import { createNames } from "./grammar/names.ts";
import type { Grammar, Pattern } from "./grammar/pattern.ts";
import type { DatatypeProblem } from "./grammar/value.ts";
import { attributeSection, sectionOf } from "./sections.ts";
import { type Document, type Element, HTML, isElement, isHtml, MATHML, type Node, SVG } from "./tree.ts";

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
        report(elementNotAllowed(element, parentsOf(namespace, name)));
        return undefined;
      }
      report(missingBefore(element, requiredNames(grammar, pattern, "element")));
    }
    const withAttributes = checkAttributes(attributeRules, opened, element, report);
    const closed = derive.closeTag(withAttributes);
    if (closed !== notAllowed) return closed;
    report(attributeMissing(element, requiredNames(grammar, withAttributes, "attribute")));
    return derive.closeTag(withAttributes, true);
  };

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
        else report(textNotAllowed(frame.element, child));
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

function elementNotAllowed(element: Element, parents: readonly string[]): Finding {
  const { tagName: name, parentNode } = element;
  const parent = parentNode && isElement(parentNode) ? `<${parentNode.tagName}>` : "the document";
  const known = parents.length > 0;
  const allowed = list(parents.map((found) => `<${found}>`));
  return {
    severity: "error",
    rule: known ? "element-not-allowed" : "unknown-element",
    message: known
      ? `<${name}> is not allowed in ${parent} here; elements that may contain it: ${allowed}.`
      : `<${name}> is not an element of ${languageOf(element)}; it is not allowed in ${parent}.`,
    section: known ? sectionOf(element) : htmlSection("dom.html#elements-in-the-dom"),
    element,
  };
}

function attributeMissing(element: Element, missing: readonly string[][]): Finding {
  const names = missing.map((oneOf) => oneOf.map((name) => `"${name}"`).join(" or "));
  return {
    severity: "error",
    rule: missing[0]?.[0] ? `missing-attribute/${missing[0][0]}` : "missing-attribute",
    message:
      names.length > 0
        ? `<${element.tagName}> needs the attribute ${list(names)}.`
        : `The attributes of <${element.tagName}> do not go together, or one is missing.`,
    section: missing[0]?.[0] ? attributeSection(element, missing[0][0]) : sectionOf(element),
    element,
  };
}

function childMissing(element: Element, missing: readonly string[][]): Finding {
  const names = missing.map((oneOf) => oneOf.map((name) => `<${name}>`).join(" or "));
  return {
    severity: "error",
    rule: missing[0]?.[0] ? `missing-child/${missing[0][0]}` : "missing-child",
    message: `<${element.tagName}> is missing ${names.length > 0 ? `a child element ${list(names)}` : "a child element"}.`,
    section: sectionOf(element),
    element,
    atEnd: true,
  };
}

/** The finding for an element that would be allowed here after others. */
function missingBefore(element: Element, missing: readonly string[][]): Finding {
  const before = missing.filter((oneOf) => !oneOf.includes(element.tagName));
  const names = before.map((oneOf) => oneOf.map((name) => `<${name}>`).join(" or "));
  const { parentNode } = element;
  const parent = parentNode && isElement(parentNode) ? `<${parentNode.tagName}>` : "The document";
  return {
    severity: "error",
    rule: before[0]?.[0] ? `missing-child/${before[0][0]}` : "missing-child",
    message: `${parent} is missing ${names.length > 0 ? `a child element ${list(names)}` : "a child element"} before <${element.tagName}>.`,
    section: htmlSection("indices.html#elements-3"),
    element,
  };
}

function textNotAllowed(element: Element, node: Node): Finding {
  return {
    severity: "error",
    rule: "text-not-allowed",
    message: `Text is not allowed directly in <${element.tagName}>.`,
    section: sectionOf(element),
    element,
    node,
  };
}

function languageOf({ namespaceURI }: Element): string {
  if (namespaceURI === SVG) return "SVG";
  return namespaceURI === MATHML ? "MathML" : "HTML";
}

/** Enumerates up to twelve. */
function list(names: readonly string[]): string {
  return names.length > 12 ? `${names.slice(0, 12).join(", ")} and ${names.length - 12} more` : names.join(", ");
}
