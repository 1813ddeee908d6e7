import { type HtmlElement, HtmlValidate, type Plugin } from "html-validate";
import type { HtmlIssue } from "../../../domain/findings.ts";
import { groupFindings, locateFindings, type NuMessage, nuMessages, withoutDirectives } from "./findings.ts";
import { idIndex, patchHtmlValidate, resolvedOnce } from "./patches.ts";
import { htmlValidateConfig } from "./rules.ts";

/** Runs in the child process: html-validate on one page at a time. */

export type HtmlResult = { issues: HtmlIssue[]; raw?: { url: string; language: string; messages: NuMessage[] } };

/** @returns a function that checks one page's source; make it once in a process */
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
  const loader = resolvedOnce({ ...htmlValidateConfig, plugins: [idIndex, readLanguage] });
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
