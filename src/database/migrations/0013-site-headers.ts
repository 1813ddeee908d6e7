import { type Kysely, sql } from "kysely";

/**
 * Stored credentials may have headers. For those that have nothing else, the user name is empty, and so is the password
 * that is encrypted: programs of earlier versions can read such a row, and send what the site ignores.
 */
const statements = [
  // headers_sealed: JSON, [{name, value}], encrypted as passwords are; null for none. The names can be shown.
  `alter table basic_auths add column headers_sealed bytea, add column header_names text[] not null default '{}'`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
