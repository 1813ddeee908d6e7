import type { Message } from "html-conformance/messages";
import { type HtmlElement, HtmlValidate, type Plugin } from "html-validate";
import { toMessages } from "./findings.ts";
import { cachedConfigLoader, idIndex, patchHtmlValidate } from "./patches.ts";
import { prepareSource } from "./prepare-source.ts";
import { htmlValidateConfig } from "./rules.ts";

/**
 * Prepares html-validate, once per process.
 *
 * @returns a function that checks one page's source
 */
export function createHtmlCheck(): (source: string) => { messages: Message[]; language: string } {
  patchHtmlValidate();
  let language = "";
  const readLanguage: Plugin = {
    name: "language",
    setup(_source, events) {
      events.on("dom:ready", (_event, { document }) => {
        const html = document.root.childElements.find((element: HtmlElement) => element.is("html"));
        language = html?.getAttributeValue("lang") ?? "";
      });
    },
  };
  const loader = cachedConfigLoader({ ...htmlValidateConfig, plugins: [idIndex, readLanguage] });
  const validator = new HtmlValidate(loader);

  return (source) => {
    language = "";
    const report = validator.validateStringSync(prepareSource(source), "page.html");
    const reported = report.results.flatMap((result) => result.messages);
    return { messages: toMessages(reported, source), language };
  };
}
