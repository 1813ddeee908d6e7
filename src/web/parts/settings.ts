import { mayDo } from "../../domain/accounts/principal.ts";
import type { Right } from "../../domain/accounts/roles.ts";
import { type Html, html } from "../html.ts";
import type { PageContext, Section, View } from "../page.ts";
import { texts } from "../texts/en.ts";
import { seesAll } from "./access.ts";

/** The pages of what is an account's own, with their paths. */
const settingsPaths = {
  people: "/people",
  guests: "/guests",
  tokens: "/tokens",
  receivers: "/receivers",
  credentials: "/credentials",
  usage: "/usage",
  kept: "/kept",
  audit: "/audit",
} as const satisfies Partial<Record<Section, string>>;
export type SettingsTab = keyof typeof settingsPaths;

/** What a guest has none of. */
const hostsOwn: readonly SettingsTab[] = ["people", "guests", "receivers", "kept", "audit"];

/** What a tab needs the right to do, where not everybody may read it. */
const needed: Partial<Record<SettingsTab, Right>> = {
  guests: "people",
  tokens: "tokens",
  receivers: "receivers",
  kept: "keep",
  audit: "audit",
};

/** Links to the account's pages. */
export function settingsLinks({ href, reader }: PageContext, current: Section | undefined): Html {
  const isGuest = reader?.principal.guestToken !== null;
  const maySee = (right: Right = "read") => reader !== null && mayDo(reader.principal, { method: "GET", right });
  // Usage is that of the whole account.
  const isEverywhere = seesAll({ reader });
  const tabs = (Object.keys(settingsPaths) as SettingsTab[]).filter(
    (tab) => (!hostsOwn.includes(tab) || !isGuest) && (isEverywhere || tab !== "usage") && maySee(needed[tab]),
  );
  return tabs.map(
    (tab) => html`<li>
      <a href=${href(settingsPaths[tab])} aria-current=${tab === current ? "true" : undefined}>${texts.sections[tab]}</a>
    </li>`,
  );
}

/** One of the account's pages, below the tabs that lead to all of them. */
export function settingsView(context: PageContext, tab: SettingsTab, content: Html): View {
  return {
    title: texts.sections[tab],
    heading: texts.settingsTitle,
    section: tab,
    content: html`<div>
      <nav class="tabs" aria-label=${texts.settingsTitle}><ul class="line">${settingsLinks(context, tab)}</ul></nav>
      ${content}
    </div>`,
  };
}

/** A page below one of them, such as that of a guest. */
export function settingsCrumbs({ href }: PageContext, tab: SettingsTab): Pick<View, "crumbs" | "section"> {
  return { section: tab, crumbs: [{ text: texts.sections[tab], to: href(settingsPaths[tab]) }] };
}
