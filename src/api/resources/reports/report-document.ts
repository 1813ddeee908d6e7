import { type CheckKind, manifestOf, type Noun, namedByKind, nounOf } from "../../../checks/kinds.ts";
import type { ReportRow } from "../../../database/reports/read-reports.ts";
import type { Inbound } from "../../../database/reports/web-pages.ts";
import { noticeSentence, tallyPages } from "../../../domain/coverage/coverage.ts";
import { type NoticeGroup, noticeTexts } from "../../../domain/coverage/notices.ts";
import { exclusionReasons, type Failure } from "../../../domain/failure.ts";
import type { CheckCounts } from "../../../domain/findings/check-counts.ts";
import { stateTotals } from "../../../domain/findings/finding-state.ts";
import type { GateResult } from "../../../domain/findings/gate.ts";
import type { Tally } from "../../../domain/findings/tally.ts";
import { snakeCase } from "../../../schema/api-names.ts";
import { reportSpecSchema } from "../../../schema/report.ts";
import type { Context } from "../../context.ts";
import type { Attributes, Resource } from "../../documents.ts";
import { related, timestamp } from "../../http/response/documents.ts";
import { specAttributes } from "../spec-attributes.ts";
import { reportUrl } from "./report-access.ts";

/** A report in the API; only its owners see which guest created it, and which stored credentials it uses. */
export function reportDocument(context: Context, report: ReportRow, owned: boolean): Resource<"report"> {
  const { spec } = report;
  const sites = context.caller?.sites ?? null;
  // A base may be of a site that the caller does not see.
  const comparison = seen(report.comparison, sites);
  // The attributes named here are placed one by one below; `run` has all others.
  const {
    starting_url,
    initial_urls,
    exclusions,
    max_pages,
    user_agent,
    basic_auth_id,
    base_id,
    shared,
    tags,
    cancelled,
    ...run
  } = specAttributes(reportSpecSchema, {
    ...spec,
    startingUrl: report.starting_url,
    shared: report.shared,
    tags: report.tags,
  });
  const self = reportUrl(context, report.id);
  const guest = owned ? report.guest_token : null;
  return {
    id: report.id,
    type: "report",
    attributes: {
      starting_url,
      initial_urls,
      exclusions,
      domain: report.domain,
      max_pages,
      num_pages: report.num_pages,
      ...run,
      user_agent,
      base_id: sites === null || comparison ? base_id : null,
      ...(owned && { basic_auth_id }),
      phase: report.phase,
      failure: failure(report),
      checks: namedByKind<Checks>((kind) => [kind, checksOf(report, kind)]),
      engines: report.engines,
      comparison: comparison && {
        base_id: comparison.base_id,
        base_inserted_at: timestamp(new Date(comparison.base_inserted_at)),
        differs: comparison.differs.map(snakeCase),
        ...statesOf(comparison),
      },
      at_end: atEnd(report, seen(report.end?.comparison, sites)),
      coverage: coverage(report),
      passed: verdictOf(report).passed,
      gate_results: gateResults(verdictOf(report)),
      passed_now: report.passed ?? null,
      gate_results_now: gateResults(report),
      cancelled,
      shared,
      tags,
      num_faults: report.num_faults,
      roles: report.roles,
      pin: report.pin && {
        reason: report.pin.reason,
        pinned_by: owned ? report.pin.pinned_by : null,
        inserted_at: timestamp(new Date(report.pin.inserted_at)),
      },
      durations: durationsOf(report),
      inserted_at: timestamp(report.inserted_at),
      updated_at: timestamp(report.updated_at),
      last_checked_at: timestamp(report.last_checked_at),
      ...(owned && {
        bytes: Number(report.stored_bytes),
        changes: report.changes.map(snakeCase),
        sign_in_pictures: report.sign_in_pictures.map(({ step, action, failed }) => ({
          step,
          action: action || null,
          failed,
          url: `${self}/sign_in_pictures/${step}`,
        })),
      }),
      ...(guest !== null && { guest_token: guest }),
    },
    relationships: related({
      web_pages: `${self}/web_pages`,
      ...namedByKind<Record<`common_${Noun}_issues`, string>>((kind) => [
        `common_${nounOf(kind)}_issues`,
        `${self}/common_${nounOf(kind)}_issues`,
      ]),
      findings: `${self}/findings`,
      components: `${self}/components`,
      causes: `${self}/causes`,
      sections: `${self}/sections`,
      criteria: `${self}/criteria`,
      // Sharing opens only the report: its readers get no links that they could not follow.
      device: context.caller ? `${context.base}/devices/${spec.deviceId || "default"}` : undefined,
      mutings: `${self}/mutings`,
      excluded_urls: `${self}/excluded_urls`,
      schedule: !owned || !report.schedule_known ? undefined : `${context.base}/schedules/${report.schedule_id}`,
      guest_account: guest === null || !report.guest_known ? undefined : `${context.base}/guest_accounts/${guest}`,
    }),
  };
}

type FailureRow = Pick<ReportRow, "failure_code" | "failure_detail">;

/** Why a report or check failed, or null. */
export function failure({ failure_code: code, failure_detail: detail }: FailureRow): Failure | null {
  return code === null ? null : { code, detail: detail ?? "" };
}

/** A notice with its texts, its members in the order in which people read them. */
export function noticeDocument(group: NoticeGroup): Attributes<"progress">["notices"][number] {
  const { code, how_many, num_urls, more, examples } = group;
  const { severity, advice } = noticeTexts[code];
  const shown = examples.map(({ url, detail }) => ({ url, detail }));
  return { code, severity, message: noticeSentence(group), how_many, num_urls, more, examples: shown, advice };
}

/** With the texts of its notices, its members in the order in which people read them: jsonb does not keep it. */
function coverage({ coverage: stored }: ReportRow): Attributes<"report">["coverage"] {
  if (!stored) return null;
  const { found, checked, failed, left_out } = stored.pages;
  const without_page = tallyPages(stored).withoutPage;
  const notices = stored.notices.map(noticeDocument);
  const inOrder = Object.fromEntries(
    exclusionReasons.flatMap((reason) => (left_out[reason] ? [[reason, left_out[reason]]] : [])),
  );
  return { complete: stored.complete, pages: { found, checked, failed, without_page, left_out: inOrder }, notices };
}

type Judged = Pick<ReportRow, "passed" | "gate_results">;

/** The verdict when it ended, which mutings of later do not change; while it is under way, none. */
export function verdictOf({ phase, end, passed, gate_results }: ReportRow): Judged {
  // A report that is queued has no row yet.
  const now = { passed: passed ?? null, gate_results: gate_results ?? null };
  return phase === "Complete" && end ? { passed: end.passed, gate_results: end.gate_results } : now;
}

/** Puts the members into the order in which people read them: jsonb does not keep it. */
function gateResults({ gate_results }: Judged): GateResult[] | null {
  const inOrder = ({ condition, limit, counted, passed, reason }: GateResult) => {
    return { condition, limit, counted, passed, reason };
  };
  return gate_results?.map(inOrder) ?? null;
}

type Checks = Attributes<"report">["checks"];

function checksOf({ spec, counts }: ReportRow, kind: CheckKind) {
  if (!spec[manifestOf(kind).settings.perform]) return null;
  return {
    status: checkStatus(counts[kind]),
    reused: counts[kind].reused,
    issues: { ...foundOf(kind, counts[kind]), muted: mutedOf(counts[kind]) },
  };
}

function statesOf({ states, muted_states }: Pick<NonNullable<ReportRow["comparison"]>, "states" | "muted_states">) {
  return { states: stateTotals(states), muted: stateTotals(muted_states) };
}

/** A comparison, if its base is a report of a site that is there for the caller. */
function seen<Compared extends { base_url: string | null }>(
  comparison: Compared | null | undefined,
  sites: readonly string[] | null,
): Compared | null {
  if (!comparison) return null;
  return sites === null || (comparison.base_url !== null && sites.includes(comparison.base_url)) ? comparison : null;
}

/** What was counted when the report ended first. */
function atEnd(
  { spec, end }: ReportRow,
  comparison: NonNullable<ReportRow["end"]>["comparison"],
): Attributes<"report">["at_end"] {
  if (end === null) return null;
  return {
    ended_at: timestamp(new Date(end.ended_at)),
    checks: namedByKind<NonNullable<Attributes<"report">["at_end"]>["checks"]>((kind) => [
      kind,
      spec[manifestOf(kind).settings.perform] ? endOf(end.counts[kind]) : null,
    ]),
    comparison: comparison && { base_id: comparison.base_id, ...statesOf(comparison) },
  };
}

/** How long the parts of its run took. */
function durationsOf({ inserted_at, crawl_started_at, crawl_ended_at, end }: ReportRow) {
  // Times of two programs, whose clocks may differ.
  const between = (from: Date | null, to: Date | null) =>
    (from && to && Math.max(0, to.getTime() - from.getTime())) ?? null;
  return {
    queued_ms: between(inserted_at, crawl_started_at),
    crawl_ms: between(crawl_started_at, crawl_ended_at),
    checks_ms: between(crawl_ended_at, end && new Date(end.ended_at)),
  };
}

function endOf({ errors, warnings, ...counts }: Tally) {
  return { errors, warnings, muted: mutedOf(counts) };
}

/** What would be errors and warnings if it were not muted. */
export function mutedOf({
  muted_errors: errors,
  muted_warnings: warnings,
}: Pick<Tally, "muted_errors" | "muted_warnings">) {
  return { errors, warnings };
}

/** Which pages link to an address. */
export function inboundAttributes(inbound: Inbound | null) {
  return { num_linked_from: inbound?.howMany ?? null, linked_from_pages: inbound ? [...inbound.pages] : null };
}

/** What was found by checks of a kind. */
export function foundOf(kind: CheckKind, counts: Tally) {
  const { hasStandards, hasImpact } = manifestOf(kind);
  const { errors, warnings, outside_standard } = counts;
  return {
    errors,
    warnings,
    ...(hasStandards && { outside_standard }),
    ...(hasImpact && { severity: severity(counts) }),
  };
}

function checkStatus({ pending, checked, failed }: CheckCounts) {
  return { pending, checked, failed };
}

/** Errors and warnings by severity; the levels add up to the total. */
function severity({ critical, serious, moderate, minor, errors, warnings }: Tally) {
  return { critical, serious, moderate, minor, total: { errors, warnings, total: errors + warnings } };
}
