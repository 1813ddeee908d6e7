import { type Kysely, sql } from "kysely";

/** How long a spec is, so that adding up those of an account does not read them (../accounts/resources.ts). */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const table of ["reports", "schedules"])
    await sql
      .raw(`alter table ${table} add column spec_bytes integer generated always as (octet_length(spec::text)) stored`)
      .execute(db);
}
