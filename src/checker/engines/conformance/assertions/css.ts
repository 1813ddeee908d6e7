import { cssProblems } from "./css-problems.ts";
import { childrenOf, value, type Watcher } from "./open.ts";

const SECTION = "https://www.w3.org/TR/css/";
const MAX_CACHED = 5_000;

/** What is wrong in a `style` attribute, by its value. */
const byValue = new Map<string, readonly string[]>();

function attributeProblems(css: string): readonly string[] {
  const known = byValue.get(css);
  if (known) return known;
  const messages = cssProblems(css, "declarationList").map(({ message }) => message);
  if (byValue.size >= MAX_CACHED) byValue.clear();
  byValue.set(css, messages);
  return messages;
}

/** CSS in `<style>` and `style=""`. */
export const watchCss: Watcher = (tell) => ({
  open(open) {
    const css = value(open, "style");
    if (css && open.name)
      for (const message of attributeProblems(css))
        tell(open, {
          rule: "css/style-attribute",
          message: `In the attribute "style" of <${open.name}>: ${message}`,
          section: SECTION,
          attribute: "style",
        });
    if (open.name !== "style") return;
    const [text] = childrenOf(open.element);
    if (!text || !("value" in text)) return;
    const at = text.sourceCodeLocation;
    for (const { rule, message, line, column } of cssProblems(text.value, "stylesheet"))
      tell(open, {
        rule,
        message: `In <style>: ${message}`,
        section: SECTION,
        ...(at && {
          place: { line: at.startLine + line - 1, column: line === 1 ? at.startCol + column - 1 : column },
        }),
      });
  },
});
