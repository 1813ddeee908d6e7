import { html } from "../checks/html/manifest.ts";

/**
 * What can check HTML, by the names in `html_engine`: the project's own conformance checker, the npm package
 * html-validate, and the Nu Html Checker, which needs Java.
 */
export const htmlEngines = html.engines;
export type HtmlEngineName = (typeof htmlEngines)[number];

/** The engine of a report that names none. */
export const defaultHtmlEngine = "conformance" satisfies HtmlEngineName;
