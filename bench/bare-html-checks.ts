import { readFileSync } from "node:fs";
import { createConformanceChecker } from "../src/checker/engines/conformance/engine.ts";
import { loadGrammar } from "../src/checker/engines/grammar-store.ts";
import { createHtmlCheck } from "../src/checker/engines/html-validate/check.ts";
import { readConfig } from "../src/config.ts";
import { isNote } from "../src/domain/html-message.ts";
import type { HtmlEngineName } from "../src/schema/html-engines.ts";

/** Runs an engine alone on files, sends the number of its messages to the parent and exits. */
export type BareRequest = { engine: HtmlEngineName; files: string[] };

process.once("message", async ({ engine, files }: BareRequest) => {
  const check = engine === "conformance" ? await conformance() : htmlValidate();
  let messages = 0;
  for (const file of files) messages += check(readFileSync(file, "utf8"));
  process.send?.(messages, () => process.disconnect());
});

/** With the patches of our engine, without which it is much slower on large pages. */
function htmlValidate(): (source: string) => number {
  const check = createHtmlCheck();
  return (source) => check(source).messages.length;
}

async function conformance(): Promise<(source: string) => number> {
  const { grammar } = await loadGrammar(readConfig(process.env).cacheDir, "html");
  const checker = createConformanceChecker(() => grammar);
  const encoding = { name: "utf-8", from: "header" } as const;
  return (source) => {
    const { messages } = checker.run({ url: "https://example.com/", source, contentType: "text/html", encoding });
    // Notes are not findings.
    return messages.filter((message) => !isNote(message)).length;
  };
}
