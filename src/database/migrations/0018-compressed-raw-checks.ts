import { type Kysely, sql } from "kysely";

/** Raw results are most of what a check writes, and PostgreSQL compresses them worse than the checker does. */
const statements = [
  `alter table raw_checks alter column raw drop not null`,
  // raw_zstd: the same, in UTF-8, compressed. raw stays for what earlier versions stored.
  `alter table raw_checks add column raw_zstd bytea`,
  `alter table raw_checks add constraint raw_checks_either check (num_nonnulls(raw, raw_zstd) = 1)`,
  // It is compressed already.
  `alter table raw_checks alter column raw_zstd set storage external`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
