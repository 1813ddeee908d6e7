import type { RequestError } from "../../domain/errors.ts";
import { type Html, html } from "../html.ts";
import { localPath } from "../local-path.ts";
import type { Fields, View } from "../page.ts";
import { texts } from "../texts/en.ts";
import { errorView } from "./error.ts";

const t = texts.unsent;

/** The fields that hold a secret of a site or an account: they are in no page that we send. */
const secretNames = new Set(["password", "token", "code", "headers", "cookies"]);
/** What a form carries by itself. */
const ownNames = new Set(["csrf", "key"]);

/** Whether what was typed can be kept: a form without its secret would do something else. */
function isKeepable(fields: Fields): boolean {
  return [...fields].every(([name, value]) => !secretNames.has(name) || value === "");
}

/** A form that could not be sent now, though nothing is wrong with it: too many requests, or the service is away. */
export function unsentView(error: RequestError, fields: Fields, action: string): View {
  const view = errorView(error);
  if (!isKeepable(fields)) return view;
  // With the secret that it came with: where that is not the session's, it is refused as before.
  return { ...view, content: html`<div>${view.content} ${kept([...fields], action)}</div>` };
}

/** A form that waits while somebody signs in: the address that it is sent to, and what was typed. */
export type Resume = { action: string; fields: Fields };

/** What waits, escaped once more in the form for the token, must fit into that. */
const MAX_WAITING = 64_000;

/** What of a form may wait; undefined when nothing was typed, or it is too long, or has a secret. */
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

/** What a form for a token brought along. */
export function resumeIn(fields: Fields): Resume | undefined {
  const action = localPath(fields.get("resume_action"));
  return action === undefined ? undefined : resumeOf(new URLSearchParams(fields.get("resume_fields") ?? ""), action);
}

/** A form whose session had ended, after signing in again: whoever typed it sends it, with the new session's secret. */
export function resumedView({ action, fields }: Resume, csrf: string): View {
  return {
    title: t.resumed,
    content: html`<div><p>${t.resumedWhat}</p>${kept([["csrf", csrf], ...fields], action)}</div>`,
  };
}

/** The form once more, with all that it has shown to whoever sends it. */
function kept(fields: readonly (readonly [string, string])[], action: string): Html {
  const shown = fields.filter(([name, value]) => !ownNames.has(name) && value !== "");
  return html`<form method="post" action=${action}>
    ${fields.map(([name, value]) => html`<input type="hidden" name=${name} value=${value} />`)}
    ${
      shown.length > 0 &&
      html`<dl class="typed">
        ${shown.map(([name, value]) => html`<div><dt><code>${name}</code></dt><dd>${value}</dd></div>`)}
      </dl>`
    }
    <button>${t.again}</button>
  </form>`;
}
