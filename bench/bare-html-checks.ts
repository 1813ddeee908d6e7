import { readFileSync } from "node:fs";
import { createHtmlCheck } from "../src/checker/engines/html-validate/check.ts";
import type { HtmlEngineName } from "../src/schema/html-engines.ts";
import { startConformance } from "./start-conformance.ts";

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
  const findingsOf = await startConformance();
  return (source) => findingsOf("https://example.com/", source);
}
