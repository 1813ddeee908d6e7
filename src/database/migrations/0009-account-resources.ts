import { type Kysely, sql } from "kysely";

/** Finds the reports of an account whose resources exist: those that run, and those that have just ended. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql
    .raw(
      `create index reports_with_resources on reports (account_id, coalesce(completed_at, 'infinity'))
        where deleted_at is null`,
    )
    .execute(db);
}
