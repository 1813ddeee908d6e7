import { type Html, html } from "../html.ts";

/**
 * A part of a guide in a page.
 *
 * @param rendered HTML of src/domain/guides/render-markdown.ts alone: this project wrote it, no page that was checked
 */
export function guideText(rendered: string): Html {
  return html`<div dangerouslySetInnerHTML=${{ __html: rendered }}></div>`;
}
