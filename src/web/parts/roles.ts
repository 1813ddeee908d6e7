import { type Roles, siteRoles } from "../../domain/accounts/roles.ts";
import { type Html, html } from "../html.ts";
import { texts } from "../texts/en.ts";

const t = texts.people;

/** Roles on single sites, the higher ones first. @param to the address of these sites */
export function onSingleSites(sites: Roles["sites"], to?: string): Html[] {
  return siteRoles.toReversed().flatMap((role) => {
    const howMany = sites.filter((site) => site.role === role).length;
    if (howMany === 0) return [];
    const counted = texts.count.sites(howMany);
    return [
      html`${t.roles[role]} <span class="small quiet">${to === undefined ? counted : html`<a href=${to}>${counted}</a>`}</span>`,
    ];
  });
}

/** The roles of somebody, in words. */
export function rolesText({ role, sites }: Roles): string {
  const onSites = siteRoles.toReversed().flatMap((one) => {
    const howMany = sites.filter((site) => site.role === one).length;
    return howMany === 0 ? [] : [t.onSites(t.roles[one], texts.count.sites(howMany))];
  });
  return [...(role === null ? [] : [t.roles[role]]), ...onSites].join(", ");
}
