import { type Kysely, sql } from "kysely";

/**
 * A resource has one row: it is found by the uid, which nobody can edit. Rows that an edited annotation has made
 * besides are marked deleted, and give up their uid; the first one stays.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const table of ["reports", "schedules"]) {
    await sql
      .raw(`update ${table} set uid = 'none-' || id, deleted_at = coalesce(deleted_at, now())
        where exists (select from ${table} earlier where earlier.uid = ${table}.uid
          and (earlier.inserted_at, earlier.id) < (${table}.inserted_at, ${table}.id))`)
      .execute(db);
    await sql.raw(`create unique index ${table}_uid on ${table} (uid)`).execute(db);
  }
}
