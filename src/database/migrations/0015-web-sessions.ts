import { type Kysely, sql } from "kysely";

/** People who are signed in to the pages, and links that sign in once. Both act as a token, and end with it. */
const statements = [
  // Digests only: who reads the database cannot sign in.
  `create table web_sessions (
    secret_hash bytea primary key,
    token_id uuid not null references api_tokens (id) on delete cascade,
    inserted_at timestamptz not null default now(),
    expires_at timestamptz not null
  )`,
  `create index on web_sessions (token_id)`,
  `create index on web_sessions (expires_at)`,
  `create table sign_in_codes (
    code_hash bytea primary key,
    token_id uuid not null references api_tokens (id) on delete cascade,
    expires_at timestamptz not null
  )`,
  `create index on sign_in_codes (token_id)`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
