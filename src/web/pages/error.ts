import type { RequestError } from "../../domain/errors.ts";
import { html } from "../html.ts";
import type { View } from "../page.ts";
import { texts } from "../texts/en.ts";

/** The page for an error. Details of the service's own errors are logged, not shown. */
export function errorView(error: RequestError | "foreign form"): View {
  const { errors } = texts;
  if (error === "foreign form") return view(403, errors.foreignForm, []);
  const { status, violations } = error;
  const known = Object.hasOwn(errors, status) ? (status as 500) : status < 500 ? 400 : 500;
  // "Not found" says everything; details of the service's own errors are in its log.
  const details = status === 404 || status >= 500 ? [] : violations.map(({ detail }) => detail);
  return view(status, errors[known], details);
}

function view(status: number, { title, what }: { title: string; what: string }, details: readonly string[]): View {
  return {
    title,
    status,
    content: [what && html`<p>${what}</p>`, ...details.map((detail) => html`<p>${detail}</p>`)],
  };
}
