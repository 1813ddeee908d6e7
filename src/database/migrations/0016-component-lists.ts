import { type Kysely, sql } from "kysely";

/** The components of a report that people look at first, grouped once when it ends. */
const statements = [
  // version: of the report's results; a list of another version is outdated. list: as src/database/findings/list-components.ts
  // writes it, at most 100 components without their findings.
  `create table component_lists (
    report_id uuid primary key references reports (id) on delete cascade,
    version text not null,
    list jsonb not null
  )`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
