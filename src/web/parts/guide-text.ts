import { type Html, html } from "../html.ts";

/**
 * A part of a guide in a page.
 *
 * @param rendered only HTML from src/domain/guides/render-markdown.ts: this project wrote it, not a checked page
 */
export function guideText(rendered: string): Html {
  return html`<div dangerouslySetInnerHTML=${{ __html: rendered }}></div>`;
}
