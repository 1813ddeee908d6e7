import { html } from "htm/preact";
import { logMarkup } from "html-conformance/log-text";
import type { ComponentChild } from "preact";
import { renderToString } from "preact-render-to-string";

/** A part of a page: elements, text or nothing. Text is escaped when it is rendered. */
export type Html = ComponentChild;

export { html };

/**
 * Characters that HTML must not have, also when they are escaped (HTML Standard, 13.2.3.5 and 13.2.5.80): controls but
 * tabs and line breaks, noncharacters and lone surrogates.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: those are the characters
const NOT_HTML = /[\0-\x08\x0B\x0E-\x1F\x7F-\x9F\p{Noncharacter_Code_Point}]|\p{Surrogate}/gu;

/** HTML as text, which logs may show, too. */
export function render(part: Html): string {
  const text = renderToString(html`<${Whole} part=${part} />`);
  return logMarkup(text.replace(/\r\n?/g, "\n").replace(NOT_HTML, "\uFFFD"));
}

function Whole({ part }: { part: Html }): Html {
  return part;
}
