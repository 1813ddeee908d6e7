import { type HtmlElement, HtmlValidate, type Plugin } from "html-validate";
import type { HtmlIssue } from "../../../domain/findings.ts";
import { groupFindings, locateFindings, type NuMessage, nuMessages, withoutDirectives } from "./findings.ts";
import { cachedConfigLoader, idIndex, patchHtmlValidate } from "./patches.ts";
import { htmlValidateConfig } from "./rules.ts";

/** Runs html-validate on one page at a time, in the child process. */

export type HtmlResult = { issues: HtmlIssue[]; raw?: { url: string; language: string; messages: NuMessage[] } };

/** @returns a function that checks one page's source. Call `createHtmlCheck` once per process. */
export function createHtmlCheck(): (url: string, source: string, withRaw: boolean) => HtmlResult {
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
