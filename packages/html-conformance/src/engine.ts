import { checkAssertions } from "./assertions/index.ts";
import { checkXhtml } from "./assertions/xhtml.ts";
import { createContentCheck } from "./content.ts";
import { datatypeProblem, datatypeWarning } from "./datatypes/index.ts";
import { type DocumentEncoding, isXmlType } from "./documents/html-document.ts";
import { type Finding, htmlSection } from "./finding.ts";
import { packagedGrammar } from "./grammar/packaged.ts";
import { type PackedGrammar, unpackGrammar } from "./grammar/packed.ts";
import type { Preset } from "./grammar/preset.ts";
import { locate } from "./locate.ts";
import { createCollection, type Located } from "./messages/collect.ts";
import type { Message } from "./messages/message.ts";
import { createSourceLines } from "./messages/source-lines.ts";
import { parseDocument } from "./parse.ts";
import { explained, withoutFollows } from "./repair/explain.ts";
import { searchMistakes } from "./repair/search-mistakes.ts";
import { type Attribute, attribute, type Document, isElement } from "./tree.ts";

/** No more attributes are remembered, which bounds the memory. */
const MAX_JUDGED = 10_000;
/** Rules by which an attribute is wrong as such. */
const VERDICTS = /^(?:bad-value|obsolete-attribute)\//;
/** Rules about something else than the attribute's being there or its value. */
const COUNTED_EACH = /^(?:duplicate-id$|css\/)/;

/** What is known about a document besides its text. */
export type CheckOptions = {
  /** The value of its Content-Type header, by which it is HTML or XML (XHTML, SVG); without one it is HTML. */
  contentType?: string;
  /** Its address, to which relative addresses in it refer. */
  url?: string;
  /** How its bytes were decoded; without it, little is said about its encoding. */
  encoding?: DocumentEncoding;
  /**
   * Messages that only follow from another mistake say so (`causedBy`), and the mistake has the change that mends it. "fixes":
   * also those that have no consequences. For HTML; it takes up to three times as long.
   */
  causes?: boolean | "fixes";
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

  const run: Checker["run"] = (source, options = {}) => {
    const { causes = false, ...others } = options;
    const whole = runNested(true, source, others);
    if (!causes || isXmlType(options.contentType ?? ""))
      return { ...whole, messages: whole.messages.map(withoutFollows) };
    const again = (text: string, part?: "parse") => runNested(true, text, others, part);
    const mistakes = searchMistakes(source, whole, again, { alone: causes === "fixes" });
    return { ...whole, messages: explained(source, whole.messages, mistakes) };
  };
  const runNested = (
    mayNest: boolean,
    source: string,
    { contentType, url = "", encoding }: CheckOptions = {},
    part?: "parse",
  ) => {
    const parsed = parseDocument({ source, contentType, encoding });
    const { document, problems, unlisted, language, unended, movedFrom = source.length } = parsed;
    const lines = createSourceLines(source);
    const collection = createCollection();
    // A finding after a moved element may be a consequence of the move: the Nu checker stops there, too.
    const add = (finding: Located): void => {
      if (finding.start <= movedFrom) collection.add(finding);
    };
    problems.forEach(add);
    for (const { finding, count } of unlisted) collection.count(finding, count);
    const say = (finding: Finding): void => {
      // What seems to be missing may be where the parser has not read.
      if (finding.atEnd && unended.has(finding.element)) return;
      const { severity, rule, message, section, meant } = finding;
      for (const { start, end } of locate(finding, source, lines))
        add({ severity, rule, message, section, meant, start, end });
    };
    const attributes = createAttributeVerdicts(say);
    const report = (finding: Finding): void => {
      if (!finding.attribute || finding.severity !== "error" || COUNTED_EACH.test(finding.rule)) say(finding);
      else attributes.report(finding, finding.attribute);
    };
    if (language !== "unknown" && part !== "parse") {
      contentCheck(language)(document, report);
      const errorsOf = mayNest ? (inner: string) => errorsIn(runNested(false, inner).messages) : undefined;
      checkAssertions(document, { url, errorsOf }, report);
      if (language === "xhtml") checkXhtml(document, report);
    }
    attributes.end();
    if (movedFrom < source.length) collection.add(notChecked(movedFrom));
    return { messages: collection.messages(lines), language: languageOf(document), tree: document };
  };
  return { run, check: (source, options) => run(source, options).messages };
}

/** An attribute that is not allowed, obsolete or wrong gets one error: others would be consequences of it. */
function createAttributeVerdicts(say: (finding: Finding) => void) {
  /** What is not allowed waits: what a rule of the element says of it says more. */
  const notAllowed = new Map<Attribute, Finding>();
  const judged = new Set<Attribute>();
  return {
    report(finding: Finding, about: Attribute): void {
      const { rule, element } = finding;
      if (judged.has(about)) return;
      if (judged.size < MAX_JUDGED && VERDICTS.test(rule)) judged.add(about);
      if (notAllowed.has(about)) {
        if (![`${element.tagName}/${about.name}`, `aria-conflict/${about.name}`].includes(rule)) return;
        notAllowed.delete(about);
      }
      if (rule.startsWith("attribute-not-allowed/") && notAllowed.size < MAX_JUDGED) notAllowed.set(about, finding);
      else say(finding);
    },
    end(): void {
      for (const finding of notAllowed.values()) say(finding);
    },
  };
}

function errorsIn(messages: readonly Message[]): Message[] {
  return messages.filter(({ type }) => type === "error");
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
