import { type Kysely, sql } from "kysely";

/** What tells a page that kills its checker from the pages beside it. */
const statements = [
  `alter table checks
    -- When the engine's run of this lease began; null while the check only waits in its checker.
    add column started_at timestamptz,
    -- The check is repeated alone in a new process: its checker died while it ran, or it met its deadline beside others.
    add column alone boolean not null default false,
    -- Runs that began alone and did not end: their process died. A run that is under way counts until it ends.
    add column crashes integer not null default 0`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
