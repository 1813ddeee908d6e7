import { type Kysely, sql } from "kysely";

/** Several engines check HTML, and what they need to know of a page is kept with its source. */
const statements = [
  // The Content-Type header, and how the bytes were decoded: {"name": "utf-8", "from": "header", "malformed": 1}.
  `alter table page_sources add column content_type text, add column charset jsonb`,
  // The part of the standard that a finding is about, where the engine names one.
  `alter table html_issues add column help_url text`,
  `alter table common_html_issues add column help_url text`,
  // Before this there was one engine. What is there keeps it, whatever the default is from now on.
  ...["reports", "schedules"].map(
    (table) => `update ${table} set spec = spec || '{"htmlEngine": "html-validate"}' where not spec ? 'htmlEngine'`,
  ),
  `update cluster_objects set object = jsonb_set(object, '{spec,htmlEngine}', '"html-validate"')
    where kind in ('Report', 'Schedule') and not object -> 'spec' ? 'htmlEngine'`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
