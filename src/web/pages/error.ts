import type { RequestError } from "../../domain/errors.ts";
import { type Html, html } from "../html.ts";
import { nearest } from "../nearest.ts";
import type { PageContext, View } from "../page.ts";
import { icon } from "../parts/icon.ts";
import { texts } from "../texts/en.ts";

const RETRY_SECONDS = 30;

/** Where somebody wanted to go whose address has a typing mistake. @param known the addresses that there are */
export function meantAddress({ path, href }: Pick<PageContext, "path" | "href">, known: readonly string[]): Html {
  // Only its last part: else every address in a long folder would be like every other one there.
  const folder = path.slice(0, path.lastIndexOf("/") + 1);
  const last = nearest(
    path.slice(folder.length),
    known.flatMap((one) => (one.startsWith(folder) ? [one.slice(folder.length)] : [])),
  );
  if (last === undefined) return null;
  return html`<p>${texts.errors.meant} <a href=${href(folder + last)}>${folder + last}</a>?</p>`;
}

/**
 * The page for an error. Details of the service's own errors are logged, not shown.
 *
 * @param elsewhere where the reader's own account may have what is not found here
 * @param more what helps besides
 */
export function errorView(error: RequestError | "foreign form", elsewhere?: string, more: Html = null): View {
  const { errors } = texts;
  if (error === "foreign form") return view(403, errors.foreignForm, []);
  const { status, violations } = error;
  const known = Object.hasOwn(errors, status) ? (status as 500) : status < 500 ? 400 : 500;
  // "Not found" says everything; details of the service's own errors are in its log.
  const details = status === 404 || status >= 500 ? [] : violations.map(({ detail }) => detail);
  if (status !== 404 || elsewhere === undefined) return view(status, errors[known], details, more);
  const { yours, open } = errors.notShared;
  return view(status, errors[known], details, html`<p>${yours} <a href=${elsewhere}>${open}</a></p>`);
}

/** A card in the middle: what happened, and what helps. Who is not available now is asked again by itself. */
function view(
  status: number,
  { title, what }: { title: string; what: string },
  details: readonly string[],
  more: Html = null,
): View {
  const { errors } = texts;
  return {
    title,
    status,
    isNarrow: true,
    ...(status === 503 && { refresh: RETRY_SECONDS }),
    content: html`<div class="card grid large">
      <div class="large">${icon("alert")} <h1>${title}</h1></div>
      ${what && html`<p>${what}</p>`} ${details.map((detail) => html`<p>${detail}</p>`)} ${more}
      ${status === 503 && html`<p class="quiet">${errors.again(RETRY_SECONDS)}</p>`}
    </div>`,
  };
}
