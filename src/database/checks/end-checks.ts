import { type Kysely, sql } from "kysely";
import { manifestOf, performedKinds } from "../../checks/kinds.ts";
import { boundElements, boundIssues, MAX_STORED_BYTES } from "../../domain/findings/bound-findings.ts";
import {
  type CheckKind,
  type CheckOutcome,
  countOf,
  type Engine,
  type Screenshot,
} from "../../domain/findings/findings.ts";
import { countedElements, muteIssue, mutingsByPage, type PageMutings } from "../../domain/findings/muting.ts";
import { markOutside } from "../../domain/findings/outside-standard.ts";
import { screenshotKind } from "../../domain/findings/screenshots.ts";
import { addTally, countIssue, emptyTally, type Tally } from "../../domain/findings/tally.ts";
import { identifyIssue } from "../../domain/identity/identify-issue.ts";
import { pageKey } from "../../domain/identity/page-key.ts";
import type { ReportSpec } from "../../schema/report.ts";
import { moveCredits, type Payer } from "../accounts/credits.ts";
import { loadMutings } from "../accounts/mutings.ts";
import { compressTextNow } from "../compression.ts";
import { findingBytes } from "../findings/insert-findings.ts";
import { storableJson } from "../json-text.ts";
import { addCounts } from "../reports/check-counts.ts";
import type { Database } from "../tables.ts";
import { replaceFindings, type StoredIssue } from "./findings.ts";
import { type KeepableSource, keepFetchedSources, keepsSource, lockSources, settledSources } from "./keep-sources.ts";

/** The checks that one process handles: those of one report and kind. */
export type CheckContext = { reportId: string; kind: CheckKind; spec: ReportSpec };

/** A check whose row is locked, with the counts of its previous run. */
export type LockedCheck = Tally & {
  id: string;
  web_page_id: string;
  url: string;
  lease_token: string | null;
  reserved_month: string | null;
  stored_bytes: number;
};

/** `source`: what a check of the source was run on; left out when it may not be kept. */
export type Ended = { check: LockedCheck; outcome: CheckOutcome; source?: KeepableSource | undefined };

/**
 * Ends locked checks: writes their findings and counts, and updates the report's counters and
 * the credits.
 *
 * @returns the payer, or undefined when there are no checks to end
 * @throws ReportGoneError when the report is deleted
 */
export async function endChecks(
  trx: Kysely<Database>,
  context: CheckContext,
  ended: readonly Ended[],
  now: Date,
): Promise<Payer | undefined> {
  if (ended.length === 0) return undefined;
  const { reportId, kind } = context;
  const applied = await loadMutings(trx, reportId);
  if (!applied) throw new ReportGoneError();
  const mutingsOf = mutingsByPage(applied.mutings);
  const judged = ended.map((one) => judge(one, mutingsOf(one.check.url), context.spec));
  const pages = ended.map(({ check }) => check.web_page_id);
  await replaceFindings(
    trx,
    kind,
    reportId,
    pages,
    judged.flatMap(({ issues }) => issues),
    now,
  );
  const needsSource = manifestOf(kind).needs === "source";
  if (needsSource) await lockSources(trx, pages);
  await writeChecks(
    trx,
    context,
    judged.map(({ row }) => row),
    applied.revision,
    now,
  );
  if (needsSource) await keepFetchedSources(trx, ended);
  await storeRaw(trx, context, judged);
  if (screenshotKind(context.spec) === kind) await storeScreenshots(trx, judged);
  const payer = await countOnReport(trx, context, ended, judged, applied.revision, now);
  await payCredits(trx, payer, ended);
  return payer;
}

type Judged = {
  row: CheckRow;
  issues: StoredIssue[];
  /** The raw result as it is stored, if it is. */
  raw: Buffer | undefined;
  screenshot: Screenshot | undefined;
  change: Tally;
  bytesChange: number;
};

type CheckRow = Tally & {
  id: string;
  web_page_id: string;
  status: "checked" | "failed";
  failure_code: string | undefined;
  failure_detail: string | undefined;
  http_status: number | null | undefined;
  stored_bytes: number;
  keeps_source: boolean;
};

/** The effect of an outcome on its check, and the change of the report's counters. */
function judge({ check, outcome, source }: Ended, mutings: PageMutings, spec: ReportSpec): Judged {
  const tally = emptyTally();
  const page = pageKey(check.url);
  const keptBytes = keepsSource(outcome, source) ? source.bytes : null;
  const found = "issues" in outcome ? boundIssues(outcome.issues.filter((issue) => countOf(issue) > 0)) : [];
  const marked = found.map((issue) => markOutside(outcome.kind, issue, spec.standard));
  const identified = marked.map((issue) => identifyIssue(outcome.kind, issue, page));
  const issues = boundElements(identified.map(({ issue }) => issue));
  const stored = issues.map((issue, index): StoredIssue => {
    const found = (identified[index]?.findings ?? []).map((finding) => ({
      ...finding,
      selector: finding.element?.selector ?? null,
    }));
    const { findings: mutingIds, ...muted } = muteIssue(
      mutings,
      { text: issue.message, rule: issue.rule ?? "", howMany: countOf(issue) },
      found,
    );
    countIssue(tally, issue, countedElements(muted));
    const findings = found.map((finding, at) => ({ ...finding, mutingId: mutingIds[at] ?? null }));
    return { webPageId: check.web_page_id, issue, html: storableJson(issue.html), findings, ...muted };
  });
  const change = { ...tally };
  // This run's findings replace those of the previous run.
  addTally(change, check, -1);
  const failure = "failure" in outcome ? outcome.failure : undefined;
  const raw = rawToStore(outcome, spec);
  const screenshot = screenshotToStore(outcome, spec);
  const storedBytes =
    stored.reduce((sum, issue) => sum + issueBytes(issue), 0) +
    (raw?.byteLength ?? 0) +
    (screenshot?.png.byteLength ?? 0) +
    (keptBytes ?? 0);
  const row: CheckRow = {
    id: check.id,
    web_page_id: check.web_page_id,
    status: failure ? "failed" : "checked",
    failure_code: failure?.code,
    failure_detail: failure?.detail,
    http_status: outcome.httpStatus,
    ...tally,
    stored_bytes: storedBytes,
    keeps_source: keptBytes !== null,
  };
  return { row, issues: stored, raw, screenshot, change, bytesChange: storedBytes - check.stored_bytes };
}

async function writeChecks(
  trx: Kysely<Database>,
  { kind, spec }: CheckContext,
  rows: readonly CheckRow[],
  revision: number,
  now: Date,
): Promise<void> {
  // If there are checks of the source, the page's status is the one that the crawler received with it.
  const ownStatus = performedKinds(spec).every((performed) => manifestOf(performed).needs === "browser");
  const outcomes = rows.map((row) => ({ ...row, has_status: ownStatus && row.http_status !== undefined }));
  const status = sql`, http_status = case when ended.has_status then ended.http_status else w.http_status end`;
  await sql`
    with ended as materialized (
      select * from json_to_recordset(${storableJson(outcomes)}::json) as x(
        id bigint, web_page_id bigint, status text, failure_code text, failure_detail text,
        errors integer, warnings integer, minor integer, moderate integer, serious integer, critical integer,
        outside_standard integer, http_status integer, has_status boolean, stored_bytes integer, keeps_source boolean)
    ), pages as (
      update web_pages w set last_checked_at = ${now}, updated_at = ${now} ${status} from ended where w.id = ended.web_page_id
    ) ${manifestOf(kind).needs === "source" ? settledSources(kind) : sql``}
    update checks c set
      status = ended.status, failure_code = ended.failure_code, failure_detail = ended.failure_detail,
      errors = ended.errors, warnings = ended.warnings, minor = ended.minor, moderate = ended.moderate,
       serious = ended.serious, critical = ended.critical, outside_standard = ended.outside_standard, stored_bytes = ended.stored_bytes,
       lease_token = null, lease_until = null, reserved_month = null, started_at = null, alone = false, crashes = 0,
      muting_revision = ${revision}, finished_at = ${now}
    from ended where c.id = ended.id`.execute(trx);
}

function pagesOf(judged: readonly Judged[]): string[] {
  return judged.map(({ row }) => row.web_page_id);
}

/** The stored bytes of an issue with its findings. */
function issueBytes({ issue: { html: _, ...shared }, html, findings }: StoredIssue): number {
  return Buffer.byteLength(JSON.stringify(shared)) + Buffer.byteLength(html) + findingBytes(findings);
}

/** The raw result as it is stored, if the report asks for it and it is not too large. */
function rawToStore(outcome: CheckOutcome, spec: ReportSpec): Buffer | undefined {
  if (!spec[manifestOf(outcome.kind).settings.storeRaw]) return undefined;
  if (!("raw" in outcome) || outcome.raw === undefined) return undefined;
  const raw = Buffer.from(storableJson(outcome.raw));
  return raw.byteLength <= MAX_STORED_BYTES.raw ? compressTextNow(raw) : undefined;
}

function screenshotToStore(outcome: CheckOutcome, spec: ReportSpec): Screenshot | undefined {
  if (screenshotKind(spec) !== outcome.kind || !("screenshot" in outcome) || !outcome.screenshot) return undefined;
  return outcome.screenshot.png.byteLength <= MAX_STORED_BYTES.screenshot ? outcome.screenshot : undefined;
}

async function storeRaw(trx: Kysely<Database>, { kind, spec }: CheckContext, judged: readonly Judged[]): Promise<void> {
  if (!spec[manifestOf(kind).settings.storeRaw]) return;
  await trx.deleteFrom("raw_checks").where("kind", "=", kind).where("web_page_id", "in", pagesOf(judged)).execute();
  const values = judged.flatMap(({ row, raw }) =>
    raw === undefined ? [] : { web_page_id: row.web_page_id, kind, raw_zstd: raw },
  );
  if (values.length > 0) await trx.insertInto("raw_checks").values(values).execute();
}

async function storeScreenshots(trx: Kysely<Database>, judged: readonly Judged[]): Promise<void> {
  await trx.deleteFrom("screenshots").where("web_page_id", "in", pagesOf(judged)).execute();
  const values = judged.flatMap(({ row, screenshot }) =>
    screenshot ? { ...screenshot, web_page_id: row.web_page_id, png: Buffer.from(screenshot.png) } : [],
  );
  if (values.length > 0) await trx.insertInto("screenshots").values(values).execute();
}

/** All processes need the report's row, so it is locked after all others but its counters, and for a short time. */
async function countOnReport(
  trx: Kysely<Database>,
  { reportId, kind }: CheckContext,
  ended: readonly Ended[],
  judged: readonly Judged[],
  revision: number,
  now: Date,
): Promise<Payer> {
  const change = emptyTally();
  for (const one of judged) addTally(change, one.change);
  const failed = judged.filter(({ row }) => row.status === "failed").length;
  const bytes = judged.reduce((sum, { bytesChange }) => sum + bytesChange, 0);
  const counts = { ...change, pending: -judged.length, checked: judged.length - failed, failed };
  const engine = engineOf(ended);
  const engines = engine ? JSON.stringify({ [kind]: engine }) : "{}";
  const { rows } = await sql<{ account_id: string; guest_token: string | null }>`
    with report as (
      update reports set
        engines = case when engines @> ${engines}::jsonb then engines else engines || ${engines}::jsonb end,
        muting_revision = least(muting_revision, ${revision}::integer),
        stored_bytes = stored_bytes + ${bytes}::bigint,
        last_checked_at = greatest(last_checked_at, ${now}::timestamptz), updated_at = ${now}
      where id = ${reportId} and deleted_at is null
      returning id, account_id, guest_token
    ), counted as (${addCounts({ [kind]: counts })})
    select account_id, guest_token from report`.execute(trx);
  const [report] = rows;
  if (!report) throw new ReportGoneError();
  return { accountId: report.account_id, guestToken: report.guest_token };
}

function engineOf(ended: readonly Ended[]): Engine | undefined {
  for (const { outcome } of ended) if ("issues" in outcome) return outcome.engine;
  return undefined;
}

/** Charges the reserved credit of each check with a result, and releases the others. */
async function payCredits(trx: Kysely<Database>, payer: Payer, ended: readonly Ended[]): Promise<void> {
  const months = new Map<string, { reserved: number; charged: number }>();
  for (const { check, outcome } of ended) {
    if (check.reserved_month === null) continue;
    const by = months.get(check.reserved_month) ?? { reserved: 0, charged: 0 };
    months.set(check.reserved_month, by);
    by.reserved -= 1;
    if ("issues" in outcome) by.charged += 1;
  }
  for (const [month, by] of [...months].sort()) await moveCredits(trx, payer, month, by);
}

/** Rolls a transaction back: the report was deleted in the meantime, so late results are discarded. */
export class ReportGoneError extends Error {}
