import { readFileSync } from "node:fs";
import { HtmlElement, HtmlValidate, StaticConfigLoader } from "html-validate";
import { htmlValidateConfig } from "../src/checker/engines/html-validate-config.ts";

/** html-validate on files, with nothing around it; answers with the number of findings and ends. */
process.once("message", ({ files, tuned }: { files: string[]; tuned: boolean }) => {
  const loader = new StaticConfigLoader(htmlValidateConfig);
  if (tuned) {
    const config = loader.getConfigFor("page.html");
    loader.getConfigFor = () => config;
    HtmlElement.prototype.generateSelector = () => null;
  }
  const validator = new HtmlValidate(loader);
  let findings = 0;
  for (const file of files) {
    const report = validator.validateStringSync(readFileSync(file, "utf8"), "page.html");
    for (const result of report.results) findings += result.messages.length;
  }
  process.send?.(findings, () => process.disconnect());
});
