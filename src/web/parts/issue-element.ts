import type { Resource } from "../../api/documents.ts";
import { type Html, html } from "../html.ts";
import type { PageContext } from "../page.ts";
import { texts } from "../texts/en.ts";
import { fixLine, followsFrom } from "./consequence.ts";
import { crop } from "./crop.ts";
import { element } from "./finding.ts";

/**
 * An element with a fault among all of a rule: how often it is there, its picture, its source, and what the engine says
 * of it.
 *
 * @param to where all its pages are listed, if somewhere
 * @param message what is wrong, where the elements of a list differ in that
 */
export function issueElement(
  context: Pick<PageContext, "params" | "path" | "href" | "picture">,
  component: Resource<"component">,
  to?: string,
  message?: string,
): Html {
  const { how_many, num_pages, element: found } = component.attributes;
  const where = `${texts.count.findings(how_many)}, ${texts.count.pages(num_pages)}`;
  return html`<li>
    <p>${message !== undefined && html`${message}<br />`}${to === undefined ? where : html`<a href=${to}>${where}</a>`}</p>
    ${crop(context, component)} ${found && element(found)}
    ${followsFrom(found?.caused_by)} ${fixLine(found?.fix)}
    ${found?.failure_summary && html`<p class="fix">${found.failure_summary}</p>`}
  </li>`;
}
