import { readFileSync } from "node:fs";
import { HtmlValidate, StaticConfigLoader } from "html-validate";
import { cachedConfigLoader, idIndex, patchHtmlValidate } from "../src/checker/engines/html-validate/patches.ts";
import { htmlValidateConfig } from "../src/checker/engines/html-validate/rules.ts";

/** Runs html-validate alone on files, sends the number of findings to the parent and exits. */
process.once("message", ({ files, tuned }: { files: string[]; tuned: boolean }) => {
  if (tuned) patchHtmlValidate();
  const loader = tuned
    ? cachedConfigLoader({ ...htmlValidateConfig, plugins: [idIndex] })
    : new StaticConfigLoader(htmlValidateConfig);
  const validator = new HtmlValidate(loader);
  let findings = 0;
  for (const file of files) {
    const report = validator.validateStringSync(readFileSync(file, "utf8"), "page.html");
    for (const result of report.results) findings += result.messages.length;
  }
  process.send?.(findings, () => process.disconnect());
});
