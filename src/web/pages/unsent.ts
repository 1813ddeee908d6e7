import type { RequestError } from "../../domain/errors.ts";
import { type Html, html } from "../html.ts";
import { localPath } from "../local-path.ts";
import type { Fields, View } from "../page.ts";
import { texts } from "../texts/en.ts";
import { errorView } from "./error.ts";

const t = texts.unsent;

/** The fields that hold a secret of a site or an account. No page that we send contains their values. */
const secretNames = new Set([
  ...["password", "password_again", "password_old", "token", "code", "factor", "pending"],
  ...["headers", "cookies", "sign_in"],
]);
/** The fields that every form has. */
const ownNames = new Set(["csrf", "key"]);

/** Whether what was typed can be kept: a form without its secret would do something else. */
function isKeepable(fields: Fields): boolean {
  return [...fields].every(([name, value]) => !secretNames.has(name) || value === "");
}

/** The page for a form that is correct but cannot be handled now: too many requests, or the service is unavailable. */
export function unsentView(error: RequestError, fields: Fields, action: string): View {
  // Reading the page again by itself would lose what was typed.
  const { refresh: _, ...view } = errorView(error);
  if (!isKeepable(fields)) return view;
  // With the secret that the form came with: if it is not the session's, the form is refused as usual.
  return { ...view, content: [view.content, html`<div class="card">${kept([...fields], action)}</div>`] };
}

/** A form that waits while somebody signs in: the address that it is sent to, and what was typed. */
export type Resume = { action: string; fields: Fields };

/** The longest form that may wait: escaped once more, it must fit into the form for the token. */
const MAX_WAITING = 64_000;

/** A form that may wait; undefined when nothing was typed, or when it is too long or has a secret. */
export function resumeOf(fields: Fields, action: string): Resume | undefined {
  const typed = new URLSearchParams([...fields].filter(([name]) => name !== "csrf"));
  const isTyped = [...typed].some(([name, value]) => !ownNames.has(name) && value !== "");
  if (!isTyped || !isKeepable(typed) || typed.toString().length > MAX_WAITING) return undefined;
  return { action, fields: typed };
}

export function resumeFields({ action, fields }: Resume): Html {
  return [
    html`<input type="hidden" name="resume_action" value=${action} />`,
    html`<input type="hidden" name="resume_fields" value=${fields.toString()} />`,
  ];
}

/** The waiting form that the form for a token contains. */
export function resumeIn(fields: Fields): Resume | undefined {
  const action = localPath(fields.get("resume_action"));
  return action === undefined ? undefined : resumeOf(new URLSearchParams(fields.get("resume_fields") ?? ""), action);
}

/** The page after signing in again, where a form that waited can be sent, with the new session's secret. */
export function resumedView({ action, fields }: Resume, csrf: string): View {
  return {
    title: t.resumed,
    isNarrow: true,
    content: html`<div class="card grid large">
      <h1>${t.resumed}</h1>
      <p>${t.resumedWhat}</p>
      ${kept([["csrf", csrf], ...fields], action)}
    </div>`,
  };
}

/** The form again, showing everything that it will send. */
function kept(fields: readonly (readonly [string, string])[], action: string): Html {
  const shown = fields.filter(([name, value]) => !ownNames.has(name) && value !== "");
  return html`<form class="grid" method="post" action=${action}>
    ${fields.map(([name, value]) => html`<input type="hidden" name=${name} value=${value} />`)}
    ${
      shown.length > 0 &&
      html`<dl class="typed facts">
        ${shown.map(([name, value]) => html`<div><dt><code>${name}</code></dt><dd>${value}</dd></div>`)}
      </dl>`
    }
    <button>${t.again}</button>
  </form>`;
}
