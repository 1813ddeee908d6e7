import { timeDatetimeProblem } from "../datatypes/time-datetime.ts";
import { isElement } from "../tree.ts";
import { type DocumentRule, formatValue, has, hasWords, type OpenElement, ownText } from "./open-element.ts";
import { documentationProblem } from "./scripts/script-documentation.ts";
import { elementSection } from "./sections.ts";

/** The longest text that is read as a date or time. */
const MAX_TIME = 1_000;

/** The options of a datalist may be empty. */
function isSuggestion({ name, parent, element }: OpenElement): boolean {
  return name === "option" && parent?.name === "datalist" && !element.childNodes.some(isElement);
}

/** Texts that are required, and texts with a required format. */
export const watchTextContent: DocumentRule = (report) => {
  const times: { open: OpenElement; text: string }[] = [];
  const empty: { open: OpenElement; hasText: boolean }[] = [];
  return {
    names: ["title", "option", "script", "time"],
    inTemplates: true,
    open(open) {
      if (open.name === "time" && !has(open, "datetime")) times.push({ open, text: "" });
      if (open.name === "title" || (open.name === "option" && !has(open, "label")))
        empty.push({ open, hasText: false });
    },
    text(text) {
      const time = times.at(-1);
      if (time && time.text.length <= MAX_TIME) time.text += text;
      const last = empty.at(-1);
      if (last && !last.hasText && hasWords(text)) last.hasText = true;
    },
    close(open) {
      if (times.at(-1)?.open === open) checkTime(open, times.pop()?.text ?? "");
      if (open.name === "script" && has(open, "src")) checkDocumentation(open);
      const last = empty.at(-1);
      if (last?.open !== open) return;
      empty.pop();
      if (last.hasText || isSuggestion(open)) return;
      report(open, {
        rule: `empty-text/${open.name}`,
        message: open.name === "title" ? "<title> is empty." : '<option> has neither a text nor the attribute "label".',
        section: elementSection(open.name),
        atEnd: true,
      });
    },
  };

  function checkTime(open: OpenElement, text: string): void {
    const problem = timeDatetimeProblem(text);
    if (problem)
      report(open, {
        rule: "bad-text/time",
        message: `The text "${formatValue(text)}" of <time> is not a date, a time or a duration: ${problem}. The attribute "datetime" can give it.`,
        section: elementSection("time"),
        atEnd: true,
      });
  }

  function checkDocumentation(open: OpenElement): void {
    const problem = documentationProblem(ownText(open));
    if (problem !== undefined)
      report(open, {
        rule: "script/documentation",
        message: `<script> with the attribute "src" may contain comments only; "${formatValue(problem)}" is not one.`,
        section: elementSection("script"),
        atEnd: true,
      });
  }
};
