import { type Kysely, sql } from "kysely";

/** Reports are judged by a gate when they end (domain/gate.ts), and count what is outside of their standard apart. */
const statements = [
  // null before the end, and without a gate.
  `alter table reports add column passed boolean, add column gate_results jsonb,
    add column a11y_outside_standard integer not null default 0`,
  `alter table checks add column outside_standard integer not null default 0`,
  // Of a rule that is not of the report's standard: neither an error nor a warning. Programs of earlier versions know
  // no standards, and count everything.
  ...["a11y_issues", "common_a11y_issues", "findings"].map(
    (table) => `alter table ${table} add column outside_standard boolean not null default false`,
  ),
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
