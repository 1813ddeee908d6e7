// Generated from the migrations by `npm run generate`: edit there, and the names of types in scripts/generate-tables.ts.
import type { DocumentEncoding } from "html-conformance/documents";
import type { Change } from "../domain/audit/changes.ts";
import type { Actor, Area, StoredIntent, Way } from "../domain/audit/entry.ts";
import type { HeldKind, HolderKind } from "../domain/causes/assignment.ts";
import type { ReportCauses } from "../domain/causes/causes.ts";
import type { Coverage } from "../domain/coverage/coverage.ts";
import type { StoredCode } from "../domain/coverage/notices.ts";
import type { ExclusionReason, FailureCode } from "../domain/failure.ts";
import type { CheckStatus, CountsByKind } from "../domain/findings/check-counts.ts";
import type { ComparisonFailure } from "../domain/findings/comparison-failure.ts";
import type { FindingState, StateCount } from "../domain/findings/finding-state.ts";
import type { CheckKind, Engine } from "../domain/findings/findings.ts";
import type { GateResult } from "../domain/findings/gate.ts";
import type { MutingCriteria } from "../domain/findings/muting.ts";
import type { Role, RoleCounts } from "../domain/findings/role.ts";
import type { Event, EventType, MessageType } from "../domain/notifications/events.ts";
import type { SentRequest } from "../domain/notifications/receivers.ts";
import type { CrawlState } from "../domain/report-over.ts";
import type { MutingCategory } from "../schema/muting.ts";
import type { ReportSpec } from "../schema/report.ts";
import type { ReportPhase, Resource } from "../schema/resources.ts";
import type { ScheduleSpec } from "../schema/schedule.ts";
import type { LastJobs, StoredElement } from "./stored.ts";
import type { ColumnType, Generated } from "kysely";

/**
 * The tables for Kysely; the migrations document the columns. bigint columns are strings in JavaScript: ids are opaque to
 * the API anyway. node-postgres returns a `date` as a Date at local midnight: read it as text with `to_char`.
 */
export type Database = {
  accounts: {
    id: Generated<string>;
    name: string;
    monthly_credits: number | null;
    muting_revision: Generated<number>;
    inserted_at: ColumnType<Date, Date | string | undefined, Date | string>;
    updated_at: ColumnType<Date, Date | string | undefined, Date | string>;
  };
  guest_accounts: {
    token: string;
    account_id: string;
    invitation_open: Generated<boolean>;
    max_usage: number;
    name: string | null;
    email: string | null;
    accepted_at: ColumnType<Date | null, Date | string | null | undefined, Date | string | null>;
    deleted_at: ColumnType<Date | null, Date | string | null | undefined, Date | string | null>;
    inserted_at: ColumnType<Date, Date | string | undefined, Date | string>;
    updated_at: ColumnType<Date, Date | string | undefined, Date | string>;
  };
  api_tokens: {
    id: Generated<string>;
    account_id: string;
    guest_token: string | null;
    name: string;
    kind: Generated<"token" | "person">;
    made_by: string | null;
    scope: "read" | "write";
    may: string[] | null;
    site_urls: string[] | null;
    site_tags: string[] | null;
    token_hash: Buffer | null;
    shown: string | null;
    last_used_at: ColumnType<Date | null, Date | string | null | undefined, Date | string | null>;
    last_address: string | null;
    expires_at: ColumnType<Date | null, Date | string | null | undefined, Date | string | null>;
    inserted_at: ColumnType<Date, Date | string | undefined, Date | string>;
  };
  token_uses: {
    token_id: string;
    day: ColumnType<Date, string, string>;
    requests: number;
  };
  web_sessions: {
    secret_hash: Buffer;
    id: Generated<string>;
    token_id: string;
    user_agent: string | null;
    address: string | null;
    inserted_at: ColumnType<Date, Date | string | undefined, Date | string>;
    last_used_at: ColumnType<Date, Date | string | undefined, Date | string>;
    expires_at: ColumnType<Date, Date | string, Date | string>;
  };
  sign_in_codes: {
    code_hash: Buffer;
    token_id: string;
    expires_at: ColumnType<Date, Date | string, Date | string>;
  };
  people: {
    id: string;
    account_id: string;
    mail: string;
    role: "reader" | "editor" | "owner" | null;
    group_role: "reader" | "editor" | "owner" | null;
    groups: Generated<string[]>;
    group_role_ends_at: ColumnType<Date | null, Date | string | null | undefined, Date | string | null>;
    password_hash: string | null;
    totp_secret: Buffer | null;
    totp_step: ColumnType<string | null, string | number | bigint | null | undefined, string | number | bigint | null>;
    oidc_issuer: string | null;
    oidc_subject: string | null;
    awaits_provider: Generated<boolean>;
    invitation_hash: Buffer | null;
    invitation_ends_at: ColumnType<Date | null, Date | string | null | undefined, Date | string | null>;
    invited_by: string | null;
    ends_at: ColumnType<Date | null, Date | string | null | undefined, Date | string | null>;
  };
  invitation_mails: {
    id: Generated<string>;
    account_id: string;
    person_id: string | null;
    mail: string;
    secret_hash: Buffer | null;
    state: Generated<"waiting" | "sent" | "refused">;
    tries: Generated<number>;
    next_at: ColumnType<Date, Date | string, Date | string>;
    answer: string | null;
    asked_at: ColumnType<Date, Date | string, Date | string>;
  };
  token_end_mails: {
    token_id: string;
    expires_at: ColumnType<Date, Date | string, Date | string>;
    tries: number;
    next_at: ColumnType<Date | null, Date | string | null | undefined, Date | string | null>;
    sent_at: ColumnType<Date | null, Date | string | null | undefined, Date | string | null>;
  };
  teams: {
    id: Generated<string>;
    account_id: string;
    name: string;
    inserted_at: ColumnType<Date, Date | string | undefined, Date | string>;
  };
  team_members: {
    team_id: string;
    person_id: string;
  };
  site_roles: {
    person_id: string;
    starting_url: string;
    role: "reader" | "editor";
    given_by: string;
    given_at: ColumnType<Date, Date | string, Date | string>;
  };
  setup_codes: {
    code_hash: Buffer;
    expires_at: ColumnType<Date, Date | string, Date | string>;
    tries: Generated<number>;
  };
  provider_sign_ins: {
    secret_hash: Buffer;
    next: string | null;
    expires_at: ColumnType<Date, Date | string, Date | string>;
  };
  failed_sign_ins: {
    key: string;
    tries: number;
    ends_at: ColumnType<Date, Date | string, Date | string>;
  };
  credit_usage: {
    account_id: string;
    guest_token: Generated<string>;
    month: ColumnType<Date, string, string>;
    reserved: Generated<number>;
    charged: Generated<number>;
  };
  basic_auths: {
    id: Generated<string>;
    account_id: string;
    guest_token: string | null;
    host: string;
    username: string | null;
    password_encrypted: Buffer | null;
    headers_encrypted: Buffer | null;
    header_names: Generated<string[]>;
    sign_in_encrypted: Buffer | null;
    sign_in_steps: Generated<string[]>;
    inserted_at: ColumnType<Date, Date | string | undefined, Date | string>;
    updated_at: ColumnType<Date, Date | string | undefined, Date | string>;
  };
  mutings: {
    id: ColumnType<string, never, never>;
    account_id: string;
    guest_token: string | null;
    criteria: ColumnType<MutingCriteria, string, string>;
    category: MutingCategory | null;
    comment: string | null;
    reason: string | null;
    created_by: string | null;
    expires_at: ColumnType<Date | null, Date | string | null | undefined, Date | string | null>;
    expired: Generated<boolean>;
    inserted_at: ColumnType<Date, Date | string | undefined, Date | string>;
    updated_at: ColumnType<Date, Date | string | undefined, Date | string>;
  };
  schedules: {
    id: string;
    account_id: string;
    guest_token: string | null;
    namespace: string;
    name: string;
    uid: string;
    generation: ColumnType<string, string | number | bigint | undefined, string | number | bigint>;
    spec: ColumnType<ScheduleSpec, string, string>;
    spec_bytes: ColumnType<number | null, never, never>;
    starting_url: string;
    tags: Generated<string[]>;
    active: Generated<boolean>;
    hook_hash: Buffer | null;
    hook_encrypted: Buffer | null;
    hook_report_id: string | null;
    last_run_at: ColumnType<Date | null, Date | string | null | undefined, Date | string | null>;
    next_run_at: ColumnType<Date | null, Date | string | null | undefined, Date | string | null>;
    deleted_at: ColumnType<Date | null, Date | string | null | undefined, Date | string | null>;
    inserted_at: ColumnType<Date, Date | string | undefined, Date | string>;
    updated_at: ColumnType<Date, Date | string | undefined, Date | string>;
  };
  schedule_slots: {
    schedule_id: string;
    slot: ColumnType<Date, Date | string, Date | string>;
    report_id: string;
    state: "active" | "ended";
    inserted_at: ColumnType<Date, Date | string | undefined, Date | string>;
  };
  reports: {
    id: string;
    account_id: string;
    guest_token: string | null;
    schedule_id: string | null;
    namespace: string;
    name: string;
    uid: string;
    generation: ColumnType<string, string | number | bigint | undefined, string | number | bigint>;
    spec: ColumnType<ReportSpec, string, string>;
    spec_bytes: ColumnType<number | null, never, never>;
    starting_url: string;
    domain: string;
    tags: Generated<string[]>;
    shared: Generated<boolean>;
    request_id: string | null;
    phase: Generated<ReportPhase>;
    crawl_state: Generated<CrawlState>;
    failure_code: FailureCode | null;
    failure_detail: string | null;
    engines: ColumnType<Partial<Record<CheckKind, Engine>>, string | undefined, string>;
    num_pages: Generated<number>;
    stored_bytes: ColumnType<string, string | number | bigint | undefined, string | number | bigint>;
    last_jobs: ColumnType<LastJobs, string | undefined, string>;
    run_base: ColumnType<LastJobs | null, string | null | undefined, string | null>;
    crawl_epoch: Generated<number>;
    start_forms: Generated<string[]>;
    site_origin: string | null;
    passed: boolean | null;
    gate_results: ColumnType<GateResult[] | null, string | null | undefined, string | null>;
    site_reviewed: Generated<boolean>;
    coverage: ColumnType<Coverage | null, string | null | undefined, string | null>;
    muting_revision: Generated<number>;
    crawl_started_at: ColumnType<Date | null, Date | string | null | undefined, Date | string | null>;
    crawl_ended_at: ColumnType<Date | null, Date | string | null | undefined, Date | string | null>;
    last_checked_at: ColumnType<Date | null, Date | string | null | undefined, Date | string | null>;
    completed_at: ColumnType<Date | null, Date | string | null | undefined, Date | string | null>;
    deleted_at: ColumnType<Date | null, Date | string | null | undefined, Date | string | null>;
    inserted_at: ColumnType<Date, Date | string | undefined, Date | string>;
    updated_at: ColumnType<Date, Date | string | undefined, Date | string>;
    comparison_id: ColumnType<string | null, string | number | bigint | null | undefined, string | number | bigint | null>;
  };
  check_counts: {
    report_id: string;
    kind: CheckKind;
    account_id: string;
    pending: Generated<number>;
    checked: Generated<number>;
    failed: Generated<number>;
    reused: Generated<number>;
    errors: Generated<number>;
    warnings: Generated<number>;
    minor: Generated<number>;
    moderate: Generated<number>;
    serious: Generated<number>;
    critical: Generated<number>;
    outside_standard: Generated<number>;
    muted_errors: Generated<number>;
    muted_warnings: Generated<number>;
  };
  rate_limits: {
    report_id: string;
    next_slot: ColumnType<Date, Date | string | undefined, Date | string>;
  };
  frontier: {
    report_id: string;
    url: string;
    position: ColumnType<string, string | number | bigint, string | number | bigint>;
    depth: number;
    linked_from: string | null;
    done: Generated<boolean>;
  };
  web_pages: {
    id: ColumnType<string, never, never>;
    report_id: string;
    url: string;
    device: string | null;
    state: string | null;
    linked_from: string | null;
    section: Generated<string>;
    http_status: number | null;
    fetched: Generated<boolean>;
    shows_sign_in: Generated<boolean>;
    template: string | null;
    like_others: Generated<boolean>;
    fetch_ms: number | null;
    title: string | null;
    page_key: Buffer | null;
    last_checked_at: ColumnType<Date | null, Date | string | null | undefined, Date | string | null>;
    inserted_at: ColumnType<Date, Date | string | undefined, Date | string>;
    updated_at: ColumnType<Date, Date | string | undefined, Date | string>;
  };
  page_sources: {
    web_page_id: ColumnType<string, string | number | bigint, string | number | bigint>;
    encoding: "identity" | "zstd";
    body: Buffer;
    content_type: string;
    charset: ColumnType<DocumentEncoding | null, string | null | undefined, string | null>;
    kept: Generated<boolean>;
  };
  excluded_urls: {
    id: ColumnType<string, never, never>;
    report_id: string;
    url: string;
    linked_from: string | null;
    reason: ExclusionReason;
    inserted_at: ColumnType<Date, Date | string | undefined, Date | string>;
  };
  report_notices: {
    report_id: string;
    code: StoredCode;
    url: string;
    how_many: number;
    detail: string;
    kind: Generated<CheckKind | "">;
  };
  inbound_links: {
    report_id: string;
    url: string;
    how_many: number;
    pages: string[];
  };
  seen_links: {
    report_id: string;
    number: number;
    body: Buffer;
  };
  page_facts: {
    web_page_id: ColumnType<string, string | number | bigint, string | number | bigint>;
    facts: ColumnType<unknown, string, string>;
    compared: Generated<boolean>;
    ways_compared: Generated<boolean>;
  };
  page_references: {
    web_page_id: ColumnType<string, string | number | bigint, string | number | bigint>;
    report_id: string;
    body: Buffer | null;
    ids: Buffer;
  };
  answers: {
    report_id: string;
    url: string;
    status: number | null;
    location: string | null;
    failure_code: string | null;
    failure_detail: string | null;
  };
  checks: {
    id: ColumnType<string, never, never>;
    report_id: string;
    web_page_id: ColumnType<string, string | number | bigint, string | number | bigint>;
    kind: CheckKind;
    status: Generated<CheckStatus>;
    attempts: Generated<number>;
    started_at: ColumnType<Date | null, Date | string | null | undefined, Date | string | null>;
    alone: Generated<boolean>;
    crashes: Generated<number>;
    lease_token: ColumnType<string | null, string | number | bigint | null | undefined, string | number | bigint | null>;
    lease_until: ColumnType<Date | null, Date | string | null | undefined, Date | string | null>;
    reserved_month: ColumnType<Date | null, string | null | undefined, string | null>;
    failure_code: FailureCode | null;
    failure_detail: string | null;
    errors: Generated<number>;
    warnings: Generated<number>;
    minor: Generated<number>;
    moderate: Generated<number>;
    serious: Generated<number>;
    critical: Generated<number>;
    outside_standard: Generated<number>;
    muted_errors: Generated<number>;
    muted_warnings: Generated<number>;
    stored_bytes: Generated<number>;
    keeps_source: Generated<boolean>;
    reused: Generated<boolean>;
    muting_revision: Generated<number>;
    duration_ms: number | null;
    finished_at: ColumnType<Date | null, Date | string | null | undefined, Date | string | null>;
    inserted_at: ColumnType<Date, Date | string | undefined, Date | string>;
  };
  common_issues: {
    id: ColumnType<string, never, never>;
    report_id: string;
    kind: CheckKind;
    key: Buffer;
    issue_type: "error" | "warning";
    rule: string | null;
    message: string;
    help_url: string | null;
    impact_order: number | null;
    outside_standard: Generated<boolean>;
    tags: Generated<string[]>;
    how_many: Generated<number>;
    inserted_at: ColumnType<Date, Date | string | undefined, Date | string>;
    updated_at: ColumnType<Date, Date | string | undefined, Date | string>;
  };
  issues: {
    id: ColumnType<string, never, never>;
    report_id: string;
    web_page_id: ColumnType<string, string | number | bigint, string | number | bigint>;
    kind: CheckKind;
    common_id: ColumnType<string, string | number | bigint, string | number | bigint>;
    issue_type: "error" | "warning";
    rule: string | null;
    message: string;
    help_url: string | null;
    impact_order: number | null;
    outside_standard: Generated<boolean>;
    tags: Generated<string[]>;
    html: ColumnType<StoredElement[], string, string>;
    how_many: number;
    muted_count: Generated<number>;
    muting_id: ColumnType<string | null, string | number | bigint | null | undefined, string | number | bigint | null>;
    inserted_at: ColumnType<Date, Date | string | undefined, Date | string>;
    updated_at: ColumnType<Date, Date | string | undefined, Date | string>;
  };
  raw_checks: {
    id: ColumnType<string, never, never>;
    web_page_id: ColumnType<string, string | number | bigint, string | number | bigint>;
    kind: CheckKind;
    raw_zstd: Buffer;
    inserted_at: ColumnType<Date, Date | string | undefined, Date | string>;
  };
  reusable_outcomes: {
    account_id: string;
    guest_token: Generated<string>;
    site: Buffer;
    key: Buffer;
    web_page_id: ColumnType<string, string | number | bigint, string | number | bigint>;
    outcome_zstd: Buffer;
  };
  screenshots: {
    web_page_id: ColumnType<string, string | number | bigint, string | number | bigint>;
    png: Buffer;
    width: number;
    height: number;
    scale: number;
    inserted_at: ColumnType<Date, Date | string | undefined, Date | string>;
  };
  sign_in_pictures: {
    report_id: string;
    step: number;
    action: string;
    failed: boolean;
    png: Buffer;
    inserted_at: ColumnType<Date, Date | string | undefined, Date | string>;
  };
  site_sessions: {
    report_id: string;
    generation: Generated<number>;
    revision: Generated<number>;
    cookies_encrypted: Buffer | null;
    storage_encrypted: Buffer | null;
    ended_by: Generated<string[]>;
    holder: string | null;
    held_until: ColumnType<Date | null, Date | string | null | undefined, Date | string | null>;
    tries: Generated<number>;
    not_before: ColumnType<Date, Date | string | undefined, Date | string>;
    failure: string | null;
  };
  element_pictures: {
    id: ColumnType<string, never, never>;
    web_page_id: ColumnType<string, string | number | bigint, string | number | bigint>;
    box: number[];
    area: number[];
    webp: Buffer;
  };
  findings: {
    id: ColumnType<string, never, never>;
    report_id: string;
    web_page_id: ColumnType<string, string | number | bigint, string | number | bigint>;
    kind: CheckKind;
    issue_id: ColumnType<string, string | number | bigint, string | number | bigint>;
    rule: string;
    issue_type: "error" | "warning";
    impact_order: number | null;
    outside_standard: Generated<boolean>;
    tag: Buffer | null;
    path: Buffer | null;
    selector: string | null;
    fingerprint: Buffer;
    component: Buffer;
    fault: Buffer | null;
    cause: Buffer | null;
    how_many: number;
    repaired: Generated<number>;
    consequences: Generated<number>;
    muting_id: ColumnType<string | null, string | number | bigint | null | undefined, string | number | bigint | null>;
    found_at: ColumnType<Date, Date | string, Date | string>;
  };
  comparisons: {
    id: ColumnType<string, never, never>;
    report_id: string;
    base_id: string;
    report_checked_at: ColumnType<Date, Date | string, Date | string>;
    base_checked_at: ColumnType<Date, Date | string, Date | string>;
    counts: ColumnType<StateCount[], string | undefined, string>;
    muted_counts: ColumnType<StateCount[], string | undefined, string>;
    issues_counted: Generated<boolean>;
    inserted_at: ColumnType<Date, Date | string | undefined, Date | string>;
  };
  report_ends: {
    report_id: string;
    ended_at: ColumnType<Date, Date | string, Date | string>;
    counts: ColumnType<CountsByKind, string, string>;
    base_id: string | null;
    states: ColumnType<StateCount[] | null, string | null | undefined, string | null>;
    muted_states: ColumnType<StateCount[] | null, string | null | undefined, string | null>;
    is_whole: boolean;
    series: string;
    pages: ColumnType<object, string, string>;
    pages_now: ColumnType<object, string, string>;
    passed: boolean | null;
    gate_results: ColumnType<GateResult[] | null, string | null | undefined, string | null>;
  };
  page_losses: {
    web_page_id: ColumnType<string, string | number | bigint, string | number | bigint>;
    report_id: string;
    lost: number;
  };
  sites: {
    account_id: string;
    guest_token: Generated<string>;
    starting_url: string;
    name: string | null;
    target_score: number | null;
    target_on: ColumnType<Date | null, string | null | undefined, string | null>;
    tags: Generated<string[]>;
  };
  assignments: {
    id: Generated<string>;
    account_id: string;
    guest_token: Generated<string>;
    starting_url: string;
    kind: HeldKind;
    part: string;
    title: string | null;
    assignee: string;
    holder: HolderKind;
    person_id: string | null;
    team_id: string | null;
    due_on: ColumnType<Date | null, string | null | undefined, string | null>;
    note: string | null;
    done_at: ColumnType<Date | null, Date | string | null | undefined, Date | string | null>;
  };
  criterion_answers: {
    account_id: string;
    guest_token: Generated<string>;
    starting_url: string;
    criterion: string;
    outcome: "passed" | "failed" | "not_present";
    evidence: string | null;
    answered_by: string;
    answered_at: ColumnType<Date, Date | string, Date | string>;
    due_on: ColumnType<Date | null, string | null | undefined, string | null>;
    pages: ColumnType<unknown, string | undefined, string>;
  };
  page_view_files: {
    account_id: string;
    guest_token: Generated<string>;
    starting_url: string;
    format: "csv" | "matomo" | "plausible";
    imported_at: ColumnType<Date, Date | string, Date | string>;
    first_day: ColumnType<Date | null, string | null | undefined, string | null>;
    last_day: ColumnType<Date | null, string | null | undefined, string | null>;
    num_rows: number;
    other_rows: number;
    other_views: ColumnType<string, string | number | bigint, string | number | bigint>;
  };
  page_views: {
    account_id: string;
    guest_token: string;
    starting_url: string;
    url: string;
    views: ColumnType<string, string | number | bigint, string | number | bigint>;
  };
  site_statements: {
    account_id: string;
    guest_token: Generated<string>;
    starting_url: string;
    operator: string | null;
    contact: string | null;
    answer_within_days: number | null;
  };
  compared_findings: {
    comparison_id: ColumnType<string, string | number | bigint, string | number | bigint>;
    finding_id: ColumnType<string, string | number | bigint, string | number | bigint>;
    state: FindingState;
    how_many: number;
    first_seen_at: ColumnType<Date, Date | string, Date | string>;
  };
  compared_issues: {
    comparison_id: ColumnType<string, string | number | bigint, string | number | bigint>;
    common_id: ColumnType<string, string | number | bigint, string | number | bigint>;
    is_muted: boolean;
    state: FindingState;
    how_many: number;
    first_seen_at: ColumnType<Date, Date | string, Date | string>;
  };
  compared_pages: {
    comparison_id: ColumnType<string, string | number | bigint, string | number | bigint>;
    web_page_id: ColumnType<string, string | number | bigint, string | number | bigint>;
    new_errors: number;
  };
  compared_rules: {
    comparison_id: ColumnType<string, string | number | bigint, string | number | bigint>;
    kind: CheckKind;
    rule: string;
    issue_type: "error" | "warning";
    impact_order: number | null;
    outside_standard: boolean;
    state: FindingState;
    is_muted: boolean;
    message: string | null;
    how_many: number;
    num_pages: number;
    first_seen_at: ColumnType<Date, Date | string, Date | string>;
  };
  share_links: {
    id: Generated<string>;
    account_id: string;
    guest_token: string | null;
    report_id: string | null;
    starting_url: string | null;
    secret_hash: Buffer;
    expires_at: ColumnType<Date, Date | string, Date | string>;
    inserted_at: ColumnType<Date, Date | string | undefined, Date | string>;
  };
  receivers: {
    id: Generated<string>;
    account_id: string;
    schedule_id: string | null;
    kind: "webhook" | "slack" | "teams" | "mail";
    name: string;
    url_encrypted: Buffer | null;
    url_shown: string | null;
    mail_addresses: Generated<string[]>;
    unsubscribed: Generated<string[]>;
    events: EventType[];
    site_urls: Generated<string[]>;
    tags: Generated<string[]>;
    digest: Generated<"none" | "daily" | "weekly">;
    time_zone: Generated<string>;
    secret_encrypted: Buffer | null;
    secret_shown: string | null;
    old_secret_encrypted: Buffer | null;
    old_secret_until: ColumnType<Date | null, Date | string | null | undefined, Date | string | null>;
    secret_at: ColumnType<Date | null, Date | string | null | undefined, Date | string | null>;
    failing_since: ColumnType<Date | null, Date | string | null | undefined, Date | string | null>;
    disabled_at: ColumnType<Date | null, Date | string | null | undefined, Date | string | null>;
    last_delivered_at: ColumnType<Date | null, Date | string | null | undefined, Date | string | null>;
    inserted_at: ColumnType<Date, Date | string | undefined, Date | string>;
    updated_at: ColumnType<Date, Date | string | undefined, Date | string>;
  };
  secret_keys: {
    id: string;
    first_used_at: ColumnType<Date, Date | string | undefined, Date | string>;
    replaced_at: ColumnType<Date | null, Date | string | null | undefined, Date | string | null>;
    signing_key_encrypted: Buffer | null;
  };
  deliveries: {
    id: Generated<string>;
    seq: ColumnType<string, never, never>;
    receiver_id: string;
    type: MessageType;
    events: ColumnType<Event[], string, string>;
    site_url: string | null;
    state: "collected" | "waiting" | "failing" | "delivered" | "given_up" | "missed";
    attempts: Generated<number>;
    tries: Generated<number>;
    next_at: ColumnType<Date, Date | string, Date | string>;
    accepted: Generated<string[]>;
    sent: ColumnType<SentRequest | null, string | null | undefined, string | null>;
    occurred_at: ColumnType<Date, Date | string, Date | string>;
    ended_at: ColumnType<Date | null, Date | string | null | undefined, Date | string | null>;
  };
  delivery_attempts: {
    delivery_id: string;
    number: number;
    began_at: ColumnType<Date, Date | string, Date | string>;
    took_ms: number;
    status: number | null;
    answer: string;
  };
  told_once: {
    account_id: string;
    what: string;
    told_at: ColumnType<Date, Date | string | undefined, Date | string>;
  };
  comparison_requests: {
    report_id: string;
    base_id: string;
    account_id: string;
    by_guest: boolean;
    requested_at: ColumnType<Date, Date | string | undefined, Date | string>;
    started_at: ColumnType<Date | null, Date | string | null | undefined, Date | string | null>;
    tries: Generated<number>;
    percent: Generated<number>;
    failed_at: ColumnType<Date | null, Date | string | null | undefined, Date | string | null>;
    failure_code: ComparisonFailure | null;
    report_checked_at: ColumnType<Date | null, Date | string | null | undefined, Date | string | null>;
    base_checked_at: ColumnType<Date | null, Date | string | null | undefined, Date | string | null>;
  };
  retentions: {
    account_id: string;
    report_days: number | null;
    schedule_runs: number | null;
    picture_days: number | null;
    raw_days: number | null;
    audit_days: Generated<number>;
    operator: ColumnType<unknown, string | undefined, string>;
    next_at: ColumnType<Date, Date | string, Date | string>;
    updated_by: string | null;
    updated_at: ColumnType<Date, Date | string | undefined, Date | string>;
  };
  pins: {
    report_id: string;
    account_id: string;
    reason: string;
    pinned_by: string;
    inserted_at: ColumnType<Date, Date | string, Date | string>;
  };
  deletions: {
    id: Generated<string>;
    account_id: string;
    asked_by: string | null;
    state: Generated<"waiting" | "running" | "stopped" | "ended">;
    bytes: ColumnType<string, string | number | bigint | undefined, string | number | bigint>;
    inserted_at: ColumnType<Date, Date | string, Date | string>;
    started_at: ColumnType<Date | null, Date | string | null | undefined, Date | string | null>;
    ended_at: ColumnType<Date | null, Date | string | null | undefined, Date | string | null>;
  };
  deletion_items: {
    deletion_id: string;
    report_id: string;
    part: "report" | "pictures" | "raw";
    outcome: "deleted" | "gone" | "pinned" | "newest" | "compared" | "running" | null;
  };
  past_runs: {
    report_id: string;
    account_id: string;
    guest_token: string | null;
    starting_url: string;
    inserted_at: ColumnType<Date, Date | string, Date | string>;
    ended_at: ColumnType<Date, Date | string, Date | string>;
    counts_then: ColumnType<unknown | null, string | null | undefined, string | null>;
    counts: ColumnType<unknown, string, string>;
    pages: ColumnType<unknown, string, string>;
    series: string;
    engines: ColumnType<unknown, string, string>;
  };
  past_series: {
    account_id: string;
    series: string;
    settings: ColumnType<unknown, string, string>;
  };
  audit_intents: {
    id: Generated<string>;
    account_id: string;
    began_at: ColumnType<Date, Date | string, Date | string>;
    who_name: string;
    entry: ColumnType<StoredIntent, string, string>;
  };
  audit_entries: {
    id: ColumnType<string, never, never>;
    account_id: string;
    at: ColumnType<Date, Date | string, Date | string>;
    who: Actor;
    who_id: string | null;
    who_name: string;
    operation: string;
    verb: string;
    area: Area;
    outcome: Generated<"done" | "unknown">;
    target_type: string | null;
    target_id: string | null;
    target_name: string | null;
    target_path: string | null;
    site_url: string | null;
    via: Way;
    address: string | null;
    agent: string | null;
    request_id: string | null;
    changes: ColumnType<Change[], string | undefined, string>;
  };
  month_files: {
    id: Generated<string>;
    account_id: string;
    guest_token: string | null;
    month: string;
    state: Generated<"waiting" | "making" | "ready" | "failed">;
    html: Buffer;
    pdf: Buffer | null;
    failure: string | null;
    has_job: Generated<boolean>;
    asked_at: ColumnType<Date, Date | string, Date | string>;
    ended_at: ColumnType<Date | null, Date | string | null | undefined, Date | string | null>;
  };
  component_lists: {
    report_id: string;
    version: string;
    list: ColumnType<unknown, string, string>;
    all_version: string | null;
    comparison_id: ColumnType<string | null, string | number | bigint | null | undefined, string | number | bigint | null>;
    is_uniform: Generated<boolean>;
    roles: ColumnType<RoleCounts | null, string | null | undefined, string | null>;
    num_faults: number | null;
    causes: ColumnType<ReportCauses | null, string | null | undefined, string | null>;
    met: ColumnType<unknown | null, string | null | undefined, string | null>;
    met_of: ColumnType<Date | null, Date | string | null | undefined, Date | string | null>;
    counts_version: string | null;
    counts_of: ColumnType<string | null, string | number | bigint | null | undefined, string | number | bigint | null>;
    sums_version: string | null;
  };
  templates: {
    report_id: string;
    component: Buffer;
  };
  role_counts: {
    report_id: string;
    common_id: ColumnType<string, string | number | bigint, string | number | bigint>;
    is_muted: boolean;
    role: Role;
    how_many: number;
  };
  element_counts: {
    report_id: string;
    section: string;
    common_id: ColumnType<string, string | number | bigint, string | number | bigint>;
    is_muted: boolean;
    role: string;
    state: string;
    how_many: number;
  };
  page_sums: {
    web_page_id: ColumnType<string, string | number | bigint, string | number | bigint>;
    report_id: string;
    num_faults: number;
    roles: ColumnType<unknown | null, string | null | undefined, string | null>;
    faults: ColumnType<unknown, string, string>;
  };
  section_causes: {
    report_id: string;
    section: string;
    causes: ColumnType<unknown, string, string>;
  };
  rule_pages: {
    report_id: string;
    section: string;
    key: string;
    is_muted: boolean;
    role: string | null;
    state: string | null;
    num_pages: number;
  };
  components: {
    report_id: string;
    state: FindingState | null;
    section: string | null;
    is_muted: boolean;
    component: Buffer;
    rule: string;
    finding_id: ColumnType<string, string | number | bigint, string | number | bigint>;
    how_many: number;
    num_pages: number;
    issue_type: "error" | "warning";
    impact_order: number | null;
  };
  idempotency_keys: {
    token_id: string;
    key: string;
    request_hash: Buffer;
    status: number | null;
    headers: ColumnType<Record<string, string> | null, string | null | undefined, string | null>;
    body: string | null;
    inserted_at: ColumnType<Date, Date | string | undefined, Date | string>;
  };
  api_calls: {
    key: string;
    ends_at: ColumnType<Date, Date | string, Date | string>;
    used: number;
    granted: number;
  };
  cluster_objects: {
    kind: string;
    namespace: string;
    name: string;
    uid: string;
    resource_version: ColumnType<string, string | number | bigint, string | number | bigint>;
    object: ColumnType<Resource, string, string>;
  };
  cluster_changes: {
    resource_version: ColumnType<string, string | number | bigint, string | number | bigint>;
    type: "ADDED" | "MODIFIED" | "DELETED";
    kind: string;
    object: ColumnType<Resource, string, string>;
    inserted_at: ColumnType<Date, Date | string | undefined, Date | string>;
  };
  cluster_version: {
    singleton: Generated<boolean>;
    resource_version: ColumnType<string, string | number | bigint, string | number | bigint>;
  };
  leader_terms: {
    name: string;
    term: ColumnType<string, string | number | bigint, string | number | bigint>;
  };
  job_keys: {
    singleton: Generated<boolean>;
    inner_key: Buffer;
    outer_key: Buffer;
  };
};
