import { type Kysely, sql } from "kysely";

/**
 * The last Job of each stage of a report: {stage: {run, attempt, done}}. Once a Job is removed, nothing else says how
 * many Jobs in a row made no progress.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(`alter table reports add column last_jobs jsonb not null default '{}'`).execute(db);
}
