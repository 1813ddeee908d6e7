import { type Kysely, sql } from "kysely";
import { checkKinds } from "../../checks/kinds.ts";
import { encryptedValues } from "../../domain/accounts/encrypted-values.ts";
import { actors, areas, ways } from "../../domain/audit/entry.ts";
import { ADDRESS_DAYS, AUDIT_DAYS } from "../../domain/audit/kept.ts";

/**
 * The first schema. Conventions: text instead of varchar, timestamptz, identity
 * columns, `inserted_at`/`updated_at` as in the API, every foreign key indexed.
 * Until the first release it is edited; after that, README.md beside it says how the schema changes.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { rows } = await sql<{ schema: string }>`select quote_ident(current_schema()) as schema`.execute(db);
  for (const statement of [...tables, ...jobRules(rows[0]?.schema ?? "public")]) await sql.raw(statement).execute(db);
}

const namesOf = (names: readonly string[]): string => names.map((name) => `'${name}'`).join(", ");

/** A kind of check. After the first release, a new kind needs a migration that changes the constraints. */
const kind = `kind text not null check (kind in (${namesOf(checkKinds)}))`;

const tables = [
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
    -- 'person': somebody who signs in to the pages, with a row in people. It is no credential: it has no secret.
    kind text not null default 'token' check (kind in ('token', 'person')),
    -- The person who made the token: it ends with the person, and may not do more.
    made_by uuid references api_tokens on delete cascade,
    scope text not null check (scope in ('read', 'write')),
    -- What it is bounded to, besides by its scope; null for a token without such bounds.
    may text[] check (may <@ array['read', 'run', 'write', 'all'] and may <> '{}'),
    -- The sites that it is for: those that are named or have one of the tags; all sites when both are null.
    site_urls text[],
    site_tags text[],
    -- SHA-256 of the token; the token itself is shown once and never stored.
    token_hash bytea unique,
    -- Its first and last signs, by which people know which one it is; null for older ones.
    shown text,
    -- The last request that it was accepted for, to within a minute.
    last_used_at timestamptz,
    last_address text,
    -- It is not accepted any more from then on; null for no end.
    expires_at timestamptz,
    inserted_at timestamptz not null default now(),
    check ((kind = 'token') = (token_hash is not null)),
    check (kind = 'token' or (guest_token is null and made_by is null and may is null)),
    check (may is not null or (site_urls is null and site_tags is null)),
    check (guest_token is null or (site_urls is null and site_tags is null))
  )`,
  `create index on api_tokens (account_id, inserted_at, id)`,
  `create index on api_tokens (made_by) where made_by is not null`,
  `create index on api_tokens (expires_at) where made_by is not null`,
  `create index on api_tokens (guest_token, inserted_at, id)`,
  // How many requests a token was accepted for on a day, for 30 days.
  `create table token_uses (
    token_id uuid not null references api_tokens on delete cascade,
    day date not null,
    requests integer not null,
    primary key (token_id, day)
  )`,
  // People who are signed in to the pages, and links that sign in once. Both act as a token, and end with it.
  // Digests only: who reads the database cannot sign in.
  `create table web_sessions (
    secret_hash bytea primary key,
    -- What the session is called where it is listed: no secret.
    id uuid not null default gen_random_uuid() unique,
    token_id uuid not null references api_tokens on delete cascade,
    -- What the browser says that it is, and where it was used last.
    user_agent text,
    address text,
    inserted_at timestamptz not null default now(),
    last_used_at timestamptz not null default now(),
    expires_at timestamptz not null
  )`,
  `create index on web_sessions (token_id)`,
  `create index on web_sessions (expires_at)`,
  `create table sign_in_codes (
    code_hash bytea primary key,
    token_id uuid not null references api_tokens on delete cascade,
    expires_at timestamptz not null
  )`,
  `create index on sign_in_codes (token_id)`,
  // People who sign in, each with a row of api_tokens of the same id, which has the name.
  `create table people (
    id uuid primary key references api_tokens on delete cascade,
    account_id uuid not null references accounts on delete cascade,
    -- In lower case.
    mail text not null,
    -- What an owner gave, and what the provider's groups gave at the last sign-in: the higher counts.
    role text check (role in ('reader', 'editor', 'owner')),
    group_role text check (group_role in ('reader', 'editor', 'owner')),
    groups text[] not null default '{}',
    -- What groups gave counts until then, unless the person signs in by the provider again.
    group_role_ends_at timestamptz,
    -- scrypt, with its salt and its parameters.
    password_hash text,
    -- The secret of the second factor, encrypted, and the last time step that was accepted: a code works once.
    totp_secret bytea,
    totp_step bigint,
    -- Who it is for the provider (OpenID Connect).
    oidc_issuer text,
    oidc_subject text,
    -- An owner has decided that the provider's next sign-in with this mail address is this person's.
    awaits_provider boolean not null default false,
    -- An invitation that is not accepted yet: the digest of its secret, and until when it works.
    invitation_hash bytea unique,
    invitation_ends_at timestamptz,
    invited_by text,
    -- When the access ends.
    ends_at timestamptz,
    unique (account_id, mail),
    unique (oidc_issuer, oidc_subject)
  )`,
  // Invitations that are sent by mail, also of people who are removed by now: so many go out in a day.
  `create table invitation_mails (
    id uuid primary key default gen_random_uuid(),
    account_id uuid not null references accounts on delete cascade,
    person_id uuid unique references people on delete set null,
    mail text not null,
    -- The digest of the secret in its link, which is another than that of the link that was shown; a new one in each attempt.
    secret_hash bytea unique,
    state text not null default 'waiting' check (state in ('waiting', 'sent', 'refused')),
    tries smallint not null default 0,
    next_at timestamptz not null,
    -- Of the mail server, or why there is none.
    answer text,
    asked_at timestamptz not null
  )`,
  `create index on invitation_mails (next_at) where state = 'waiting'`,
  `create index on invitation_mails (account_id, asked_at)`,
  `create index on invitation_mails (mail, asked_at)`,
  // Who made a token was told that it ends then, or is to be told.
  `create table token_end_mails (
    token_id uuid primary key references api_tokens on delete cascade,
    expires_at timestamptz not null,
    tries smallint not null,
    -- When it is tried again; null when it was sent, or is given up.
    next_at timestamptz,
    -- Of this end, or one before.
    sent_at timestamptz
  )`,
  // People who have something together. Groups of the sign-in provider are others: they give roles.
  `create table teams (
    id uuid primary key default gen_random_uuid(),
    account_id uuid not null references accounts on delete cascade,
    name text not null,
    inserted_at timestamptz not null default now(),
    unique (account_id, name)
  )`,
  `create table team_members (
    team_id uuid not null references teams on delete cascade,
    person_id uuid not null references people on delete cascade,
    primary key (team_id, person_id)
  )`,
  `create index on team_members (person_id)`,
  // What people may do on single sites, besides what they may on all. It ends with the person, and with the site.
  `create table site_roles (
    person_id uuid not null references people on delete cascade,
    starting_url text not null,
    role text not null check (role in ('reader', 'editor')),
    given_by text not null,
    given_at timestamptz not null
  )`,
  // By a digest: an address may be longer than a row of an index.
  `create unique index on site_roles (person_id, md5(starting_url))`,
  `create index on site_roles (md5(starting_url))`,
  `create index on people (mail)`,
  // Codes that create the first owner, until there is one.
  `create table setup_codes (
    code_hash bytea primary key,
    expires_at timestamptz not null,
    tries integer not null default 0
  )`,
  // Sign-ins by the provider that have begun. What the provider is told is derived from the secret, which the browser has.
  `create table provider_sign_ins (
    secret_hash bytea primary key,
    -- The path to go on with.
    next text,
    expires_at timestamptz not null
  )`,
  `create index on provider_sign_ins (expires_at)`,
  // Attempts to sign in that failed, by whose they were: an address, or a name.
  `create table failed_sign_ins (
    key text primary key,
    tries integer not null,
    ends_at timestamptz not null
  )`,
  `create index on failed_sign_ins (ends_at)`,
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
    -- null where there are headers alone.
    username text,
    -- Key id, nonce, ciphertext and tag of AES-256-GCM. What is encrypted is listed in domain/accounts/encrypted-values.ts.
    password_encrypted bytea,
    -- JSON, [{name, value}], encrypted as passwords are; null for none. The names can be shown.
    headers_encrypted bytea,
    header_names text[] not null default '{}',
    -- JSON, encrypted in the same way; null for none. What the steps do can be shown.
    sign_in_encrypted bytea,
    sign_in_steps text[] not null default '{}',
    check ((username is null) = (password_encrypted is null)),
    inserted_at timestamptz not null default now(),
    updated_at timestamptz not null default now()
  )`,
  `create index on basic_auths (account_id, inserted_at, id)`,
  `create index on basic_auths (guest_token, inserted_at, id)`,
  `create table mutings (
    id bigint generated always as identity primary key,
    account_id uuid not null references accounts on delete cascade,
    guest_token text references guest_accounts on delete cascade,
    -- What it matches: {url_match, message, rule, selector, steps, fingerprint, component}.
    criteria jsonb not null,
    category text check (category in ('false_positive', 'accepted', 'third_party', 'later', 'passed')),
    comment text,
    reason text,
    -- The name of the token by which it was created; null for one that is older than that.
    created_by text,
    expires_at timestamptz,
    -- It is over, and its findings are counted again.
    expired boolean not null default false,
    inserted_at timestamptz not null default now(),
    updated_at timestamptz not null default now()
  )`,
  `create index on mutings (account_id, id)`,
  `create index on mutings (guest_token, id)`,
  `create index on mutings (expires_at) where expires_at is not null and not expired`,
  // Those whose end is still to come: a clock that was ahead has ended them.
  `create index on mutings (expires_at) where expired`,

  // ---- schedules ------------------------------------------------------------
  `create table schedules (
    id uuid primary key,
    account_id uuid not null references accounts on delete cascade,
    guest_token text,
    namespace text not null,
    name text not null,
    uid text not null unique,
    generation bigint not null default 1,
    spec jsonb not null,
    -- How long it is, so that adding up those of an account does not read them (../accounts/accounts.ts).
    spec_bytes integer generated always as (octet_length(spec::text)) stored,
    starting_url text not null,
    tags text[] not null default '{}',
    active boolean not null default true,
    -- SHA-256 of the deploy hook's secret, and the secret itself, encrypted, for the owner.
    hook_hash bytea unique,
    hook_encrypted bytea,
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
  // A slot is claimed by inserting it: the second process finds it taken.
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
    uid text not null unique,
    generation bigint not null default 1,
    spec jsonb not null,
    spec_bytes integer generated always as (octet_length(spec::text)) stored,
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
    -- What checks have stored: findings, raw results and screenshots of their last runs.
    stored_bytes bigint not null default 0,
    -- The last Job of each stage, {stage: {run, attempt, done}}, also once it is removed; and what it was when a page was
    -- last to be checked again.
    last_jobs jsonb not null default '{}',
    run_base jsonb,
    -- Each crawler that takes over the report's crawl increments it. A crawler with a lower number has an outdated frontier.
    crawl_epoch integer not null default 0,
    -- The actions of the forms to sign in that the start page has: what the whole site has is no sign-in.
    start_forms text[] not null default '{}',
    -- Scheme and host to which the starting URL led; null until the crawler knows it.
    site_origin text,
    -- By its gate when it ended (domain/findings/gate.ts); null before the end, and without a gate.
    passed boolean,
    gate_results jsonb,
    -- Its pages were compared with each other, if they are to be.
    site_reviewed boolean not null default false,
    -- What its result covers (domain/coverage/coverage.ts); null before the end.
    coverage jsonb,
    -- No ended check of the report was judged by older mutings than this.
    muting_revision integer not null default 0,
    -- When its crawler began, and when all pages were found.
    crawl_started_at timestamptz,
    crawl_ended_at timestamptz,
    last_checked_at timestamptz,
    completed_at timestamptz,
    deleted_at timestamptz,
    inserted_at timestamptz not null default now(),
    updated_at timestamptz not null default now()
  )`,
  // The order of lists, by each sort key that is a column (those of counters are below); and by the usual one of those
  // that one filter leaves.
  ...["coalesce(last_checked_at, inserted_at)", 'starting_url collate "C"', "num_pages", "stored_bytes"].map(
    (key) => `create index on reports (account_id, ${key} desc, id) where deleted_at is null`,
  ),
  `create index on reports (account_id, guest_token, coalesce(last_checked_at, inserted_at) desc, id)
    where deleted_at is null`,
  `create index on reports (account_id, coalesce(last_checked_at, inserted_at) desc, id)
    where deleted_at is null and guest_token is not null`,
  `create index on reports (account_id, muting_revision) where deleted_at is null`,
  `create index on reports (schedule_id, coalesce(last_checked_at, inserted_at) desc, id) where schedule_id is not null`,
  `create index on reports (namespace, name)`,
  `create index reports_of_site on reports (account_id, starting_url, inserted_at desc, id) where deleted_at is null`,
  // The reports of an account whose resources exist: those that run, and those that have just ended.
  `create index reports_with_resources on reports (account_id, coalesce(completed_at, 'infinity')) where deleted_at is null`,
  `create index on reports (deleted_at) where deleted_at is not null`,
  `create index on reports (inserted_at, id) where phase not in ('Complete', 'Failed') and deleted_at is null`,
  `create index on reports using gin (tags)`,
  // The counters of a report: a row for each kind of check, made with the report's row (../reports/check-counts.ts).
  // A batch in which nothing is found changes no indexed column: PostgreSQL needs room in the page to write no index then.
  `create table check_counts (
    report_id uuid not null references reports on delete cascade,
    ${kind},
    -- The report's, which never changes: lists of an account are sorted by its counters.
    account_id uuid not null,
    ${["pending", "checked", "failed", "reused", "errors", "warnings", "minor", "moderate", "serious", "critical"]
      .map((count) => `${count} integer not null default 0 check (${count} >= 0),`)
      .join("\n    ")}
    -- Of rules that are not of the report's standard: neither errors nor warnings.
    outside_standard integer not null default 0 check (outside_standard >= 0),
    -- What would be errors and warnings if it were not muted.
    muted_errors integer not null default 0 check (muted_errors >= 0),
    muted_warnings integer not null default 0 check (muted_warnings >= 0),
    primary key (report_id, kind)
  ) with (fillfactor = 50)`,
  ...["errors desc", "errors desc, warnings desc", "warnings desc"].map(
    (order) => `create index on check_counts (account_id, kind, ${order}, report_id)`,
  ),
  // The report's rate limiter: each process that requests a page moves next_slot on by one interval.
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
    -- A page on a further device or in a state (domain/addresses/page-variant.ts); null as it loads on the report's device.
    device text,
    state text,
    linked_from text,
    -- The first folder of its address (domain/addresses/section.ts).
    section text not null default '/',
    http_status integer,
    -- Whether the crawler could fetch it. Its checks do not say: they fail for other reasons, too, such as missing credits.
    fetched boolean not null default true,
    -- Whether the crawler saw a form to sign in: then a check that sees one finds what the page has always been.
    shows_sign_in boolean not null default false,
    -- Pages of equal structure have the same (domain/page/template.ts); null where acting looks at each page.
    template text,
    -- As many pages of its template were found before it as acting looks at.
    like_others boolean not null default false,
    -- How long it took to receive it, without waits for the rate limit; null while it is not known.
    fetch_ms integer,
    -- Of the document that the crawler received; null without one.
    title text,
    -- Digest of \`pageKey\`; null until it is needed.
    page_key bytea,
    last_checked_at timestamptz,
    inserted_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    unique (report_id, url)
  )`,
  `create index on web_pages (report_id, id)`,
  `create index on web_pages (report_id, url collate "C", id)`,
  `create index on web_pages (report_id, section)`,
  `create index on web_pages (report_id, template) where template is not null`,
  // The page as fetched. Decoded to UTF-8, compressed by encoding.
  `create table page_sources (
    web_page_id bigint primary key references web_pages on delete cascade,
    encoding text not null check (encoding in ('identity', 'zstd')),
    body bytea not null,
    -- The Content-Type header, and how the bytes were decoded: {"name": "utf-8", "from": "header", "malformed": 1}.
    content_type text not null,
    charset jsonb,
    -- The checks that need it have ended, one of them with findings. It is only shown: a page that is checked again is fetched again.
    kept boolean not null default false
  )`,
  // The few that wait for their check, among all that are kept.
  `create index page_sources_waiting on page_sources (web_page_id) where not kept`,
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
  // What the other rows do not say: noticeTexts has the codes. how_many is absolute, so that writing it again counts nothing twice.
  // kind: of the check that says it, which replaces it when its page is checked again; '' for the crawler.
  `create table report_notices (
    report_id uuid not null references reports on delete cascade,
    code text not null,
    url text not null,
    how_many integer not null,
    detail text not null,
    kind text not null default '',
    primary key (report_id, url, kind, code)
  )`,
  // Addresses that failed or were left out and that more than one page links to: linked_from has the only one of others.
  `create table inbound_links (
    report_id uuid not null references reports on delete cascade,
    url text not null,
    how_many integer not null,
    -- The first of them.
    pages text[] not null,
    primary key (report_id, url)
  )`,
  // What the crawler has read of links to what is not known to be a page, so that the next one counts on. JSON, compressed.
  `create table seen_links (
    report_id uuid not null references reports on delete cascade,
    number integer not null,
    body bytea not null,
    primary key (report_id, number)
  )`,
  `alter table seen_links alter column body set storage external`,
  // By what pages are compared with each other, if they are (domain/acting/page-facts.ts).
  `create table page_facts (
    web_page_id bigint primary key references web_pages on delete cascade,
    facts jsonb not null,
    -- Whether the page was compared with others since, and whether all ways to it were known then.
    compared boolean not null default false,
    ways_compared boolean not null default false
  )`,
  // What each page needs, and the ids in it, for checks that need the whole crawl. JSON, compressed. body is null while the
  // page is to be read again.
  `create table page_references (
    web_page_id bigint primary key references web_pages on delete cascade,
    report_id uuid not null references reports on delete cascade,
    body bytea,
    ids bytea not null
  )`,
  `create index on page_references (report_id)`,
  ...["body", "ids"].map((column) => `alter table page_references alter column ${column} set storage external`),
  // Redirects that the crawler followed, and what else of the addresses that pages need was requested.
  `create table answers (
    report_id uuid not null references reports on delete cascade,
    url text not null,
    status integer,
    location text,
    failure_code text,
    failure_detail text,
    primary key (report_id, url)
  )`,

  // ---- checks and findings --------------------------------------------------
  `create table checks (
    id bigint generated always as identity primary key,
    report_id uuid not null references reports on delete cascade,
    web_page_id bigint not null references web_pages on delete cascade,
    ${kind},
    status text not null default 'queued' check (status in ('queued', 'leased', 'checked', 'failed')),
    attempts integer not null default 0,
    -- When the engine's run of this lease began; null while the check only waits in its checker.
    started_at timestamptz,
    -- The check is repeated alone in a new process: its checker died while it ran, or it met its deadline beside others.
    alone boolean not null default false,
    -- Runs that began alone and did not end: their process died. A run that is under way counts until it ends.
    crashes integer not null default 0,
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
    outside_standard integer not null default 0,
    muted_errors integer not null default 0,
    muted_warnings integer not null default 0,
    -- Findings, raw result and screenshot of the last run.
    stored_bytes integer not null default 0,
    -- Its last run was on the page's source, which is kept to show what it found there.
    keeps_source boolean not null default false,
    -- Its outcome is that of an earlier report: the page had not changed.
    reused boolean not null default false,
    muting_revision integer not null default 0,
    -- How long the engine's last run took, without waits for the rate limit; null for a check that ended without one.
    duration_ms integer,
    finished_at timestamptz,
    inserted_at timestamptz not null default now(),
    unique (web_page_id, kind)
  ) with (fillfactor = 70)`,
  `create index checks_queued on checks (report_id, kind, id) where status = 'queued'`,
  `create index checks_leased on checks (report_id, kind, lease_until) where status = 'leased'`,
  `create index checks_failed on checks (report_id, web_page_id) where status = 'failed'`,
  `create index on checks (report_id)`,
  `create sequence lease_tokens`,
  // What all issues of a kind have in common, in one table for all kinds (src/checks).
  `create table common_issues (
    id bigint generated always as identity primary key,
    report_id uuid not null references reports on delete cascade,
    ${kind},
    -- Digest of what its issues are equal in: messages may be longer than an index entry.
    key bytea not null,
    issue_type text not null check (issue_type in ('error', 'warning')),
    rule text,
    message text not null,
    -- What explains the rule, or the part of the standard that it is about, where the engine names one.
    help_url text,
    -- From 1 (minor) to 4; null for a kind whose findings have no impact.
    impact_order smallint,
    -- Of a rule that is not of the report's standard: neither an error nor a warning.
    outside_standard boolean not null default false,
    tags text[] not null default '{}',
    -- Not muted findings only; 0 hides the row from lists.
    how_many integer not null default 0 check (how_many >= 0),
    inserted_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    unique (report_id, kind, key)
  ) with (fillfactor = 70)`,
  `create table issues (
    id bigint generated always as identity primary key,
    report_id uuid not null references reports on delete cascade,
    web_page_id bigint not null references web_pages on delete cascade,
    ${kind},
    common_id bigint not null references common_issues on delete cascade,
    issue_type text not null,
    rule text,
    message text not null,
    help_url text,
    impact_order smallint,
    outside_standard boolean not null default false,
    tags text[] not null default '{}',
    html jsonb not null,
    -- Without muted_count.
    how_many integer not null,
    -- Elements of an issue that is not muted as a whole.
    muted_count integer not null default 0,
    -- The muting that silences this issue, if any.
    muting_id bigint,
    inserted_at timestamptz not null default now(),
    updated_at timestamptz not null default now()
  )`,
  `create index on issues (web_page_id, kind)`,
  `create index on issues (common_id)`,
  `create index on issues (report_id, muting_id) where muting_id is not null`,
  // On how many pages a common issue is.
  `create index on issues (common_id, web_page_id) where muting_id is null`,
  `create index issues_muted on issues (report_id) where muting_id is not null or muted_count > 0`,
  `create table raw_checks (
    id bigint generated always as identity primary key,
    web_page_id bigint not null references web_pages on delete cascade,
    ${kind},
    -- The engine's output as JSON in UTF-8, compressed (../compression.ts): PostgreSQL compresses it worse.
    raw_zstd bytea not null,
    inserted_at timestamptz not null default now(),
    unique (web_page_id, kind)
  )`,
  `alter table raw_checks alter column raw_zstd set storage external`,
  // What checks of sources found, for pages that have not changed in the next report of their site (checker/reuse.ts). The page is
  // that of the newest report that has it.
  `create table reusable_outcomes (
    account_id uuid not null references accounts on delete cascade,
    -- '' for the account's own.
    guest_token text not null default '',
    -- SHA-256 of the URL at which its reports start.
    site bytea not null,
    -- SHA-256 of all that the outcome depends on.
    key bytea not null,
    web_page_id bigint not null references web_pages on delete cascade,
    -- JSON in UTF-8, compressed.
    outcome_zstd bytea not null,
    primary key (account_id, guest_token, site, key)
  )`,
  `alter table reusable_outcomes alter column outcome_zstd set storage external`,
  `create index on reusable_outcomes (web_page_id)`,
  `create table screenshots (
    web_page_id bigint primary key references web_pages on delete cascade,
    png bytea not null,
    -- What of the page is in it, in CSS pixels, and pixels of the picture to one of these.
    width integer not null,
    height integer not null,
    scale real not null,
    inserted_at timestamptz not null default now()
  )`,

  // The page after a step to sign in, or as it stood when that failed, without what was typed.
  `create table sign_in_pictures (
    report_id uuid not null references reports on delete cascade,
    -- From 1. One more than there are steps: all were done. Of strangers' Jobs: everything is bounded.
    step integer not null check (step between 1 and 51),
    -- What the step does; empty when all were done.
    action text not null check (length(action) <= 500),
    failed boolean not null,
    png bytea not null check (octet_length(png) <= 1000000),
    inserted_at timestamptz not null default now(),
    primary key (report_id, step, failed)
  )`,

  // The session of a site that somebody has signed in to, while its report runs: all its programs use it (ADR 0150).
  `create table site_sessions (
    report_id uuid primary key references reports on delete cascade,
    -- How often somebody has signed in, and another number after each change.
    generation integer not null default 0,
    revision integer not null default 0,
    -- Encrypted with a key that only the report's Jobs have. Cookies change with each page of some sites; the other hardly ever.
    cookies_encrypted bytea check (octet_length(cookies_encrypted) <= 1000000),
    storage_encrypted bytea check (octet_length(storage_encrypted) <= 5000000),
    -- Addresses that end it.
    ended_by text[] not null default '{}',
    -- Who signs in, and until when, unless renewed.
    holder uuid,
    held_until timestamptz,
    -- Since somebody could sign in. Of a failure that is not to be repeated, as many as there may be.
    tries integer not null default 0,
    not_before timestamptz not null default now(),
    failure text check (length(failure) <= 4000)
  )`,

  // Parts of screenshots around elements, as WebP; a few kB each (domain/findings/picture.ts).
  `create table element_pictures (
    id bigint generated always as identity primary key,
    web_page_id bigint not null references web_pages on delete cascade,
    -- Of the element, and of what the picture shows: {x, y, width, height} in CSS pixels of the page.
    box integer[] not null,
    area integer[] not null,
    webp bytea not null,
    unique (web_page_id, box)
  )`,
  `alter table element_pictures alter column webp set storage external`,

  // Findings have an identity: one row for each fault of an issue, whose fingerprint is the same in every run.
  `create table findings (
    id bigint generated always as identity primary key,
    -- The issue's, which the findings end with.
    report_id uuid not null,
    web_page_id bigint not null,
    ${kind},
    issue_id bigint not null references issues on delete cascade,
    rule text not null,
    issue_type text not null check (issue_type in ('error', 'warning')),
    impact_order smallint,
    outside_standard boolean not null default false,
    -- Digests of 10 bytes (domain/identity/): null for a finding about the document as a whole.
    tag bytea,
    path bytea,
    -- The CSS selector of the element; null for a finding about the document.
    selector text,
    fingerprint bytea not null,
    component bytea not null,
    -- Shared with findings of other kinds about the same thing (domain/findings/fault.ts); null for its fingerprint.
    fault bytea,
    -- What is changed once to mend it and others (domain/causes/cause.ts); null for its component.
    cause bytea,
    -- Elements that nothing tells apart.
    how_many integer not null,
    -- How many of them were without the fault in a repaired copy of the page.
    repaired integer not null default 0,
    -- How many of them only follow from another finding of the page (domain/findings/consequence.ts).
    consequences integer not null default 0,
    -- The muting that silences it, if any.
    muting_id bigint,
    -- When this report found it. The oldest of its chain is in compared_findings.
    found_at timestamptz not null
  )`,
  `create index on findings (web_page_id)`,
  `create index on findings (report_id, fingerprint)`,
  `create index on findings (report_id, component)`,
  `create index on findings (report_id, cause)`,
  `create index on findings (issue_id)`,
  `create index on findings (report_id, muting_id) where muting_id is not null`,
  // The order of a report's findings, and what they are filtered by.
  ...["is null", "is not null"].map(
    (condition) => `create index on findings
      (report_id, issue_type, (4 - coalesce(impact_order, 0)), rule collate "C", id) where muting_id ${condition}`,
  ),

  // ---- comparisons: a report held against an earlier one, its base ----------
  `create table comparisons (
    id bigint generated always as identity primary key,
    report_id uuid not null references reports on delete cascade,
    base_id uuid not null references reports on delete cascade,
    -- When pages of the two had last been checked: one that is checked later makes the comparison outdated.
    report_checked_at timestamptz not null,
    base_checked_at timestamptz not null,
    -- How many elements are in which state, without muted ones: [{kind, state, issue_type, impact_order, how_many}].
    counts jsonb not null default '[]',
    -- The same of the muted ones.
    muted_counts jsonb not null default '[]',
    -- False while counts and compared_issues are outdated: they are counted in the background.
    issues_counted boolean not null default false,
    inserted_at timestamptz not null default now(),
    unique (report_id, base_id)
  )`,
  `create index on comparisons (base_id)`,
  `create index comparisons_uncounted on comparisons (id) where not issues_counted`,
  // The comparison with the base that the report has by itself, made when it ended.
  `alter table reports add column comparison_id bigint references comparisons on delete set null`,
  `create index on reports (comparison_id) where comparison_id is not null`,
  // What was counted when a report ended first: what is muted or checked again afterwards does not change it. The verdict is
  // that of its last end, and pages_now follows every recount.
  `create table report_ends (
    report_id uuid primary key references reports on delete cascade,
    ended_at timestamptz not null,
    -- As src/database/reports/check-counts.ts reads them: {kind: {errors, …}}.
    counts jsonb not null,
    -- The comparison that the report had: counts and muted_counts are of that; null without one.
    base_id uuid,
    states jsonb,
    muted_states jsonb,
    -- Whether it had the results of its whole site, the digest of the settings of its series, and how many pages were how:
    -- {checked, lost, without_errors, without_issues, failed, known, by_kind: {html: {checked, without_errors}}}.
    is_whole boolean not null,
    series text not null,
    pages jsonb not null,
    pages_now jsonb not null,
    passed boolean,
    gate_results jsonb
  )`,
  // What each page of a report loses of its score (domain/score.ts), of those that lose something: as of its last recount. No
  // reference to the page: a recount would lock it, while who deletes it holds it and waits for the report.
  `create table page_losses (
    web_page_id bigint primary key,
    report_id uuid not null references reports on delete cascade,
    lost integer not null
  )`,
  `create index on page_losses (report_id)`,
  // What people say of a site: who is responsible, and how to find it. A site is the reports that start at one URL.
  `create table sites (
    account_id uuid not null references accounts on delete cascade,
    -- '' for the account's own.
    guest_token text not null default '',
    starting_url text not null,
    name text,
    -- The score that it is to have, and by when.
    target_score integer,
    target_on date,
    tags text[] not null default '{}',
    primary key (account_id, guest_token, starting_url)
  )`,
  // Who has a site, a section of it or a cause, and until when: a person has said so (domain/causes/assignment). The id of
  // a cause is the same in all reports of the site.
  `create table assignments (
    id uuid not null default gen_random_uuid(),
    account_id uuid not null references accounts on delete cascade,
    -- '' for the account's own.
    guest_token text not null default '',
    starting_url text not null,
    kind text not null check (kind in ('site', 'section', 'cause')),
    -- '' of a site, the path of a section, the id of a cause.
    part text not null,
    -- What a cause was called when that was said.
    title text,
    -- The name; of a person or team it is the one that they had last, and holds once they are removed.
    assignee text not null,
    holder text not null check (holder in ('person', 'team', 'name')),
    person_id uuid references people on delete set null,
    team_id uuid references teams on delete set null,
    due_on date,
    note text,
    -- When it was said to be done; null before.
    done_at timestamptz,
    primary key (id),
    check ((kind = 'site') = (part = '')),
    check ((holder = 'person' or person_id is null) and (holder = 'team' or team_id is null)),
    -- Guests are not told who is in the account.
    check (guest_token = '' or holder = 'name')
  )`,
  // By digests: addresses and paths together may be longer than a row of an index.
  `create unique index on assignments (account_id, guest_token, md5(starting_url), kind, md5(part))`,
  `create index on assignments (person_id) where person_id is not null`,
  `create index on assignments (team_id) where team_id is not null`,
  // What a person says of a success criterion on a site (domain/conformance).
  `create table criterion_answers (
    account_id uuid not null references accounts on delete cascade,
    -- '' for the account's own.
    guest_token text not null default '',
    starting_url text not null,
    criterion text not null,
    outcome text not null check (outcome in ('passed', 'failed', 'not_present')),
    evidence text,
    answered_by text not null,
    answered_at timestamptz not null,
    -- Of a failure: the day by which it is mended.
    due_on date,
    -- What single pages say: [{"url": "…", "outcome": "passed"}].
    pages jsonb not null default '[]',
    primary key (account_id, guest_token, starting_url, criterion)
  )`,
  // The file of page views that a site was given last, and what of it no page of the site has.
  `create table page_view_files (
    account_id uuid not null references accounts on delete cascade,
    -- '' for the account's own.
    guest_token text not null default '',
    starting_url text not null,
    format text not null check (format in ('csv', 'matomo', 'plausible')),
    imported_at timestamptz not null,
    -- The days that its rows are of; null where they name none.
    first_day date,
    last_day date,
    num_rows integer not null,
    -- Of rows that are of no page of the site: their addresses are not stored.
    other_rows integer not null,
    other_views bigint not null,
    primary key (account_id, guest_token, starting_url)
  )`,
  // How often pages of the site were viewed, by the address that they have in reports.
  `create table page_views (
    account_id uuid not null,
    guest_token text not null,
    starting_url text not null,
    url text not null,
    views bigint not null,
    primary key (account_id, guest_token, starting_url, url),
    foreign key (account_id, guest_token, starting_url) references page_view_files on delete cascade
  )`,
  // What the accessibility statement of a site needs that no report says.
  `create table site_statements (
    account_id uuid not null references accounts on delete cascade,
    guest_token text not null default '',
    starting_url text not null,
    operator text,
    contact text,
    answer_within_days integer,
    primary key (account_id, guest_token, starting_url)
  )`,
  // The states of the report's findings, and of those of the base that it has no more.
  // Without foreign keys: half a million rows are written at once. What a comparison leaves behind is purged.
  `create table compared_findings (
    comparison_id bigint not null,
    finding_id bigint not null,
    state text not null check (state in ('persisting', 'new', 'new_rule', 'fixed', 'gone', 'unknown')),
    how_many integer not null,
    -- When the oldest finding of the unbroken chain was found.
    first_seen_at timestamptz not null,
    primary key (comparison_id, finding_id, state)
  )`,
  `create index on compared_findings (comparison_id, state, finding_id) where state <> 'persisting'`,
  // How many elements of the report's common issues are in which state: few rows, so that lists need not count.
  `create table compared_issues (
    comparison_id bigint not null references comparisons on delete cascade,
    common_id bigint not null,
    is_muted boolean not null,
    state text not null,
    how_many integer not null,
    first_seen_at timestamptz not null,
    primary key (comparison_id, common_id, is_muted, state)
  )`,
  // How many errors of the report's pages are new, without muted ones; pages without any have no row.
  `create table compared_pages (
    comparison_id bigint not null references comparisons on delete cascade,
    web_page_id bigint not null,
    new_errors integer not null,
    primary key (comparison_id, web_page_id)
  )`,
  // The elements of both reports by rule and state, so that a list of changes need not count. Few rows.
  `create table compared_rules (
    comparison_id bigint not null references comparisons on delete cascade,
    ${kind},
    rule text not null,
    issue_type text not null,
    impact_order smallint,
    outside_standard boolean not null,
    state text not null,
    is_muted boolean not null,
    -- What the engine says of all of them; null where that is several things.
    message text,
    how_many integer not null,
    num_pages integer not null,
    first_seen_at timestamptz not null
  )`,
  `create index on compared_rules (comparison_id)`,
  // Links that open a report, or the numbers of a site, until they end. Digests only.
  `create table share_links (
    id uuid primary key default gen_random_uuid(),
    account_id uuid not null references accounts on delete cascade,
    guest_token text references guest_accounts on delete cascade,
    report_id uuid references reports on delete cascade,
    starting_url text,
    secret_hash bytea not null unique,
    expires_at timestamptz not null,
    inserted_at timestamptz not null default now(),
    check ((report_id is null) <> (starting_url is null))
  )`,
  `create index on share_links (account_id, inserted_at desc, id)`,
  `create index on share_links (guest_token, inserted_at desc, id)`,
  `create index on share_links (report_id)`,
  // ---- receivers: who hears of what happens ---------------------------------
  `create table receivers (
    id uuid primary key default gen_random_uuid(),
    account_id uuid not null references accounts on delete cascade,
    -- The schedule that declares it: it hears of its runs alone, and is changed there.
    schedule_id uuid references schedules on delete cascade,
    kind text not null check (kind in ('webhook', 'slack', 'teams', 'mail')),
    name text not null,
    -- Encrypted: who knows the address of a channel of Slack or Teams can write there. null for mail.
    url_encrypted bytea,
    -- What may be shown of it.
    url_shown text,
    mail_addresses text[] not null default '{}',
    -- Those of them that have ended their mails.
    unsubscribed text[] not null default '{}',
    events text[] not null,
    -- Sites that are named or have one of the tags; all sites when both are empty.
    site_urls text[] not null default '{}',
    tags text[] not null default '{}',
    digest text not null default 'none' check (digest in ('none', 'daily', 'weekly')),
    time_zone text not null default 'UTC',
    -- What webhooks are signed with, encrypted; the one before is used beside it until then.
    secret_encrypted bytea,
    -- Its first and last signs; null for one that a schedule declares.
    secret_shown text,
    old_secret_encrypted bytea,
    old_secret_until timestamptz,
    secret_at timestamptz,
    -- Since when nothing gets through; null when the last attempt did.
    failing_since timestamptz,
    disabled_at timestamptz,
    last_delivered_at timestamptz,
    inserted_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    check ((kind = 'mail') = (url_encrypted is null))
  )`,
  `create index on receivers (account_id, inserted_at, id)`,
  `create unique index on receivers (schedule_id, name) where schedule_id is not null`,
  // ---- keys of the service --------------------------------------------------
  // Which keys encrypted, and which are replaced: what they encrypt is not stored any more.
  `create table secret_keys (
    -- Derived from the key: what is encrypted begins with it.
    id text primary key,
    first_used_at timestamptz not null default now(),
    replaced_at timestamptz,
    -- Of a replaced key, what addresses are signed with that others have, encrypted with its successor.
    signing_key_encrypted bytea
  )`,
  // A program that still has a replaced key would store what nobody can open once that key is thrown away. The lock is shared by
  // all that store, and held alone by who replaces the key: what was stored before that is seen.
  `create function refuse_replaced_key() returns trigger language plpgsql as $$
    declare
      columns text[] := tg_argv;
      given jsonb := to_jsonb(new);
      known jsonb := case when tg_op = 'UPDATE' then to_jsonb(old) else '{}' end;
    begin
      perform pg_advisory_xact_lock_shared(hashtext('site-validator secret key'));
      if exists (
        select from unnest(columns) c, secret_keys k
        where k.replaced_at is not null and k.id = substr(given ->> c, 3, 8)
          and not exists (select from unnest(columns) d where known ->> d = given ->> c)
      ) then
        raise exception 'The SECRET_KEY of this program was replaced. Restart it with the one that came after.'
          using errcode = 'object_not_in_prerequisite_state';
      end if;
      return new;
    end
  $$`,
  ...Object.entries(encryptedValues).map(([table, columns]) => {
    const names = Object.keys(columns);
    return `create trigger refuse_replaced_key before insert or update of ${names.join(", ")} on ${table}
      for each row execute function refuse_replaced_key(${names.map((name) => `'${name}'`).join(", ")})`;
  }),
  // The outbox, and the log: a message for a receiver. Those of one receiver are sent in the order of seq.
  `create table deliveries (
    id uuid primary key default gen_random_uuid(),
    seq bigint generated always as identity,
    receiver_id uuid not null references receivers on delete cascade,
    type text not null,
    -- What happened: [{type, data}], one for an event, none for a test.
    events jsonb not null,
    site_url text,
    -- collected: for the next digest. missed: the receiver is disabled.
    state text not null check (state in ('collected', 'waiting', 'failing', 'delivered', 'given_up', 'missed')),
    -- All that were made, and those since it was sent again.
    attempts smallint not null default 0,
    tries smallint not null default 0,
    next_at timestamptz not null,
    -- Mail: those of the addresses that have it.
    accepted text[] not null default '{}',
    -- The last request, without what gives access: {headers, body}.
    sent jsonb,
    occurred_at timestamptz not null,
    ended_at timestamptz
  )`,
  `create index on deliveries (receiver_id, seq desc)`,
  `create index on deliveries (receiver_id, seq) where state in ('waiting', 'failing')`,
  `create index on deliveries (next_at) where state = 'collected'`,
  `create index on deliveries (occurred_at)`,
  `create table delivery_attempts (
    delivery_id uuid not null references deliveries on delete cascade,
    number smallint not null,
    began_at timestamptz not null,
    took_ms integer not null,
    -- The HTTP status, or that of SMTP; null without an answer.
    status smallint,
    -- The beginning of the answer, or why there is none.
    answer text not null,
    primary key (delivery_id, number)
  )`,
  // What is told once: a missed run, or a month's pages that run out.
  `create table told_once (
    account_id uuid not null references accounts on delete cascade,
    what text not null,
    told_at timestamptz not null default now(),
    primary key (account_id, what)
  )`,
  // Comparisons that somebody asked for and that are too long for a request: the controller makes them. A row is gone once
  // the comparison is there; one that failed stays for a while, so that it can be said.
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

  // ---- what is kept, and for how long ---------------------------------------
  // Of an account: null keeps for ever. Without a row everything is kept, unless the operator has limits.
  `create table retentions (
    account_id uuid primary key references accounts on delete cascade,
    report_days integer check (report_days >= 1),
    schedule_runs integer check (schedule_runs >= 1),
    picture_days integer check (picture_days >= 1),
    raw_days integer check (raw_days >= 1),
    -- How long entries of the audit log are kept.
    audit_days integer not null default ${AUDIT_DAYS.usual} check (audit_days >= ${AUDIT_DAYS.least}),
    -- The limits of the operator that next_at follows: what a change of them deletes waits for a night, too.
    operator jsonb not null default '{}',
    -- When it is looked next for what is kept no longer.
    next_at timestamptz not null,
    -- The name of the token that changed it last.
    updated_by text,
    updated_at timestamptz not null default now()
  )`,
  `create index on retentions (next_at)`,
  // Reports that stay until somebody takes the pin away.
  `create table pins (
    report_id uuid primary key references reports on delete cascade,
    account_id uuid not null references accounts on delete cascade,
    reason text not null,
    -- The name of the token.
    pinned_by text not null,
    inserted_at timestamptz not null
  )`,
  `create index on pins (account_id, inserted_at desc, report_id)`,
  // Many reports, or a part of them, that are deleted in the background.
  `create table deletions (
    id uuid primary key default gen_random_uuid(),
    account_id uuid not null references accounts on delete cascade,
    -- null: what is kept no longer. Otherwise the name of the token.
    asked_by text,
    state text not null default 'waiting' check (state in ('waiting', 'running', 'stopped', 'ended')),
    bytes bigint not null default 0,
    inserted_at timestamptz not null,
    started_at timestamptz,
    ended_at timestamptz
  )`,
  `create index on deletions (account_id, inserted_at desc, id)`,
  `create index on deletions (inserted_at, id) where state in ('waiting', 'running')`,
  // Without a reference to the report: it says what became of one that is gone.
  `create table deletion_items (
    deletion_id uuid not null references deletions on delete cascade,
    report_id uuid not null,
    part text not null check (part in ('report', 'pictures', 'raw')),
    -- null while it waits. deleted, or why not.
    outcome text check (outcome in ('deleted', 'gone', 'pinned', 'newest', 'compared', 'running')),
    primary key (deletion_id, report_id, part)
  )`,
  `create index on deletion_items (deletion_id) where outcome is null`,
  // The numbers of runs whose reports were deleted, so that charts have no gaps: as of that moment. Kept for 36 months.
  `create table past_runs (
    report_id uuid primary key,
    account_id uuid not null references accounts on delete cascade,
    guest_token text,
    starting_url text not null,
    inserted_at timestamptz not null,
    ended_at timestamptz not null,
    -- As in report_ends, and as they were counted last; the former is null where both are the same, as mostly.
    counts_then jsonb,
    counts jsonb not null,
    pages jsonb not null,
    series text not null,
    engines jsonb not null
  )`,
  `create index on past_runs (account_id, starting_url, ended_at)`,
  `create index on past_runs (ended_at)`,
  // The settings of each series of them: a row for many runs.
  `create table past_series (
    account_id uuid not null references accounts on delete cascade,
    series text not null,
    settings jsonb not null,
    primary key (account_id, series)
  )`,

  // ---- who changed what -----------------------------------------------------
  // Changes that have begun, and of which it is not known yet what became of them (docs/adr/0184).
  `create table audit_intents (
    id uuid primary key default gen_random_uuid(),
    account_id uuid not null references accounts on delete cascade,
    began_at timestamptz not null,
    who_name text not null,
    -- The rest of its entry.
    entry jsonb not null
  )`,
  `create index on audit_intents (account_id)`,
  `create index on audit_intents (began_at)`,
  // One for each change of one thing. Names are those of that moment, and refer to nothing: what they name may be gone.
  `create table audit_entries (
    id bigint generated always as identity primary key,
    account_id uuid not null references accounts on delete cascade,
    at timestamptz not null,
    who text not null check (who in (${namesOf(actors)})),
    -- Of the token; null for others.
    who_id uuid,
    who_name text not null,
    operation text not null,
    verb text not null,
    area text not null check (area in (${namesOf(areas)})),
    -- unknown: its process ended meanwhile.
    outcome text not null default 'done' check (outcome in ('done', 'unknown')),
    -- On what. The path is that of the API; null where there is none, or where the id would be a secret.
    target_type text,
    target_id text,
    target_name text,
    target_path text,
    site_url text,
    via text not null check (via in (${namesOf(ways)})),
    -- Cut to its network after 90 days.
    address inet,
    agent text,
    request_id text,
    -- [{field, before, after}], or [{field, hidden}]: what no document shows is not kept.
    changes jsonb not null default '[]'
  )`,
  `create index on audit_entries (account_id, at desc, id desc)`,
  `create index on audit_entries (account_id, who, at desc, id desc)`,
  `create index on audit_entries (account_id, area, at desc, id desc)`,
  `create index on audit_entries (account_id, site_url, at desc, id desc) include (who) where site_url is not null`,
  `create index on audit_entries (account_id, target_id, at desc, id desc) where target_id is not null`,
  `create index on audit_entries (at) where masklen(address) in (32, 128)`,
  // What nobody may do, whatever a statement says. Entries go with their account, and when they are old enough.
  `create function audit_entries_stay() returns trigger language plpgsql as $$
    begin
      if tg_op = 'DELETE' then
        if pg_trigger_depth() > 1 or old.at < now() - interval '${AUDIT_DAYS.least} days' then
          return old;
        end if;
      elsif old.at < now() - interval '${ADDRESS_DAYS} days' and new.address >> old.address
        and to_jsonb(new) - 'address' = to_jsonb(old) - 'address' then
        return new;
      end if;
      raise exception 'Entries of the audit log are neither changed nor deleted.' using errcode = 'insufficient_privilege';
    end
  $$`,
  `create trigger stay before update or delete on audit_entries for each row execute function audit_entries_stay()`,

  // The PDF of a month, of an account or a guest: made by a Job from HTML, and kept for some days.
  `create table month_files (
    id uuid primary key default gen_random_uuid(),
    account_id uuid not null references accounts on delete cascade,
    guest_token text references guest_accounts on delete cascade,
    month text not null,
    state text not null default 'waiting' check (state in ('waiting', 'making', 'ready', 'failed')),
    -- Compressed by gzip.
    html bytea not null,
    pdf bytea,
    -- Why it could not be made.
    failure text,
    -- Its Job is to be removed.
    has_job boolean not null default false,
    asked_at timestamptz not null,
    ended_at timestamptz
  )`,
  `create unique index on month_files (account_id, (coalesce(guest_token, '')), month)`,
  `create index on month_files (guest_token)`,
  `create index on month_files (asked_at) where state in ('waiting', 'making') or has_job`,

  // ---- components: the same element on many pages, grouped when a report ends ----
  `create table component_lists (
    report_id uuid primary key references reports on delete cascade,
    -- Of the report's results; a list of another version is outdated.
    version text not null,
    -- As src/database/findings/components writes it, at most 100 components without their findings.
    list jsonb not null,
    -- Of the report's results, when its components were stored below; null if they are not.
    all_version text,
    -- The comparison by whose states they are stored as well.
    comparison_id bigint,
    -- The findings of each have the same type and impact.
    is_uniform boolean not null default false,
    -- The roles of its errors, without muted ones: {content, template, design}; null if the next two tables have none of it.
    roles jsonb,
    -- The elements with errors, without muted ones: those of several kinds about the same thing count once.
    num_faults integer,
    -- The causes of its errors, those that remove most first (domain/causes/causes.ts).
    causes jsonb,
    -- How often visitors met an error of each cause, by its id, and by the page views of which file: that of this time.
    met jsonb,
    met_of timestamptz,
    -- Of the report's results, when the elements below were counted, with the states of this comparison; null if they are not.
    counts_version text,
    counts_of bigint,
    -- The same of what is found on each page.
    sums_version text
  )`,
  // The components that are on several pages (domain/findings/role.ts), and how many elements have which role.
  `create table templates (
    report_id uuid not null references component_lists on delete cascade,
    component bytea not null,
    primary key (report_id, component)
  )`,
  `create table role_counts (
    report_id uuid not null references component_lists on delete cascade,
    common_id bigint not null,
    is_muted boolean not null,
    role text not null,
    how_many integer not null,
    primary key (common_id, is_muted, role)
  )`,
  `create index on role_counts (report_id)`,
  // How many elements a report has of each kind that lists filter by: of all its pages ('') and of each large section. Few rows.
  `create table element_counts (
    report_id uuid not null references component_lists on delete cascade,
    section text not null,
    common_id bigint not null,
    is_muted boolean not null,
    role text not null,
    -- '' without a comparison.
    state text not null,
    how_many integer not null,
    primary key (report_id, section, common_id, is_muted, role, state)
  )`,
  // What is found on each page of a large report (database/findings/roles.ts); pages without any have no row.
  `create table page_sums (
    web_page_id bigint primary key,
    report_id uuid not null references component_lists on delete cascade,
    num_faults integer not null,
    roles jsonb,
    faults jsonb not null
  )`,
  `create index on page_sums (report_id)`,
  // The causes of the errors of each large section, as component_lists has those of all pages.
  `create table section_causes (
    report_id uuid not null references component_lists on delete cascade,
    section text not null,
    causes jsonb not null,
    primary key (report_id, section)
  )`,
  // On how many pages these are, by what is one row of a list of rules; role and state are null where pages of all are counted.
  `create table rule_pages (
    report_id uuid not null references component_lists on delete cascade,
    section text not null,
    -- Of a rule or a topic (database/findings/element-counts.ts).
    key text not null,
    is_muted boolean not null,
    role text,
    state text,
    num_pages integer not null
  )`,
  `create index on rule_pages (report_id, section, key)`,
  // All components of a large report, for every order and filter of their list.
  `create table components (
    report_id uuid not null references component_lists on delete cascade,
    -- Of the findings that are counted; null for all.
    state text,
    -- Of the pages that are counted; null for all.
    section text,
    is_muted boolean not null,
    component bytea not null,
    rule text not null,
    -- The first of its findings, which stands for all of them.
    finding_id bigint not null,
    how_many integer not null,
    num_pages integer not null,
    issue_type text not null,
    impact_order smallint
  )`,
  `create index on components (report_id, state, section)`,

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
  // The newest leader of each Lease (../connection/leader-term.ts): an earlier one may still run.
  `create table leader_terms (
    name text primary key,
    term bigint not null
  )`,
];

/** Each refers to the report, or is found by its page. */
const byReport = [
  ...["rate_limits", "check_counts", "frontier", "web_pages", "excluded_urls", "report_notices", "checks"],
  ...["sign_in_pictures", "site_sessions"],
  ...["inbound_links", "seen_links", "page_references", "answers"],
  ...["common_issues", "issues", "findings"],
];
const byPage = ["page_sources", "raw_checks", "screenshots", "element_pictures", "page_facts"];

const mine = "(select job_report())";
/** Runs with the rights of the caller, who sees only the row of the own report. */
const ofReport = (column: string): string => `(select r.${column} from reports r where r.id = ${mine})`;

const rules: [table: string, rule: string][] = [
  ["reports", `id = ${mine}`],
  ...byReport.map((table): [string, string] => [table, `report_id = ${mine}`]),
  ...byPage.map((table): [string, string] => [
    table,
    `exists (select from web_pages w where w.id = web_page_id and w.report_id = ${mine})`,
  ]),
  // A Job that makes a file has a token with the file's id in place of a report's.
  ["month_files", `id = ${mine}`],
  ["accounts", `id = ${ofReport("account_id")}`],
  ["mutings", `account_id = ${ofReport("account_id")}`],
  [
    "reusable_outcomes",
    `account_id = ${ofReport("account_id")} and guest_token = coalesce(${ofReport("guest_token")}, '')
      and site = sha256(convert_to(${ofReport("starting_url")}, 'UTF8'))`,
  ],
  ["guest_accounts", `token = ${ofReport("guest_token")}`],
  [
    "credit_usage",
    `account_id = ${ofReport("account_id")} and guest_token in ('', coalesce(${ofReport("guest_token")}, ''))`,
  ],
];

/**
 * What a Job may see, for sessions of the role that Jobs use (../job-role.ts): the rows of its own report. A Job names
 * its report by a token that only the owner of the database can make. For all other roles nothing changes.
 */
function jobRules(schema: string): string[] {
  // pg_temp comes last: a Job may create temporary tables, which must not stand in for these.
  const path = `set search_path = pg_catalog, ${schema}, pg_temp`;
  return [
    // One row. Two keys, as in NMAC, the general form of HMAC.
    `create table job_keys (
      singleton boolean primary key default true check (singleton),
      inner_key bytea not null,
      outer_key bytea not null
    )`,
    `insert into job_keys (inner_key, outer_key) select ${randomKey}, ${randomKey}`,
    // The report's id and its signature. Needs the right to read the keys, which only the owner has.
    `create function job_token(report uuid) returns text language sql stable ${path} as $$
      select report || '.' || encode(sha256(k.outer_key || sha256(k.inner_key || convert_to(report::text, 'UTF8'))), 'hex')
      from job_keys k
    $$`,
    `revoke all on function job_token(uuid) from public`,
    // The report of this session's token, or null.
    `create function job_report() returns uuid language plpgsql stable security definer ${path} as $$
      declare
        given text := current_setting('site_validator.job_token', true);
      begin
        if given ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}[.][0-9a-f]{64}$' and given = job_token(left(given, 36)::uuid) then
          return left(given, 36)::uuid;
        end if;
        return null;
      end
    $$`,
    // Whether this session is a Job's. The role may not exist: then Jobs use the owner's.
    `create function is_job() returns boolean language sql stable ${path} as $$
      select exists (
        select from pg_roles r where r.rolname = 'site_validator_job' and pg_has_role(current_user, r.oid, 'member')
      )
    $$`,
    ...rules.flatMap(([table, rule]) => [
      `create policy own_report on ${table} using (not (select is_job()) or ${rule})`,
      `alter table ${table} enable row level security`,
    ]),
  ];
}

const randomKey = "decode(replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', ''), 'hex')";
