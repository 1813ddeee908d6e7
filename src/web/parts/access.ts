import { callerOn, mayDo } from "../../domain/accounts/principal.ts";
import type { Right } from "../../domain/accounts/roles.ts";
import { RequestError } from "../../domain/errors.ts";
import { type Html, html } from "../html.ts";
import type { PageContext } from "../page.ts";
import { texts } from "../texts/en.ts";

/** Whether the signed-in reader may change something on this page: some tokens may only read, and roles differ. */
export function mayWrite({ reader }: Pick<PageContext, "reader">, right: Right = "change"): boolean {
  return reader !== null && mayDo(reader.here, { method: "POST", right });
}

/** Where something is about one site, a page or a row of a list: what a role on another site gives, the reader may not do there. */
export function onSite<About extends Pick<PageContext, "reader">>(context: About, startingUrl: string): About {
  const { reader } = context;
  return reader === null
    ? context
    : { ...context, reader: { ...reader, here: callerOn(reader.principal, startingUrl) } };
}

/** Whether the reader sees the account as a whole: whoever has roles on single sites only does not. */
export function seesAll({ reader }: Pick<PageContext, "reader">): boolean {
  return reader === null || reader.principal.sites === null;
}

/** Why the reader may not change something. */
export function whyNot({ reader }: Pick<PageContext, "reader">): string {
  const { scope, bounds } = reader?.principal ?? {};
  if (bounds) return texts.boundsOnly;
  return scope === "write" ? texts.roleOnly : texts.readOnly;
}

/** Content for people who may make changes; others are told why it is missing. */
export function forWriters(context: Pick<PageContext, "reader">, content: () => Html, right?: Right): Html {
  return mayWrite(context, right) ? content() : html`<p class="quiet">${whyNot(context)}</p>`;
}

/** @throws RequestError 403 for a guest, as the API does */
export function requireHost({ reader }: Pick<PageContext, "reader">): void {
  if (reader?.principal.guestToken === null) return;
  const detail = texts.guests.hostOnly;
  throw new RequestError({ status: 403, code: "host_only", title: "Forbidden", detail });
}
