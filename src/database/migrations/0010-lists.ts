import { type Kysely, sql } from "kysely";

/** What the lists of findings, issues and pages are filtered and sorted by. */
const statements = [
  // The order of a report's findings, and what they are filtered by.
  ...["is null", "is not null"].map(
    (condition) => `create index on findings
      (report_id, issue_type, (4 - coalesce(impact_order, 0)), rule collate "C", id) where muting_id ${condition}`,
  ),
  // On how many pages a common issue is.
  ...["html", "a11y"].map((kind) => `create index on ${kind}_issues (common_id, web_page_id) where muting_id is null`),
  `create index on web_pages (report_id, url collate "C", id)`,
  `create index checks_failed on checks (report_id, web_page_id) where status = 'failed'`,
  // How many elements of the report's common issues are in which state: few rows, so that lists need not count.
  `create table compared_issues (
    comparison_id bigint not null references comparisons on delete cascade,
    kind text not null check (kind in ('html', 'a11y')),
    common_id bigint not null,
    is_muted boolean not null,
    state text not null,
    how_many integer not null,
    first_seen_at timestamptz not null,
    primary key (comparison_id, kind, common_id, is_muted, state)
  )`,
  // False for what a program of an earlier version has compared: it is counted in the background.
  `alter table comparisons add column issues_counted boolean not null default false`,
  `create index comparisons_uncounted on comparisons (id) where not issues_counted`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
