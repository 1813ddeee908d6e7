import { unshared } from "../../datatypes/remembering.ts";
import { HTML, MATHML, SVG } from "../../tree.ts";
import { childrenOf, type DocumentRule, type OpenElement, type ReportProblem, value } from "../open-element.ts";
import { cssProblems, isTooLarge, NOT_CHECKED, TOO_LARGE } from "./css-problems.ts";

const SECTION = "https://www.w3.org/TR/css/";
const MAX_CACHED = 5_000;

/** What is wrong in a `style` attribute, by its value. */
const byValue = new Map<string, readonly string[]>();

function attributeProblems(css: string): readonly string[] {
  const known = byValue.get(css);
  if (known) return known;
  const messages = cssProblems(css, "declarationList", { pieces: 0 }).flatMap(({ rule, message }) =>
    rule === NOT_CHECKED ? [] : unshared(message),
  );
  if (byValue.size >= MAX_CACHED) byValue.clear();
  byValue.set(unshared(css), messages);
  return messages;
}

/** The most findings and characters of CSS in one document, which bounds the time. */
const MAX_FINDINGS = 1_000;
const MAX_CHARACTERS = 2_000_000;
/** The most selectors and groups of declarations in nested rules. */
const MAX_PIECES = 50_000;

/** CSS in `<style>` and `style=""`. */
export const watchCss: DocumentRule = (addProblem) => {
  let findings = 0;
  let characters = 0;
  let isOver = false;
  const budget = { pieces: MAX_PIECES };
  const report: ReportProblem = (open, problem) => {
    findings++;
    addProblem(open, problem);
  };
  const notChecked = (open: OpenElement, why: string): void =>
    addProblem(open, {
      severity: "info",
      rule: NOT_CHECKED,
      message: `The CSS of <${open.element.tagName}> is not checked: ${why}.`,
      section: SECTION,
    });
  /** Says once that the rest of the document's CSS is not checked. */
  const endsAt = (open: OpenElement): boolean => {
    const isBeyond = findings > MAX_FINDINGS || characters > MAX_CHARACTERS;
    if (isBeyond && !isOver && (open.element.tagName === "style" || value(open, "style"))) {
      isOver = true;
      const limits = `${MAX_CHARACTERS / 1_000_000} MB or ${MAX_FINDINGS} faults`;
      notChecked(open, `the document has more than ${limits} of CSS before it, and what follows is not checked either`);
    }
    return isBeyond;
  };
  const checkAttribute = (open: OpenElement): void => {
    const css = value(open, "style");
    if (!css) return;
    characters += css.length;
    if (isTooLarge(css)) notChecked(open, `its attribute "style" has ${TOO_LARGE}`);
    for (const message of attributeProblems(css))
      report(open, {
        rule: "css/style-attribute",
        message: `In the attribute "style" of <${open.element.tagName}>: ${message}`,
        section: SECTION,
        attribute: "style",
      });
  };
  const checkSheet = (open: OpenElement): void => {
    const [text] = childrenOf(open.element);
    if (!text || !("value" in text)) return;
    characters += text.value.length;
    if (isTooLarge(text.value)) notChecked(open, `it has ${TOO_LARGE}`);
    const at = text.sourceCodeLocation;
    for (const { rule, message, line, column } of cssProblems(text.value, "stylesheet", budget)) {
      if (rule === NOT_CHECKED) {
        notChecked(open, message);
        continue;
      }
      report(open, {
        rule,
        message: `In <style>: ${message}`,
        section: SECTION,
        ...(at && {
          place: { line: at.startLine + line - 1, column: line === 1 ? at.startCol + column - 1 : column },
        }),
      });
    }
  };
  return {
    open(open) {
      const { namespaceURI, tagName } = open.element;
      if ((namespaceURI !== HTML && namespaceURI !== SVG && namespaceURI !== MATHML) || endsAt(open)) return;
      checkAttribute(open);
      if (tagName === "style" && namespaceURI !== MATHML) checkSheet(open);
    },
  };
};
