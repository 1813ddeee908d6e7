import { settings } from "../settings/index.ts";

/**
 * What can check HTML, by the names in `html_engine`: the project's own conformance checker, the npm package
 * html-validate, and the Nu Html Checker, which needs Java.
 */
export const htmlEngines = settings.htmlEngine.schema.enum;
export type HtmlEngineName = (typeof htmlEngines)[number];

/** The engine of a report that names none. */
export const defaultHtmlEngine = settings.htmlEngine.schema.default;
