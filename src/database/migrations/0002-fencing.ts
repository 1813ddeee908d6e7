import { type Kysely, sql } from "kysely";

/** What tells writers of now from those who have lost their place without knowing it yet. */
const statements = [
  // The newest leader of each Lease (connection/leader-term.ts).
  `create table leader_terms (
    name text primary key,
    term bigint not null
  )`,
  // Raised by each crawler that takes the report's crawl up: one whose number is older has an old frontier.
  `alter table reports add column crawl_epoch integer not null default 0`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
