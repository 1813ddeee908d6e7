import type { NotArrived } from "../../domain/accounts/provider.ts";
import { type Html, html } from "../html.ts";
import type { PageContext, View } from "../page.ts";
import { icon } from "../parts/icon.ts";
import { shortTime } from "../parts/text.ts";
import { texts } from "../texts/en.ts";

const t = texts.provider;

/** Where signing in by the provider begins, where it leads back to, and where somebody signs out of it. */
export const PROVIDER = "/sign-in/provider";
export const PROVIDER_BACK = "/sign-in/back";
export const PROVIDER_END = "/sign-in/provider/end";

/** The provider, as the page to sign in shows it. */
export type ShownProvider = { name: string; awaySince: Date | undefined };

/** The way in by the provider, or that there is none now. */
export function providerPart(
  { href }: PageContext,
  { name, awaySince }: ShownProvider,
  next: string | undefined,
): Html {
  const to = href(PROVIDER, { next });
  if (awaySince !== undefined)
    return html`<div class="strip" role="alert">${icon("alert")}<p><b>${t.away(name)}</b> ${t.since} ${shortTime(awaySince.toISOString().slice(0, -1), "clock")}. ${t.stay}</p></div>
      <p><a class="button quiet" href=${to}>${icon("again")} ${t.again}</a></p>`;
  return html`<p><a class="button" href=${to}>${icon("lock")} ${t.signIn(name)}</a></p>
    <p class="small quiet">${t.where}</p>`;
}

/** Whom to ask for access. */
export function contactPart(contact: string | undefined): Html {
  return contact === undefined ? t.askOwner : html`${t.ask} <a href=${`mailto:${contact}`}>${contact}</a>.`;
}

/** For somebody whom the provider knows, and this service does not let in. */
export function unknownView(
  { href, provider }: PageContext,
  { name, why, contact, requestId }: { name: string; why: NotArrived; contact: string | undefined; requestId: string },
): View {
  return {
    title: t.unknown,
    isNarrow: true,
    status: 403,
    content: html`<div class="card grid large">
      <h1>${t.unknown}</h1>
      <div class="strip" role="alert">${icon("alert")}<p><b>${t.knows(name)}</b> ${t.why[why]}</p></div>
      <p>${contactPart(contact)} ${t.reference} <code>${requestId}</code>.</p>
      ${provider !== undefined && html`<p><a class="button quiet" href=${href(PROVIDER, { again: "1" })}>${t.somebodyElse}</a></p>`}
    </div>`,
  };
}
