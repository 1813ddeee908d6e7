import type { DocumentEncoding } from "html-conformance/documents";
import type { ColumnType, Generated, JSONColumnType } from "kysely";
import type { ReportCauses } from "../domain/causes/causes.ts";
import type { Coverage } from "../domain/coverage/coverage.ts";
import type { StoredCode } from "../domain/coverage/notices.ts";
import type { ExclusionReason, FailureCode } from "../domain/failure.ts";
import type { CheckStatus, CountField, CountsByKind } from "../domain/findings/check-counts.ts";
import type { ComparisonFailure } from "../domain/findings/comparison-failure.ts";
import type { FindingState, StateCount } from "../domain/findings/finding-state.ts";
import type { CheckKind, Engine, IssueElement } from "../domain/findings/findings.ts";
import type { GateResult } from "../domain/findings/gate.ts";
import type { MutingCriteria } from "../domain/findings/muting.ts";
import type { Role, RoleCounts } from "../domain/findings/role.ts";
import type { CrawlState } from "../domain/report-over.ts";
import type { MutingCategory } from "../schema/muting.ts";
import type { ReportSpec } from "../schema/report.ts";
import type { ReportPhase, Resource, Stage } from "../schema/resources.ts";
import type { ScheduleSpec } from "../schema/schedule.ts";

/**
 * The tables for Kysely; the migrations document the columns. bigint columns are strings in
 * JavaScript: ids are opaque to the API anyway.
 */
export type Database = {
  accounts: AccountTable;
  guest_accounts: GuestAccountTable;
  api_tokens: ApiTokenTable;
  web_sessions: WebSessionTable;
  sign_in_codes: SignInCodeTable;
  credit_usage: CreditUsageTable;
  basic_auths: BasicAuthTable;
  mutings: MutingTable;
  schedules: ScheduleTable;
  schedule_slots: ScheduleSlotTable;
  reports: ReportTable;
  check_counts: CheckCountTable;
  rate_limits: RateLimitTable;
  frontier: FrontierTable;
  web_pages: WebPageTable;
  page_sources: PageSourceTable;
  page_facts: PageFactsTable;
  excluded_urls: ExcludedUrlTable;
  report_notices: ReportNoticeTable;
  inbound_links: InboundLinkTable;
  seen_links: SeenLinkTable;
  page_references: PageReferenceTable;
  answers: AnswerTable;
  report_ends: ReportEndTable;
  sites: SiteTable;
  share_links: ShareLinkTable;
  checks: CheckTable;
  common_issues: CommonIssueTable;
  issues: IssueTable;
  findings: FindingTable;
  comparisons: ComparisonTable;
  comparison_requests: ComparisonRequestTable;
  compared_findings: ComparedFindingTable;
  compared_issues: ComparedIssueTable;
  compared_pages: ComparedPageTable;
  compared_rules: ComparedRuleTable;
  component_lists: ComponentListTable;
  components: ComponentTable;
  templates: TemplateTable;
  role_counts: RoleCountTable;
  raw_checks: RawCheckTable;
  screenshots: ScreenshotTable;
  element_pictures: ElementPictureTable;
  sign_in_pictures: SignInPictureTable;
  idempotency_keys: IdempotencyKeyTable;
  api_calls: ApiCallTable;
  cluster_objects: ClusterObjectTable;
  cluster_changes: ClusterChangeTable;
  cluster_version: ClusterVersionTable;
  leader_terms: LeaderTermTable;
};

/** An element of an issue as it is stored. */
export type StoredElement<Element extends IssueElement = IssueElement> = Omit<Element, "element"> & {
  fingerprint: string;
  selector?: string;
};

type Timestamp = ColumnType<Date, Date | string | undefined, Date | string>;
type NullableTimestamp = ColumnType<Date | null, Date | string | null | undefined, Date | string | null>;
/** A `date` column; node-postgres returns a Date at local midnight, so read it as text with `to_char`. */
type Month = ColumnType<Date, string, string>;
type Count = Generated<number>;
type BigId = ColumnType<string, never, never>;
type BigRef = ColumnType<string, string | number | bigint, string | number | bigint>;

type AccountTable = {
  id: Generated<string>;
  name: string;
  monthly_credits: number | null;
  muting_revision: Count;
  inserted_at: Timestamp;
  updated_at: Timestamp;
};

type GuestAccountTable = {
  token: string;
  account_id: string;
  invitation_open: Generated<boolean>;
  max_usage: number;
  name: string | null;
  email: string | null;
  accepted_at: NullableTimestamp;
  deleted_at: NullableTimestamp;
  inserted_at: Timestamp;
  updated_at: Timestamp;
};

type ApiTokenTable = {
  id: Generated<string>;
  account_id: string;
  guest_token: string | null;
  name: string;
  scope: "read" | "write";
  token_hash: Buffer;
  last_used_at: NullableTimestamp;
  inserted_at: Timestamp;
};

type WebSessionTable = {
  secret_hash: Buffer;
  token_id: string;
  inserted_at: Timestamp;
  expires_at: Timestamp;
};

type SignInCodeTable = { code_hash: Buffer; token_id: string; expires_at: Timestamp };

type ComponentListTable = {
  report_id: string;
  version: string;
  list: ColumnType<unknown, string, string>;
  all_version: string | null;
  comparison_id: string | null;
  is_uniform: Generated<boolean>;
  roles: ColumnType<RoleCounts | null, string | null | undefined, string | null>;
  num_faults: number | null;
  causes: ColumnType<ReportCauses | null, string | null | undefined, string | null>;
};

type TemplateTable = { report_id: string; component: Buffer };

type RoleCountTable = { report_id: string; common_id: BigRef; is_muted: boolean; role: Role; how_many: number };

type ComponentTable = {
  report_id: string;
  state: FindingState | null;
  is_muted: boolean;
  component: Buffer;
  rule: string;
  finding_id: string;
  how_many: number;
  num_pages: number;
  issue_type: "error" | "warning";
  impact_order: number | null;
};

type CreditUsageTable = {
  account_id: string;
  guest_token: Generated<string>;
  month: Month;
  reserved: Count;
  charged: Count;
};

type BasicAuthTable = {
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
  inserted_at: Timestamp;
  updated_at: Timestamp;
};

type MutingTable = {
  id: BigId;
  account_id: string;
  guest_token: string | null;
  criteria: JSONColumnType<MutingCriteria>;
  category: Generated<MutingCategory | null>;
  comment: string | null;
  reason: string | null;
  expires_at: NullableTimestamp;
  expired: Generated<boolean>;
  inserted_at: Timestamp;
  updated_at: Timestamp;
};

type ScheduleTable = {
  id: string;
  account_id: string;
  guest_token: string | null;
  namespace: string;
  name: string;
  uid: string;
  generation: ColumnType<string, number | undefined, number>;
  spec: JSONColumnType<ScheduleSpec>;
  /** Of the spec as text. */
  spec_bytes: ColumnType<number, never, never>;
  starting_url: string;
  tags: Generated<string[]>;
  active: Generated<boolean>;
  hook_hash: Buffer | null;
  hook_encrypted: Buffer | null;
  hook_report_id: string | null;
  last_run_at: NullableTimestamp;
  next_run_at: NullableTimestamp;
  deleted_at: NullableTimestamp;
  inserted_at: Timestamp;
  updated_at: Timestamp;
};

type ScheduleSlotTable = {
  schedule_id: string;
  slot: Timestamp;
  report_id: string;
  state: "active" | "ended";
  inserted_at: Timestamp;
};

type ReportTable = {
  id: string;
  account_id: string;
  guest_token: string | null;
  schedule_id: string | null;
  namespace: string;
  name: string;
  uid: string;
  generation: ColumnType<string, number | undefined, number>;
  spec: JSONColumnType<ReportSpec>;
  /** Of the spec as text. */
  spec_bytes: ColumnType<number, never, never>;
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
  num_pages: Count;
  last_jobs: ColumnType<LastJobs, string | undefined, string>;
  run_base: ColumnType<LastJobs | null, string | null | undefined, string | null>;
  muting_revision: Count;
  stored_bytes: ColumnType<string, number | undefined, number>;
  crawl_epoch: Count;
  start_forms: Generated<string[]>;
  site_origin: string | null;
  comparison_id: BigRef | null;
  passed: boolean | null;
  gate_results: ColumnType<GateResult[] | null, string | null | undefined, string | null>;
  coverage: ColumnType<Coverage | null, string | null | undefined, string | null>;
  site_reviewed: Generated<boolean>;
  crawl_started_at: NullableTimestamp;
  crawl_ended_at: NullableTimestamp;
  last_checked_at: NullableTimestamp;
  completed_at: NullableTimestamp;
  deleted_at: NullableTimestamp;
  inserted_at: Timestamp;
  updated_at: Timestamp;
};

/** What stays known of a Job that was created for a stage of a report. */
export type LastJob = {
  run: number;
  /** How many Jobs in a row, this one included, were created without much progress in between. */
  attempt: number;
  /** How many pages or checks were done when it was created. */
  done: number;
};
/** The last Job of each stage. */
export type LastJobs = Partial<Record<Stage, LastJob>>;

/** The progress of the crawl; `failed` when it ended without finding a page to check. */

type CheckCountTable = { report_id: string; kind: CheckKind; account_id: string } & Record<CountField, Count>;

type RateLimitTable = { report_id: string; next_slot: Timestamp };

type FrontierTable = {
  report_id: string;
  url: string;
  position: BigRef;
  depth: number;
  linked_from: string | null;
  done: Generated<boolean>;
};

type WebPageTable = {
  id: BigId;
  report_id: string;
  url: string;
  linked_from: string | null;
  http_status: number | null;
  fetched: Generated<boolean>;
  section: Generated<string>;
  shows_sign_in: Generated<boolean>;
  template: string | null;
  like_others: Generated<boolean>;
  fetch_ms: number | null;
  page_key: Buffer | null;
  last_checked_at: NullableTimestamp;
  inserted_at: Timestamp;
  updated_at: Timestamp;
};

type PageFactsTable = {
  web_page_id: BigRef;
  facts: ColumnType<unknown, string, string>;
  compared: Generated<boolean>;
  ways_compared: Generated<boolean>;
};

type PageSourceTable = {
  web_page_id: BigRef;
  encoding: "identity" | "zstd";
  body: Buffer;
  content_type: string;
  charset: ColumnType<DocumentEncoding | null, string | null, string | null>;
  kept: Generated<boolean>;
};

type ExcludedUrlTable = {
  id: BigId;
  report_id: string;
  url: string;
  linked_from: string | null;
  reason: ExclusionReason;
  inserted_at: Timestamp;
};

type ReportNoticeTable = {
  report_id: string;
  code: StoredCode;
  url: string;
  how_many: number;
  detail: string;
  /** Of the check that says it; "" for the crawler. */
  kind: Generated<CheckKind | "">;
};

type InboundLinkTable = { report_id: string; url: string; how_many: number; pages: string[] };

type SeenLinkTable = { report_id: string; number: number; body: Buffer };

type PageReferenceTable = { web_page_id: string; report_id: string; body: Buffer | null; ids: Buffer };

type AnswerTable = {
  report_id: string;
  url: string;
  status: number | null;
  location: string | null;
  failure_code: string | null;
  failure_detail: string | null;
};

type ReportEndTable = {
  report_id: string;
  ended_at: Timestamp;
  counts: JSONColumnType<CountsByKind>;
  base_id: string | null;
  states: JSONColumnType<StateCount[] | null>;
  muted_states: JSONColumnType<StateCount[] | null>;
  is_whole: boolean;
  series: string;
  pages: JSONColumnType<object>;
};

type ShareLinkTable = {
  id: Generated<string>;
  account_id: string;
  guest_token: string | null;
  report_id: string | null;
  starting_url: string | null;
  secret_hash: Buffer;
  expires_at: Timestamp;
  inserted_at: Timestamp;
};

type SiteTable = {
  account_id: string;
  guest_token: Generated<string>;
  starting_url: string;
  name: string | null;
  owner: string | null;
  tags: Generated<string[]>;
};

type CheckTable = {
  id: BigId;
  report_id: string;
  web_page_id: BigRef;
  kind: CheckKind;
  status: Generated<CheckStatus>;
  attempts: Count;
  started_at: NullableTimestamp;
  alone: Generated<boolean>;
  crashes: Count;
  lease_token: BigRef | null;
  lease_until: NullableTimestamp;
  reserved_month: ColumnType<Date | null, string | null | undefined, string | null>;
  failure_code: FailureCode | null;
  failure_detail: string | null;
  errors: Count;
  warnings: Count;
  minor: Count;
  moderate: Count;
  serious: Count;
  critical: Count;
  outside_standard: Count;
  muted_errors: Count;
  muted_warnings: Count;
  stored_bytes: Count;
  keeps_source: Generated<boolean>;
  muting_revision: Count;
  duration_ms: number | null;
  finished_at: NullableTimestamp;
  inserted_at: Timestamp;
};

type CommonIssueTable = {
  id: BigId;
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
  how_many: Count;
  inserted_at: Timestamp;
  updated_at: Timestamp;
};

type IssueTable = {
  id: BigId;
  report_id: string;
  web_page_id: BigRef;
  kind: CheckKind;
  common_id: BigRef;
  issue_type: "error" | "warning";
  rule: string | null;
  message: string;
  help_url: string | null;
  impact_order: number | null;
  outside_standard: Generated<boolean>;
  tags: Generated<string[]>;
  html: JSONColumnType<StoredElement[]>;
  how_many: number;
  muted_count: Count;
  muting_id: BigRef | null;
  inserted_at: Timestamp;
  updated_at: Timestamp;
};

type FindingTable = {
  id: BigId;
  report_id: string;
  web_page_id: BigRef;
  kind: CheckKind;
  issue_id: BigRef;
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
  repaired: Count;
  muting_id: BigRef | null;
  found_at: Timestamp;
};

type ComparisonTable = {
  id: BigId;
  report_id: string;
  base_id: string;
  report_checked_at: Timestamp;
  base_checked_at: Timestamp;
  counts: JSONColumnType<StateCount[]>;
  muted_counts: JSONColumnType<StateCount[], string | undefined, string>;
  issues_counted: Generated<boolean>;
  inserted_at: Timestamp;
};

type ComparisonRequestTable = {
  report_id: string;
  base_id: string;
  account_id: string;
  by_guest: boolean;
  requested_at: Timestamp;
  started_at: NullableTimestamp;
  tries: Count;
  percent: Count;
  failed_at: NullableTimestamp;
  failure_code: ComparisonFailure | null;
  report_checked_at: NullableTimestamp;
  base_checked_at: NullableTimestamp;
};

type ComparedIssueTable = {
  comparison_id: BigRef;
  common_id: BigRef;
  is_muted: boolean;
  state: FindingState;
  how_many: number;
  first_seen_at: Timestamp;
};

type ComparedRuleTable = {
  comparison_id: BigRef;
  kind: CheckKind;
  rule: string;
  issue_type: "error" | "warning";
  impact_order: number | null;
  outside_standard: boolean;
  state: FindingState;
  is_muted: boolean;
  how_many: number;
  num_pages: number;
  first_seen_at: Timestamp;
};

type ComparedPageTable = { comparison_id: BigRef; web_page_id: BigRef; new_errors: number };

type ComparedFindingTable = {
  comparison_id: BigRef;
  finding_id: BigRef;
  state: FindingState;
  how_many: number;
  first_seen_at: Timestamp;
};

type RawCheckTable = {
  id: BigId;
  web_page_id: BigRef;
  kind: CheckKind;
  /** The engine's output as JSON, compressed (stored-text.ts). */
  raw_zstd: Buffer;
  inserted_at: Timestamp;
};

type ElementPictureTable = {
  id: BigId;
  web_page_id: BigRef;
  box: number[];
  area: number[];
  webp: Buffer;
};

type SignInPictureTable = {
  report_id: string;
  step: number;
  action: string;
  failed: boolean;
  png: Buffer;
  inserted_at: Timestamp;
};

type ScreenshotTable = {
  web_page_id: BigRef;
  png: Buffer;
  width: number;
  height: number;
  scale: number;
  inserted_at: Timestamp;
};

type IdempotencyKeyTable = {
  token_id: string;
  key: string;
  request_hash: Buffer;
  status: number | null;
  headers: ColumnType<Record<string, string> | null, string | null | undefined, string | null>;
  body: string | null;
  inserted_at: Timestamp;
};

type ApiCallTable = { key: string; ends_at: Timestamp; used: number; granted: number };

type ClusterObjectTable = {
  kind: string;
  namespace: string;
  name: string;
  uid: string;
  resource_version: BigRef;
  object: JSONColumnType<Resource>;
};

type ClusterChangeTable = {
  resource_version: BigRef;
  type: "ADDED" | "MODIFIED" | "DELETED";
  kind: string;
  object: JSONColumnType<Resource>;
  inserted_at: Timestamp;
};

type ClusterVersionTable = { singleton: Generated<boolean>; resource_version: BigRef };

type LeaderTermTable = { name: string; term: BigRef };
