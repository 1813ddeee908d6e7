import { checkAssertions } from "./assertions/index.ts";
import { checkXhtml } from "./assertions/xhtml.ts";
import { createContentCheck } from "./content.ts";
import { datatypeProblem, datatypeWarning } from "./datatypes/index.ts";
import type { DocumentEncoding } from "./documents/html-document.ts";
import { type Finding, htmlSection } from "./finding.ts";
import { packagedGrammar } from "./grammar/packaged.ts";
import { type PackedGrammar, unpackGrammar } from "./grammar/packed.ts";
import type { Preset } from "./grammar/preset.ts";
import { locate } from "./locate.ts";
import { createCollection, type Located } from "./messages/collect.ts";
import type { Message } from "./messages/message.ts";
import { createSourceLines } from "./messages/source-lines.ts";
import { parseDocument } from "./parse.ts";
import { type Attribute, attribute, type Document, isElement } from "./tree.ts";

/** What is known about a document besides its text. */
export type CheckOptions = {
  /** The value of its Content-Type header, by which it is HTML or XML (XHTML, SVG); without one it is HTML. */
  contentType?: string;
  /** Its address, to which relative addresses in it refer. */
  url?: string;
  /** How its bytes were decoded; without it, little is said about its encoding. */
  encoding?: DocumentEncoding;
};

export type Checker = {
  /** The errors, warnings and notes of a document, in the order of its source. */
  check(source: string, options?: CheckOptions): Message[];
  /** The same, with the document's language (the `lang` of its root element) and its tree. */
  run(source: string, options?: CheckOptions): { messages: Message[]; language: string; tree: Document };
};

/**
 * Checks documents as the Nu Html Checker does: parse errors, the grammar, the values of attributes, and
 * what a grammar cannot express. What it learns from one document makes the next one faster.
 *
 * @param grammar of each language; asked for once, when a document is written in it
 */
export function createChecker(grammar: (preset: Preset) => PackedGrammar = packagedGrammar): Checker {
  const checks = new Map<Preset, ReturnType<typeof createContentCheck>>();
  const contentCheck = (preset: Preset) => {
    let check = checks.get(preset);
    if (!check) {
      check = createContentCheck(
        unpackGrammar(grammar(preset)),
        ({ library, name, parameters }, value) => datatypeProblem(library, name, parameters, value),
        ({ library, name }, value) => datatypeWarning(library, name, value),
      );
      checks.set(preset, check);
    }
    return check;
  };

  const run: Checker["run"] = (source, { contentType, url = "", encoding } = {}) => {
    const parsed = parseDocument({ source, contentType, encoding });
    const { document, problems, language, unended, movedFrom = source.length } = parsed;
    const lines = createSourceLines(source);
    const collection = createCollection();
    // A finding after a moved element may be a consequence of the move: the Nu checker stops there, too.
    const add = (finding: Located): void => {
      if (finding.start <= movedFrom) collection.add(finding);
    };
    problems.forEach(add);
    const say = (finding: Finding): void => {
      // What seems to be missing may be where the parser has not read.
      if (finding.atEnd && unended.has(finding.element)) return;
      const { severity, rule, message, section } = finding;
      for (const { start, end } of locate(finding, source, lines))
        add({ severity, rule, message, section, start, end });
    };
    /** By their attributes: what a rule of the element says of one says more. */
    const notAllowed = new Map<Attribute, Finding>();
    const report = (finding: Finding): void => {
      const { attribute, rule, element } = finding;
      if (attribute && rule.startsWith("attribute-not-allowed/")) notAllowed.set(attribute, finding);
      else say(finding);
      if (attribute && [`${element.tagName}/${attribute.name}`, `aria-conflict/${attribute.name}`].includes(rule))
        notAllowed.delete(attribute);
    };
    if (language !== "unknown") {
      contentCheck(language)(document, report);
      checkAssertions(document, url, report);
      if (language === "xhtml") checkXhtml(document, report);
    }
    for (const finding of notAllowed.values()) say(finding);
    if (movedFrom < source.length) collection.add(notChecked(movedFrom));
    return { messages: collection.messages(lines), language: languageOf(document), tree: document };
  };
  return { run, check: (source, options) => run(source, options).messages };
}

function languageOf(document: Document): string {
  const root = document.childNodes.find(isElement);
  return (root && attribute(root, "lang")) ?? "";
}

function notChecked(start: number): Located {
  return {
    severity: "info",
    rule: "not-checked-further",
    message:
      "The parser moved what is here to another place in the document; what follows is not reported before that is fixed.",
    section: htmlSection("parsing.html#an-introduction-to-error-handling-and-strange-cases-in-the-parser"),
    start,
    end: start + 1,
  };
}
