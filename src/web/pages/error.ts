import type { RequestError } from "../../domain/errors.ts";
import { type Html, html } from "../html.ts";
import type { View } from "../page.ts";
import { icon } from "../parts/icon.ts";
import { texts } from "../texts/en.ts";

const RETRY_SECONDS = 30;

/**
 * The page for an error. Details of the service's own errors are logged, not shown.
 *
 * @param elsewhere where the reader's own account may have what is not found here
 */
export function errorView(error: RequestError | "foreign form", elsewhere?: string): View {
  const { errors } = texts;
  if (error === "foreign form") return view(403, errors.foreignForm, []);
  const { status, violations } = error;
  const known = Object.hasOwn(errors, status) ? (status as 500) : status < 500 ? 400 : 500;
  // "Not found" says everything; details of the service's own errors are in its log.
  const details = status === 404 || status >= 500 ? [] : violations.map(({ detail }) => detail);
  if (status !== 404 || elsewhere === undefined) return view(status, errors[known], details);
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
      <h1>${icon("alert")} ${title}</h1>
      ${what && html`<p>${what}</p>`} ${details.map((detail) => html`<p>${detail}</p>`)} ${more}
      ${status === 503 && html`<p class="quiet">${errors.again(RETRY_SECONDS)}</p>`}
    </div>`,
  };
}
