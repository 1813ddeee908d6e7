import { type Kysely, sql } from "kysely";

/** How much checks have stored, for the limit of an account. What earlier versions stored counts as nothing. */
const statements = [
  // Findings, raw result and screenshot of the check's last run.
  `alter table checks add column stored_bytes integer not null default 0`,
  // The sum over the report's checks.
  `alter table reports add column stored_bytes bigint not null default 0`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
