import type { Attributes } from "../../api/documents.ts";
import { type Html, html } from "../html.ts";
import type { Attempt, PageContext } from "../page.ts";
import { texts } from "../texts/en.ts";
import { mayWrite } from "./access.ts";
import { actionForm, hiddenFields, input, problems } from "./form.ts";
import { icon, menu } from "./icon.ts";
import { shortTime } from "./text.ts";

const t = texts.kept;

/** Guests pin nothing. */
const mayPin = ({ reader }: PageContext) => mayWrite({ reader }) && reader?.principal.guestToken === null;

/** Says that a report is pinned, by whom and why. */
export function pinStrip(context: PageContext, { pin }: Attributes<"report">, owned: boolean): Html {
  if (!pin) return null;
  const fields = html`<input type="hidden" name="act" value="unpin" />`;
  const path = `/reports/${context.params.report_id}/pin`;
  return html`<div class="strip fine" role="note">
    ${icon("pin")}
    <p><b>${t.pinnedBy(pin.pinned_by)} ${shortTime(pin.inserted_at, "date")}:</b> “${pin.reason}” ${t.untilUnpinned}</p>
    ${owned && mayPin(context) && html`<div>${actionForm(context, path, t.unpin, { quiet: true, fields })}</div>`}
  </div>`;
}

/** The form that pins a report. */
export function pinForm(context: PageContext, attempt?: Attempt): Html {
  return html`<form class="grid" method="post" action=${context.href(`/reports/${context.params.report_id}/pin`)}>
    ${hiddenFields(context)} ${problems(attempt, ["reason"])}
    ${input({ name: "reason", label: t.why, required: true, attempt })}
    <p><button>${icon("pin")} ${t.pinNow}</button></p>
  </form>`;
}

/** A button that opens it, of a report which is not pinned yet. */
export function pinButton(context: PageContext, { pin }: Attributes<"report">): Html {
  if (pin || !mayPin(context)) return null;
  return menu(html`${icon("pin")} ${t.pin}`, pinForm(context));
}
