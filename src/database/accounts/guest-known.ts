import { sql } from "kysely";

/**
 * Whether the guest account of a row still exists, as the column `guest_known`. A subquery with `limit 1`, one lookup
 * per row: with `exists` PostgreSQL might read all guests.
 *
 * @param table which has a column guest_token
 */
export function guestKnown(table: "reports" | "mutings" | "basic_auths") {
  return sql<boolean>`coalesce((
    select true from guest_accounts g where g.token = ${sql.ref(`${table}.guest_token`)} and g.deleted_at is null limit 1
  ), false)`.as("guest_known");
}
