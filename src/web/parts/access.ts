import { RequestError } from "../../domain/errors.ts";
import { type Html, html } from "../html.ts";
import type { PageContext } from "../page.ts";
import { texts } from "../texts/en.ts";

/** Whether the signed-in reader may change anything: some tokens may only read. */
export function mayWrite({ reader }: Pick<PageContext, "reader">): boolean {
  return reader?.principal.scope === "write";
}

/** Content for people who may make changes; others are told why it is missing. */
export function forWriters(context: Pick<PageContext, "reader">, content: () => Html): Html {
  return mayWrite(context) ? content() : html`<p class="quiet">${texts.readOnly}</p>`;
}

/** @throws RequestError 403 for a guest, as the API does */
export function requireHost({ reader }: Pick<PageContext, "reader">): void {
  if (reader?.principal.guestToken === null) return;
  const detail = texts.guests.hostOnly;
  throw new RequestError({ status: 403, code: "host_only", title: "Forbidden", detail });
}
