import { type Kysely, sql } from "kysely";
import type { Database } from "../tables.ts";

/**
 * The channel of notifications about changed reports, schedules and mutings. The payload is an id, MUTINGS_CHANGED or
 * COMPARISON_REQUESTED.
 */
export const CHANNEL = "site_validator";

/** The notification that mutings have changed and existing results must be recounted. */
export const MUTINGS_CHANGED = "mutings";

/** The notification that somebody asks for a comparison, or that comparisons have to be counted again. */
export const COMPARISON_REQUESTED = "comparisons";

/** Notifies all listeners: with the id of a report that has changed, or of a schedule that has to be reconciled. */
export async function notify(db: Kysely<Database>, payload: string): Promise<void> {
  await sql`select pg_notify(${CHANNEL}, ${payload})`.execute(db);
}
