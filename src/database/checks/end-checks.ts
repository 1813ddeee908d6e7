import { type Kysely, type RawBuilder, sql } from "kysely";
import { type CheckKind, needsSource, sourceKinds } from "../../checks/kinds.ts";
import type { Payer } from "../../domain/accounts/credits.ts";
import { isVariant } from "../../domain/addresses/page-variant.ts";
import { MAX_STORED_BYTES } from "../../domain/findings/bound-findings.ts";
import type { CheckCounts } from "../../domain/findings/check-counts.ts";
import type { Engine } from "../../domain/findings/findings.ts";
import type { SourceSize, Verdict } from "../../domain/findings/judge-check.ts";
import { type Tally, tallyFields } from "../../domain/findings/tally.ts";
import { type StoredSource, sourceRow } from "../crawl/page-sources.ts";
import { findingBytes, type StoredIssue } from "../findings/store-findings.ts";
import { addCounts } from "../reports/check-counts.ts";
import { compressTextNow, storableJson } from "../stored-text.ts";
import type { Database } from "../tables.ts";
import { isCrashed, isExpired } from "./leases.ts";

/** A check whose row is locked, with the counts of its previous run. */
export type LockedCheck = Tally & {
  id: string;
  web_page_id: string;
  url: string;
  lease_token: string | null;
  reserved_month: string | null;
  stored_bytes: number;
};

/** The source of a page that was checked, as it may be kept. */
export type KeepableSource = SourceSize & {
  /** A source that is not stored yet: the page was fetched for this check. */
  fetched?: StoredSource | undefined;
};

/** Locks leased checks and their pages, in the order of the pages. */
export function lockLeased(trx: Kysely<Database>, ids: readonly string[]): Promise<LockedCheck[]> {
  return lockChecks(trx, sql`c.id = any(${[...ids]}::bigint[]) and c.status = 'leased'`);
}

/** Locks the checks of a kind that pages have a result of, and the pages. */
export function lockChecked(
  trx: Kysely<Database>,
  kind: CheckKind,
  pageIds: readonly string[],
): Promise<LockedCheck[]> {
  const ofPages = sql`c.web_page_id = any(${[...pageIds]}::bigint[])`;
  return lockChecks(trx, sql`${ofPages} and c.kind = ${kind} and c.status = 'checked'`);
}

/** Which checks of a queue nobody will end. */
const unfinished = {
  /** Their checkers crashed too often. */
  crashed: sql`c.status = 'leased' and ${isExpired} and ${isCrashed}`,
  /** No credit is reserved for them. */
  unpaid: sql`c.status = 'queued' and c.reserved_month is null`,
  all: sql`c.status in ('queued', 'leased')`,
};

/** Locks up to `limit` unfinished checks and their pages, except those that others have locked. */
export function lockUnfinished(
  trx: Kysely<Database>,
  { reportId, kind }: { reportId: string; kind: CheckKind },
  which: keyof typeof unfinished,
  limit: number,
): Promise<LockedCheck[]> {
  const ids = sql`select c.id from checks c where c.report_id = ${reportId} and c.kind = ${kind} and ${unfinished[which]}
    order by c.id limit ${limit}`;
  return lockChecks(trx, sql`c.id in (${ids}) and ${unfinished[which]}`, sql`skip locked`);
}

async function lockChecks(trx: Kysely<Database>, which: ReturnType<typeof sql>, wait = sql``): Promise<LockedCheck[]> {
  const { rows } = await sql<LockedCheck>`
    select c.id, c.web_page_id, w.url, c.lease_token, to_char(c.reserved_month, 'YYYY-MM-DD') as reserved_month,
      ${sql.join(tallyFields.map((field) => sql.ref(`c.${field}`)))}, c.stored_bytes
    from checks c join web_pages w on w.id = c.web_page_id
    where ${which}
    order by c.web_page_id
    for update of c ${wait} for no key update of w ${wait}`.execute(trx);
  return rows;
}

/** How long a check took, and the fetch of a page that was fetched for it. */
export type Times = { durationMs?: number | undefined; fetchMs?: number | undefined };

/** What an outcome is found by in later reports and, if it was found so itself, how it is stored. */
export type Reuses = { reuse?: { key: Buffer; stored: Buffer | undefined } | undefined };

/** Whether the outcome is that of an earlier report. */
export const isReused = ({ reuse }: Reuses): boolean => reuse?.stored !== undefined;

/** A verdict on a check as it is stored. */
export type StoredVerdict = {
  check: LockedCheck;
  verdict: Verdict;
  issues: StoredIssue[];
  /** Compressed. */
  raw: Buffer | undefined;
  /** Of all that is stored for it. */
  storedBytes: number;
};

/** The stored form of a verdict. A raw result that is too large is left out. */
export function storedVerdict(check: LockedCheck, verdict: Verdict, source: SourceSize | undefined): StoredVerdict {
  const raw = rawToStore(verdict);
  const issues = verdict.issues.map((judged): StoredIssue => {
    return { ...judged, webPageId: check.web_page_id, html: storableJson(judged.issue.html) };
  });
  const storedBytes =
    issues.reduce((sum, issue) => sum + issueBytes(issue), 0) +
    (raw?.byteLength ?? 0) +
    (verdict.screenshot?.png.byteLength ?? 0) +
    verdict.pictures.reduce((sum, { webp }) => sum + webp.byteLength, 0) +
    (verdict.keepsSource && source ? source.bytes : 0);
  return { check, verdict, issues, raw, storedBytes };
}

function rawToStore({ raw }: Verdict): Buffer | undefined {
  if (raw === undefined) return undefined;
  const json = Buffer.from(storableJson(raw));
  return json.byteLength <= MAX_STORED_BYTES.raw ? compressTextNow(json) : undefined;
}

/** The stored bytes of an issue with its findings. */
function issueBytes({ issue: { html: _, ...shared }, html, findings }: StoredIssue): number {
  return Buffer.byteLength(JSON.stringify(shared)) + Buffer.byteLength(html) + findingBytes(findings);
}

/**
 * Writes the ends of checks, and what becomes of their pages' sources.
 *
 * @param revision of the mutings by which they were judged
 */
export async function writeEnds(
  trx: Kysely<Database>,
  kind: CheckKind,
  ended: readonly (StoredVerdict & Times & Reuses)[],
  revision: number,
  now: Date,
): Promise<void> {
  const outcomes = ended.map(({ check, verdict, storedBytes, durationMs, fetchMs, reuse }) => ({
    id: check.id,
    web_page_id: check.web_page_id,
    status: verdict.failure ? "failed" : "checked",
    failure_code: verdict.failure?.code,
    failure_detail: verdict.failure?.detail,
    http_status: verdict.httpStatus,
    has_status: verdict.httpStatus !== undefined,
    ...verdict.tally,
    stored_bytes: storedBytes,
    keeps_source: verdict.keepsSource,
    duration_ms: durationMs,
    reused: isReused({ reuse }),
    fetch_ms: fetchMs,
  }));
  const status = sql`, http_status = case when ended.has_status then ended.http_status else w.http_status end`;
  await sql`
    with ended as materialized (
      select * from json_to_recordset(${storableJson(outcomes)}::json) as x(
        id bigint, web_page_id bigint, status text, failure_code text, failure_detail text,
        ${sql.join(tallyFields.map((field) => sql`${sql.ref(field)} integer`))}, http_status integer, has_status boolean, stored_bytes integer, keeps_source boolean,
        duration_ms integer, fetch_ms integer, reused boolean)
    ), pages as (
      update web_pages w set last_checked_at = ${now}, updated_at = ${now}, fetch_ms = coalesce(ended.fetch_ms, w.fetch_ms) ${status}
      from ended where w.id = ended.web_page_id
    ) ${needsSource(kind) ? sourcesAfterCheck(kind) : sql``}
    update checks c set
      status = ended.status, failure_code = ended.failure_code, failure_detail = ended.failure_detail,
      ${sql.join(tallyFields.map((field) => sql`${sql.ref(field)} = ${sql.ref(`ended.${field}`)}`))}, stored_bytes = ended.stored_bytes,
      keeps_source = ended.keeps_source, duration_ms = ended.duration_ms, reused = ended.reused,
       lease_token = null, lease_until = null, reserved_month = null, started_at = null, alone = false, crashes = 0,
      muting_revision = ${revision}, finished_at = ${now}
    from ended where c.id = ended.id`.execute(trx);
}

function pagesOf(ended: readonly StoredVerdict[]): string[] {
  return ended.map(({ check }) => check.web_page_id);
}

/** Replaces by what pages are compared with each other. A variant of a page is not compared. */
export async function writeFacts(trx: Kysely<Database>, ended: readonly StoredVerdict[]): Promise<void> {
  const values = ended.flatMap(({ check, verdict: { facts } }) =>
    facts && !isVariant(check.url) ? [{ web_page_id: check.web_page_id, facts: storableJson(facts) }] : [],
  );
  await trx.deleteFrom("page_facts").where("web_page_id", "in", pagesOf(ended)).execute();
  if (values.length > 0) await trx.insertInto("page_facts").values(values).execute();
}

/**
 * Pages that acting leaves out take the place of those of their template on which it could not act: the first ones that
 * wait for their check and that nobody has locked.
 */
export async function replaceUnacted(
  trx: Kysely<Database>,
  reportId: string,
  kind: CheckKind,
  ended: readonly StoredVerdict[],
): Promise<void> {
  const failed = ended.flatMap(({ check, verdict }) => (verdict.failure ? [check.web_page_id] : []));
  if (failed.length === 0) return;
  const { rows } = await sql<{ template: string; count: number }>`
    select template, count(*)::integer as count from web_pages
    where id = any(${failed}::bigint[]) and template is not null and not like_others group by template`.execute(trx);
  for (const { template, count } of rows)
    await sql`
      update web_pages set like_others = false where id in (
        select w.id from web_pages w join checks c on c.web_page_id = w.id and c.kind = ${kind} and c.status = 'queued'
        where w.report_id = ${reportId} and w.template = ${template} and w.like_others
        order by w.id limit ${count} for no key update of w skip locked
      )`.execute(trx);
}

/** Replaces the raw results of pages by those of their checks that have one. */
export async function replaceRaw(
  trx: Kysely<Database>,
  kind: CheckKind,
  ended: readonly StoredVerdict[],
): Promise<void> {
  await trx.deleteFrom("raw_checks").where("kind", "=", kind).where("web_page_id", "in", pagesOf(ended)).execute();
  const values = ended.flatMap(({ check, raw }) =>
    raw === undefined ? [] : { web_page_id: check.web_page_id, kind, raw_zstd: raw },
  );
  if (values.length > 0) await trx.insertInto("raw_checks").values(values).execute();
}

/** Replaces the screenshots of pages, and the pictures of their elements, by those of their checks that have some. */
export async function replaceScreenshots(trx: Kysely<Database>, ended: readonly StoredVerdict[]): Promise<void> {
  await trx.deleteFrom("screenshots").where("web_page_id", "in", pagesOf(ended)).execute();
  const values = ended.flatMap(({ check, verdict: { screenshot } }) =>
    screenshot ? { ...screenshot, web_page_id: check.web_page_id, png: Buffer.from(screenshot.png) } : [],
  );
  if (values.length > 0) await trx.insertInto("screenshots").values(values).execute();
  await trx.deleteFrom("element_pictures").where("web_page_id", "in", pagesOf(ended)).execute();
  const pictures = ended.flatMap(({ check, verdict }) =>
    verdict.pictures.map(({ box, area, webp }) => {
      const [of, shown] = [box, area].map(({ x, y, width, height }) => [x, y, width, height]);
      return { web_page_id: check.web_page_id, box: of ?? [], area: shown ?? [], webp: Buffer.from(webp) };
    }),
  );
  if (pictures.length > 0) await trx.insertInto("element_pictures").values(pictures).execute();
}

/**
 * What becomes of stored sources with a check that ends, as parts of a statement with `ended`: a source is kept if one of
 * the checks that need it keeps it, and dropped otherwise. The last of a page's checks decides. Of two that end at the
 * same time one waits for the row of their page, which `lockChecks` locks.
 */
function sourcesAfterCheck(kind: CheckKind): RawBuilder<unknown> {
  const others = sourceKinds.filter((other) => other !== kind).map((other) => sql.lit(other));
  const other = (does: RawBuilder<unknown>) =>
    others.length === 0
      ? sql`false`
      : sql`exists (select from checks o where o.web_page_id = s.web_page_id and o.kind in (${sql.join(others)}) and ${does})`;
  const isLast = sql`not ${other(sql`o.status in ('queued', 'leased')`)}`;
  const isKept = sql`(ended.keeps_source or ${other(sql`o.keeps_source`)})`;
  return sql`, dropped as (
      delete from page_sources s using ended where s.web_page_id = ended.web_page_id and ${isLast} and not ${isKept}
    ), kept as (
      update page_sources s set kept = true from ended
      where s.web_page_id = ended.web_page_id and ${isLast} and ${isKept} and not s.kept
    )`;
}

/** Stores the sources that were fetched for a check and are kept. They replace those of the previous findings. */
export async function keepFetchedSources(
  trx: Kysely<Database>,
  ended: readonly { check: LockedCheck; verdict: Verdict; source: KeepableSource | undefined }[],
): Promise<void> {
  const rows = ended.flatMap(({ check, verdict, source }) =>
    verdict.keepsSource && source?.fetched ? { ...sourceRow(check.web_page_id, source.fetched), kept: true } : [],
  );
  if (rows.length === 0) return;
  await trx
    .insertInto("page_sources")
    .values(rows)
    .onConflict((conflict) =>
      conflict.column("web_page_id").doUpdateSet({
        encoding: sql.ref("excluded.encoding"),
        body: sql.ref("excluded.body"),
        content_type: sql.ref("excluded.content_type"),
        charset: sql.ref("excluded.charset"),
        kept: true,
      }),
    )
    .execute();
}

/** What ended checks of one kind change in their report's row and counters. */
export type ReportChange = { counts: CheckCounts; bytes: number; engine: Engine | undefined };

/**
 * Counts ended checks on their report. All processes need the report's row, so it is locked after all others but its
 * counters, and for a short time.
 *
 * @returns undefined when the report is deleted
 */
export async function countEnded(
  trx: Kysely<Database>,
  { reportId, kind }: { reportId: string; kind: CheckKind },
  { counts, bytes, engine }: ReportChange,
  revision: number,
  now: Date,
): Promise<Payer | undefined> {
  const engines = engine ? JSON.stringify({ [kind]: engine }) : "{}";
  const { rows } = await sql<Payer>`
    with report as (
      update reports set
        engines = case when engines @> ${engines}::jsonb then engines else engines || ${engines}::jsonb end,
        muting_revision = least(muting_revision, ${revision}::integer),
        stored_bytes = stored_bytes + ${bytes}::bigint,
        last_checked_at = greatest(last_checked_at, ${now}::timestamptz), updated_at = ${now}
      where id = ${reportId} and deleted_at is null
      returning id, account_id, guest_token
    ), counted as (${addCounts({ [kind]: counts })})
    select account_id as "accountId", guest_token as "guestToken" from report`.execute(trx);
  return rows[0];
}
