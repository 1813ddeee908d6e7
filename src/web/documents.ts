import type { Box } from "../domain/findings/box.ts";
import type { FindingState, StateTotals } from "../domain/findings/finding-state.ts";
import type { CheckKind, Coordinates, Impact } from "../domain/findings/findings.ts";
import type { GateResult } from "../domain/findings/gate.ts";
import type { SuccessCriterion } from "../domain/findings/success-criteria.ts";
import type { PageStatus } from "../domain/site/page-status.ts";
import type { ReportPhase } from "../schema/status.ts";

/** The fields of the API's documents that pages show; docs/openapi.json has all of them. */
export type One<Attributes> = { data: Resource<Attributes> };
export type Many<Attributes> = { data: Resource<Attributes>[]; links: ListLinks; meta: ListMeta };
export type Resource<Attributes> = {
  id: string;
  attributes: Attributes;
  relationships?: Record<string, { links: { related: string } }>;
};
export type ListLinks = { next: string | null; prev?: string | null };
export type ListMeta = { total: number; page_size: number };

export type Failure = { code: string; detail: string | null };

type Counts = { errors: number; warnings: number };
export type Severity = Record<Impact, number> & { total: Counts & { total: number } };
type CheckStatus = { pending: number; checked: number; failed: number };
export type ReportChecks = {
  html: { status: CheckStatus; issues: Counts } | null;
  a11y: { status: CheckStatus; issues: Counts & { outside_standard: number; severity: Severity } } | null;
};

/** A report as every list of reports needs it. */
export type ReportSummary = {
  phase: ReportPhase;
  failure: Failure | null;
  num_pages: number;
  checks: ReportChecks;
  comparison: { base_id: string; states: StateTotals } | null;
  passed: boolean | null;
  inserted_at: string;
  last_checked_at: string | null;
};

export type Report = ReportSummary & {
  starting_url: string;
  domain: string;
  max_pages: number;
  cancelled: boolean;
  shared: boolean;
  tags: string[];
  standard: string;
  store_screenshot: boolean;
  gate_results: GateResult[] | null;
  updated_at: string;
  engines: Partial<Record<CheckKind, { name: string; version: string }>>;
};

/** How long a report still takes; null if unknown. */
export type Progress = {
  checks_per_minute: number | null;
  seconds_left: number | null;
  all_pages_found: boolean;
  comparing: boolean;
};

export type SiteRun = { report_id: string; inserted_at: string; phase: ReportPhase } & Counts;
export type Site = {
  starting_url: string;
  num_reports: number;
  latest: ReportSummary & { id: string };
  runs: SiteRun[];
  next_run_at: string | null;
};

export type Element = {
  extract: string;
  coordinates: Coordinates | null;
  target: string | null;
  selector: string | null;
  failure_summary: string | null;
  box: Box | null;
};

type RuleAttributes = {
  kind: CheckKind;
  rule: string | null;
  message: string;
  help_url: string | null;
  outside_standard: boolean;
  success_criteria: SuccessCriterion[];
};

export type Component = RuleAttributes & {
  issue_type: "error" | "warning";
  impact: Impact | null;
  how_many: number;
  num_pages: number;
  url: string;
  element: Element | null;
};

export type Finding = RuleAttributes & {
  issue_type: "error" | "warning";
  impact: Impact | null;
  fingerprint: string;
  component: string;
  url: string;
  element: Element | null;
  how_many: number;
  state: FindingState | null;
  first_seen_at: string | null;
};

type Guided = { description_html: string | null; guide_url: string | null };

export type CommonHtmlIssue = Guided & {
  issue_type: "error" | "warning";
  rule: string | null;
  message: string;
  help_url: string | null;
  how_many: number;
  num_pages: number;
  states: Record<FindingState, number> | null;
  first_seen_at: string | null;
};

export type CommonA11yIssue = Guided & {
  rule: string;
  help: string;
  help_url: string;
  how_many: number;
  num_pages: number;
  impact: Impact | null;
  review: boolean;
  outside_standard: boolean;
  success_criteria: SuccessCriterion[];
  states: Record<FindingState, number> | null;
  first_seen_at: string | null;
};

type PageCheck = { status: PageStatus; failure: Failure | null } & Counts;
export type WebPage = {
  url: string;
  linked_from: string | null;
  status: PageStatus;
  http_status: number | null;
  html_check: PageCheck | null;
  a11y_check: (PageCheck & { outside_standard: number; severity: Severity }) | null;
  /** The part of the page that the stored screenshot shows, in CSS pixels; left out or null without one. */
  screenshot_size?: { width: number; height: number } | null;
  last_checked_at: string | null;
};

export type HtmlElement = {
  extract: string;
  coordinates: Element["coordinates"];
  selector?: string | null;
  fingerprint?: string | null;
};
export type A11yElement = {
  extract: string;
  target: string;
  failure_summary: string | null;
  selector?: string | null;
  fingerprint?: string | null;
  /** Where it is on the page, in CSS pixels. */
  box?: Box | null;
};
export type HtmlIssue = Omit<CommonHtmlIssue, "num_pages"> & { html: HtmlElement[]; html_truncated: boolean };
export type A11yIssue = Omit<CommonA11yIssue, "num_pages"> & { html: A11yElement[]; html_truncated: boolean };

export type ExcludedUrl = { url: string; linked_from: string | null; reason: string };
