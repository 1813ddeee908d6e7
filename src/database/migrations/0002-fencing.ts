import { type Kysely, sql } from "kysely";

/** Numbers that tell the current leader and crawlers from earlier ones that may still run. */
const statements = [
  // The newest leader of each Lease (connection/leader-term.ts).
  `create table leader_terms (
    name text primary key,
    term bigint not null
  )`,
  // Each crawler that takes over the report's crawl increments it. A crawler with a lower number has an outdated frontier.
  `alter table reports add column crawl_epoch integer not null default 0`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
