import { html } from "htm/preact";
import type { ComponentChild } from "preact";
import { renderToString } from "preact-render-to-string";

/** A part of a page: elements, text or nothing. Text is escaped when it is rendered. */
export type Html = ComponentChild;

export { html };

/** HTML as text. */
export function render(part: Html): string {
  return renderToString(html`<${Whole} part=${part} />`);
}

function Whole({ part }: { part: Html }): Html {
  return part;
}
