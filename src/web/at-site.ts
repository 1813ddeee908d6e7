import type { Kysely } from "kysely";
import { findSiteOf } from "../database/accounts/site-roles.ts";
import type { Database } from "../database/tables.ts";
import type { PageContext } from "./page.ts";
import { onSite } from "./parts/access.ts";

/** What belongs to one site, by the name that its id has in the addresses of pages. */
const things = {
  report_id: "report",
  site_id: "site",
  schedule_id: "schedule",
  assignment_id: "assignment",
  share_link_id: "share_link",
} as const;

/**
 * A page about one site, by its address, with what the reader may do on that one: otherwise whoever is reader here and editor on
 * another site would be offered what the API refuses. Other pages as they are; only who has roles on single sites, or a token for them, costs a query.
 */
export async function atSite(db: Kysely<Database>, context: PageContext): Promise<PageContext> {
  const { reader, params, query } = context;
  const { person = null, bounds = null } = reader?.principal ?? {};
  if (!reader || !(person?.sites.length || bounds?.sites)) return context;
  for (const [name, thing] of Object.entries(things)) {
    const id = params[name] ?? query.get(name);
    const url = id ? await findSiteOf(db, reader.principal, thing, id) : undefined;
    if (url !== undefined) return onSite(context, url);
  }
  return context;
}
