import type { RequestError } from "../../domain/errors.ts";
import { html } from "../html.ts";
import type { View } from "../page.ts";
import { texts } from "../texts/en.ts";

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
  const shown = view(status, errors[known], details);
  if (status !== 404 || elsewhere === undefined) return shown;
  const { yours, open } = errors.notShared;
  return { ...shown, content: [shown.content, html`<p>${yours} <a href=${elsewhere}>${open}</a></p>`] };
}

function view(status: number, { title, what }: { title: string; what: string }, details: readonly string[]): View {
  return {
    title,
    status,
    content: [what && html`<p>${what}</p>`, ...details.map((detail) => html`<p>${detail}</p>`)],
  };
}
