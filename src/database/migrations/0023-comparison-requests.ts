import { type Kysely, sql } from "kysely";

/**
 * Comparisons that somebody asked for and that are too long for a request. The controller makes them. A row is gone once
 * the comparison is there; one that failed stays for a while, so that it can be said.
 */
const statements = [
  `create table comparison_requests (
    report_id uuid not null references reports on delete cascade,
    base_id uuid not null references reports on delete cascade,
    account_id uuid not null references accounts on delete cascade,
    by_guest boolean not null,
    requested_at timestamptz not null default now(),
    started_at timestamptz,
    -- How often it was started: also by controllers that have ended meanwhile.
    tries smallint not null default 0,
    percent smallint not null default 0,
    failed_at timestamptz,
    failure_code text,
    -- When pages of the two had last been checked when it failed: other results may be comparable.
    report_checked_at timestamptz,
    base_checked_at timestamptz,
    primary key (report_id, base_id)
  )`,
  `create index on comparison_requests (base_id)`,
  `create index on comparison_requests (account_id, requested_at)`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
