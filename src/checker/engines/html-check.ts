import { HtmlElement, HtmlValidate, StaticConfigLoader } from "html-validate";
import type { HtmlIssue } from "../../domain/findings.ts";
import { groupFindings, locateFindings, type NuMessage, nuMessages, withoutDirectives } from "./html-findings.ts";
import { htmlValidateConfig } from "./html-validate-config.ts";

/** Runs in the child process: html-validate on one page at a time. */

export type HtmlResult = { issues: HtmlIssue[]; raw?: { url: string; language: string; messages: NuMessage[] } };

/** @returns a function that checks one page's source; reuse it, making one takes a while */
export function createHtmlCheck(): (url: string, source: string, withRaw: boolean) => HtmlResult {
  let language = "";
  const loader = new StaticConfigLoader({
    ...htmlValidateConfig,
    plugins: [
      {
        name: "language",
        setup: (_source, events) => {
          events.on("dom:ready", (_event, { document }) => {
            const html = document.root.childElements.find((element: HtmlElement) => element.is("html"));
            language = html?.getAttributeValue("lang") ?? "";
          });
        },
      },
    ],
  });
  // The loader resolves the configuration anew for each page: a third of the whole time.
  const config = loader.getConfigFor("page.html");
  loader.getConfigFor = () => config;
  const validator = new HtmlValidate(loader);
  // A selector is made for every message, at the cost of a walk through the document each; nobody reads it.
  HtmlElement.prototype.generateSelector = () => null;

  return (url, source, withRaw) => {
    language = "";
    const report = validator.validateStringSync(withoutDirectives(source), "page.html");
    const findings = locateFindings(
      report.results.flatMap((result) => result.messages),
      source,
    );
    return {
      issues: groupFindings(findings),
      ...(withRaw ? { raw: { url, language, messages: nuMessages(findings) } } : {}),
    };
  };
}
