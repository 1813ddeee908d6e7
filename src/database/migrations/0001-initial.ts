import { type Kysely, sql } from "kysely";

/**
 * The first schema. Conventions: text instead of varchar, timestamptz, identity
 * columns, `inserted_at`/`updated_at` as in the API, every foreign key indexed.
 * Migrations are append-only: a landed one is never edited.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  // ---- who: accounts, tokens, guests, credits -------------------------------
  `create table accounts (
    id uuid primary key default gen_random_uuid(),
    name text not null,
    monthly_credits integer check (monthly_credits >= 0),
    -- Raised by every new or deleted muting: checks of an older revision are recounted.
    muting_revision integer not null default 0,
    inserted_at timestamptz not null default now(),
    updated_at timestamptz not null default now()
  )`,
  `create table guest_accounts (
    token text primary key,
    account_id uuid not null references accounts on delete cascade,
    invitation_open boolean not null default true,
    max_usage integer not null check (max_usage >= 1),
    name text,
    email text,
    accepted_at timestamptz,
    deleted_at timestamptz,
    inserted_at timestamptz not null default now(),
    updated_at timestamptz not null default now()
  )`,
  `create index on guest_accounts (account_id, inserted_at, token)`,
  `create table api_tokens (
    id uuid primary key default gen_random_uuid(),
    account_id uuid not null references accounts on delete cascade,
    guest_token text references guest_accounts on delete cascade,
    name text not null,
    scope text not null check (scope in ('read', 'write')),
    -- SHA-256 of the token; the token itself is shown once and never stored.
    token_hash bytea not null unique,
    last_used_at timestamptz,
    inserted_at timestamptz not null default now()
  )`,
  `create index on api_tokens (account_id, inserted_at, id)`,
  `create index on api_tokens (guest_token, inserted_at, id)`,
  // One row an account and month (guest_token ''), and one a guest; the account's counts its guests too.
  `create table credit_usage (
    account_id uuid not null references accounts on delete cascade,
    guest_token text not null default '',
    month date not null,
    reserved integer not null default 0 check (reserved >= 0),
    charged integer not null default 0 check (charged >= 0),
    primary key (account_id, guest_token, month)
  )`,
  `create table basic_auths (
    id uuid primary key default gen_random_uuid(),
    account_id uuid not null references accounts on delete cascade,
    guest_token text references guest_accounts on delete cascade,
    host text not null,
    username text not null,
    -- AES-256-GCM: nonce, ciphertext and tag.
    password_sealed bytea not null,
    inserted_at timestamptz not null default now(),
    updated_at timestamptz not null default now()
  )`,
  `create index on basic_auths (account_id, inserted_at, id)`,
  `create index on basic_auths (guest_token, inserted_at, id)`,
  `create table mutings (
    id bigint generated always as identity primary key,
    account_id uuid not null references accounts on delete cascade,
    guest_token text references guest_accounts on delete cascade,
    url_match text not null,
    message text not null,
    comment text,
    inserted_at timestamptz not null default now(),
    updated_at timestamptz not null default now()
  )`,
  `create index on mutings (account_id, id)`,
  `create index on mutings (guest_token, id)`,

  // ---- schedules ------------------------------------------------------------
  `create table schedules (
    id uuid primary key,
    account_id uuid not null references accounts on delete cascade,
    guest_token text,
    namespace text not null,
    name text not null,
    uid text not null,
    generation bigint not null default 1,
    spec jsonb not null,
    starting_url text not null,
    tags text[] not null default '{}',
    active boolean not null default true,
    -- SHA-256 of the deploy hook's secret, and the secret itself sealed for the owner.
    hook_hash bytea unique,
    hook_sealed bytea,
    -- While a call of the hook waits for the active run to end: the id of the report that will follow.
    hook_report_id uuid,
    last_run_at timestamptz,
    next_run_at timestamptz,
    deleted_at timestamptz,
    inserted_at timestamptz not null default now(),
    updated_at timestamptz not null default now()
  )`,
  `create index on schedules (account_id, inserted_at desc, id) where deleted_at is null`,
  `create index on schedules (guest_token, inserted_at desc, id) where deleted_at is null`,
  `create index on schedules (namespace, name)`,
  // A slot is claimed by inserting it: whoever comes second finds it taken.
  `create table schedule_slots (
    schedule_id uuid not null references schedules on delete cascade,
    slot timestamptz not null,
    -- Decided with the slot, before the report is made.
    report_id uuid not null,
    state text not null check (state in ('active', 'ended')),
    inserted_at timestamptz not null default now(),
    primary key (schedule_id, slot)
  )`,
  `create unique index schedule_slots_one_active on schedule_slots (schedule_id) where state = 'active'`,

  // ---- reports --------------------------------------------------------------
  `create table reports (
    id uuid primary key,
    account_id uuid not null references accounts on delete cascade,
    guest_token text,
    schedule_id uuid,
    -- The custom resource that this row is a projection of.
    namespace text not null,
    name text not null,
    uid text not null,
    generation bigint not null default 1,
    spec jsonb not null,
    starting_url text not null,
    domain text not null,
    tags text[] not null default '{}',
    shared boolean not null default false,
    request_id text,
    phase text not null default 'Pending'
      check (phase in ('Pending', 'Crawling', 'Checking', 'Complete', 'Failed')),
    crawl_state text not null default 'pending' check (crawl_state in ('pending', 'crawling', 'ended', 'failed')),
    -- Why the report as a whole failed.
    failure_code text,
    failure_detail text,
    -- Name and version of each engine that ran: {"html": {…}, "a11y": {…}}.
    engines jsonb not null default '{}',
    num_pages integer not null default 0,
    html_pending integer not null default 0 check (html_pending >= 0),
    html_checked integer not null default 0 check (html_checked >= 0),
    html_failed integer not null default 0 check (html_failed >= 0),
    html_errors integer not null default 0 check (html_errors >= 0),
    html_warnings integer not null default 0 check (html_warnings >= 0),
    a11y_pending integer not null default 0 check (a11y_pending >= 0),
    a11y_checked integer not null default 0 check (a11y_checked >= 0),
    a11y_failed integer not null default 0 check (a11y_failed >= 0),
    a11y_errors integer not null default 0 check (a11y_errors >= 0),
    a11y_warnings integer not null default 0 check (a11y_warnings >= 0),
    a11y_minor integer not null default 0 check (a11y_minor >= 0),
    a11y_moderate integer not null default 0 check (a11y_moderate >= 0),
    a11y_serious integer not null default 0 check (a11y_serious >= 0),
    a11y_critical integer not null default 0 check (a11y_critical >= 0),
    -- Number of each stage's last Job, and what it was when a page was last to be checked again.
    runs jsonb not null default '{}',
    run_base jsonb,
    -- No ended check of the report was judged by older mutings than this.
    muting_revision integer not null default 0,
    last_checked_at timestamptz,
    completed_at timestamptz,
    deleted_at timestamptz,
    inserted_at timestamptz not null default now(),
    updated_at timestamptz not null default now()
  )`,
  // The order of lists, by each sort key; and by the usual one of those that one filter leaves.
  ...[
    "coalesce(last_checked_at, inserted_at)",
    'starting_url collate "C"',
    "num_pages",
    "html_errors",
    "html_errors desc, html_warnings",
    "html_warnings",
    "a11y_errors",
    "a11y_errors desc, a11y_warnings",
    "a11y_warnings",
  ].map((key) => `create index on reports (account_id, ${key} desc, id) where deleted_at is null`),
  `create index on reports (account_id, guest_token, coalesce(last_checked_at, inserted_at) desc, id)
    where deleted_at is null`,
  `create index on reports (account_id, coalesce(last_checked_at, inserted_at) desc, id)
    where deleted_at is null and guest_token is not null`,
  `create index on reports (account_id, muting_revision) where deleted_at is null`,
  `create index on reports (schedule_id, coalesce(last_checked_at, inserted_at) desc, id) where schedule_id is not null`,
  `create index on reports (namespace, name)`,
  `create index on reports (deleted_at) where deleted_at is not null`,
  `create index on reports (inserted_at, id) where phase not in ('Complete', 'Failed') and deleted_at is null`,
  `create index on reports using gin (tags)`,
  // The report's rate limiter: whoever requests a page moves next_slot on by one interval.
  `create table rate_limits (
    report_id uuid primary key references reports on delete cascade,
    next_slot timestamptz not null default now()
  )`,

  // ---- crawl ----------------------------------------------------------------
  // Every URL that the Spider means to visit, in the order found; done once visited.
  `create table frontier (
    report_id uuid not null references reports on delete cascade,
    url text not null,
    position bigint not null,
    depth integer not null,
    linked_from text,
    done boolean not null default false,
    primary key (report_id, url)
  )`,
  `create index on frontier (report_id, position) where not done`,
  `create table web_pages (
    id bigint generated always as identity primary key,
    report_id uuid not null references reports on delete cascade,
    url text not null,
    linked_from text,
    http_status integer,
    last_checked_at timestamptz,
    inserted_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    unique (report_id, url)
  )`,
  `create index on web_pages (report_id, id)`,
  // The page as fetched, until its HTML check is done. Decoded to UTF-8, compressed by encoding.
  `create table page_sources (
    web_page_id bigint primary key references web_pages on delete cascade,
    encoding text not null check (encoding in ('identity', 'zstd')),
    body bytea not null
  )`,
  // Already compressed: trying again would only cost time.
  `alter table page_sources alter column body set storage external`,
  `create table excluded_urls (
    id bigint generated always as identity primary key,
    report_id uuid not null references reports on delete cascade,
    url text not null,
    linked_from text,
    reason text not null,
    inserted_at timestamptz not null default now(),
    unique (report_id, url)
  )`,
  `create index on excluded_urls (report_id, id)`,

  // ---- checks and findings --------------------------------------------------
  `create table checks (
    id bigint generated always as identity primary key,
    report_id uuid not null references reports on delete cascade,
    web_page_id bigint not null references web_pages on delete cascade,
    kind text not null check (kind in ('html', 'a11y')),
    status text not null default 'queued' check (status in ('queued', 'leased', 'checked', 'failed')),
    attempts integer not null default 0,
    -- Fencing: a worker may end a check only with the token of its own lease.
    lease_token bigint,
    lease_until timestamptz,
    -- The month whose credit is reserved for this check, until it ends.
    reserved_month date,
    failure_code text,
    failure_detail text,
    errors integer not null default 0,
    warnings integer not null default 0,
    minor integer not null default 0,
    moderate integer not null default 0,
    serious integer not null default 0,
    critical integer not null default 0,
    muting_revision integer not null default 0,
    finished_at timestamptz,
    inserted_at timestamptz not null default now(),
    unique (web_page_id, kind)
  ) with (fillfactor = 70)`,
  `create index checks_queued on checks (report_id, kind, id) where status = 'queued'`,
  `create index checks_leased on checks (report_id, kind, lease_until) where status = 'leased'`,
  `create index on checks (report_id)`,
  `create sequence lease_tokens`,
  `create table common_html_issues (
    id bigint generated always as identity primary key,
    report_id uuid not null references reports on delete cascade,
    -- Digest of type, sub type and message: messages may be longer than an index entry.
    key bytea not null,
    issue_type text not null check (issue_type in ('error', 'warning')),
    issue_sub_type text,
    message text not null,
    tags text[] not null default '{}',
    -- Not muted findings only; 0 hides the row from lists.
    how_many integer not null default 0 check (how_many >= 0),
    inserted_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    unique (report_id, key)
  ) with (fillfactor = 70)`,
  `create table html_issues (
    id bigint generated always as identity primary key,
    report_id uuid not null references reports on delete cascade,
    web_page_id bigint not null references web_pages on delete cascade,
    common_id bigint not null references common_html_issues on delete cascade,
    issue_type text not null,
    issue_sub_type text,
    message text not null,
    tags text[] not null default '{}',
    html jsonb not null,
    how_many integer not null,
    -- The muting that silences this issue, if any.
    muting_id bigint,
    inserted_at timestamptz not null default now(),
    updated_at timestamptz not null default now()
  )`,
  `create index on html_issues (web_page_id)`,
  `create index on html_issues (common_id)`,
  `create index on html_issues (report_id, muting_id) where muting_id is not null`,
  `create table common_a11y_issues (
    id bigint generated always as identity primary key,
    report_id uuid not null references reports on delete cascade,
    -- Digest of rule, impact and review.
    key bytea not null,
    rule_id text not null,
    help text not null,
    help_url text not null,
    impact text not null,
    impact_order integer not null,
    review boolean not null,
    tags text[] not null default '{}',
    how_many integer not null default 0 check (how_many >= 0),
    inserted_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    unique (report_id, key)
  ) with (fillfactor = 70)`,
  `create table a11y_issues (
    id bigint generated always as identity primary key,
    report_id uuid not null references reports on delete cascade,
    web_page_id bigint not null references web_pages on delete cascade,
    common_id bigint not null references common_a11y_issues on delete cascade,
    rule_id text not null,
    help text not null,
    help_url text not null,
    impact text not null,
    impact_order integer not null,
    review boolean not null,
    tags text[] not null default '{}',
    html jsonb not null,
    how_many integer not null,
    muting_id bigint,
    inserted_at timestamptz not null default now(),
    updated_at timestamptz not null default now()
  )`,
  `create index on a11y_issues (web_page_id)`,
  `create index on a11y_issues (common_id)`,
  `create index on a11y_issues (report_id, muting_id) where muting_id is not null`,
  `create table raw_checks (
    id bigint generated always as identity primary key,
    web_page_id bigint not null references web_pages on delete cascade,
    kind text not null check (kind in ('html', 'a11y')),
    -- json, not jsonb: the engine's output is kept as it came.
    raw json not null,
    inserted_at timestamptz not null default now(),
    unique (web_page_id, kind)
  )`,
  `create table screenshots (
    web_page_id bigint primary key references web_pages on delete cascade,
    png bytea not null,
    inserted_at timestamptz not null default now()
  )`,

  // ---- the API's own --------------------------------------------------------
  `create table idempotency_keys (
    token_id uuid not null references api_tokens on delete cascade,
    key text not null,
    request_hash bytea not null,
    -- null while the first request still runs.
    status integer,
    headers jsonb,
    body text,
    inserted_at timestamptz not null default now(),
    primary key (token_id, key)
  )`,
  `create index on idempotency_keys (inserted_at)`,
  // API calls by caller in the current minute, over all replicas. Losing them in a crash is no harm.
  `create unlogged table api_calls (
    key text primary key,
    ends_at timestamptz not null,
    used integer not null,
    -- What the last statement took: RETURNING shows new values only.
    granted integer not null
  ) with (fillfactor = 50)`,
  `create index on api_calls (ends_at)`,

  // ---- the local cluster: objects and their changes in commit order ----------
  `create table cluster_objects (
    kind text not null,
    namespace text not null,
    name text not null,
    uid text not null unique,
    resource_version bigint not null,
    object jsonb not null,
    primary key (kind, namespace, name)
  )`,
  `create index on cluster_objects using gin ((object -> 'metadata' -> 'labels') jsonb_path_ops)`,
  `create table cluster_changes (
    resource_version bigint primary key,
    type text not null check (type in ('ADDED', 'MODIFIED', 'DELETED')),
    kind text not null,
    object jsonb not null,
    inserted_at timestamptz not null default now()
  )`,
  // One row: the last resource version. Locking it serialises the writes, so that versions are commit order.
  `create table cluster_version (
    singleton boolean primary key default true check (singleton),
    resource_version bigint not null
  )`,
  `insert into cluster_version (resource_version) values (1)`,
];
