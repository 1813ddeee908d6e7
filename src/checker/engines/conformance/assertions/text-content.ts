import { has, hasWords, type Open, ownText, shown, type Watcher } from "./open.ts";
import { documentationProblem } from "./script-documentation.ts";
import { elementSection } from "./sections.ts";

/** Texts that must be there, and texts in a format. */
export const watchTextContent: Watcher = (tell) => {
  const empty: { open: Open; hasText: boolean }[] = [];
  return {
    names: ["title", "option", "script"],
    inTemplates: true,
    open(open) {
      if (open.name === "title" || (open.name === "option" && !has(open, "label")))
        empty.push({ open, hasText: false });
    },
    text(text) {
      const last = empty.at(-1);
      if (last && !last.hasText && hasWords(text)) last.hasText = true;
    },
    close(open) {
      if (open.name === "script" && has(open, "src")) checkDocumentation(open);
      const last = empty.at(-1);
      if (last?.open !== open) return;
      empty.pop();
      if (last.hasText || (open.name === "option" && open.parent?.name === "datalist")) return;
      tell(open, {
        rule: `empty-text/${open.name}`,
        message: open.name === "title" ? "<title> is empty." : '<option> has neither a text nor the attribute "label".',
        section: elementSection(open.name),
        atEnd: true,
      });
    },
  };

  function checkDocumentation(open: Open): void {
    const problem = documentationProblem(ownText(open));
    if (problem !== undefined)
      tell(open, {
        rule: "script/documentation",
        message: `<script> with the attribute "src" may contain comments only; "${shown(problem)}" is not one.`,
        section: elementSection("script"),
        atEnd: true,
      });
  }
};
