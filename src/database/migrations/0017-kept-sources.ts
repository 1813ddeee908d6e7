import { type Kysely, sql } from "kysely";

/** The sources of pages with findings stay, for people to look at; and the list of sites has an index. */
const statements = [
  // kept: of a page whose HTML check has ended. It is only shown: a page that is checked again is fetched again.
  `alter table page_sources add column kept boolean not null default false`,
  // The few that wait for their check, among all that are kept.
  `create index page_sources_waiting on page_sources (web_page_id) where not kept`,
  `create index reports_of_site on reports (account_id, starting_url, inserted_at desc, id) where deleted_at is null`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
