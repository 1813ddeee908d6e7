import { type Kysely, sql } from "kysely";

/** All components of a large report, for every order and filter of their list. */
const statements = [
  `alter table component_lists
    -- Of the report's results, when its components were stored below; null if they are not.
    add column all_version text,
    -- The comparison by whose states they are stored as well.
    add column comparison_id bigint,
    -- The findings of each have the same type and impact.
    add column is_uniform boolean not null default false`,
  `create table components (
    report_id uuid not null references component_lists (report_id) on delete cascade,
    -- Of the findings that are counted; null for all.
    state text,
    is_muted boolean not null,
    component bytea not null,
    rule text not null,
    -- The first of its findings, which stands for all of them.
    finding_id bigint not null,
    how_many integer not null,
    num_pages integer not null,
    issue_type text not null,
    impact_order smallint
  )`,
  `create index on components (report_id, state)`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
