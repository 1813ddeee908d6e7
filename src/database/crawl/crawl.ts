import { type Kysely, type RawBuilder, sql, type Transaction } from "kysely";
import type { Answer } from "../../domain/addresses/known-address.ts";
import { kindsFor, variantOf } from "../../domain/addresses/page-variant.ts";
import { sectionOf } from "../../domain/addresses/section.ts";
import type { Notice } from "../../domain/coverage/notices.ts";
import type { ExclusionReason, Failure } from "../../domain/failure.ts";
import type { CheckKind } from "../../domain/findings/findings.ts";
import { ACTED_PAGES } from "../../domain/page/template.ts";
import type { CrawlState } from "../../domain/report-over.ts";
import { recordable } from "../../domain/scope/url-scope.ts";
import type { ReportSpec } from "../../schema/report.ts";
import { CHANNEL } from "../notifications.ts";
import { addCounts } from "../reports/check-counts.ts";
import type { Database } from "../tables.ts";
import type { InboundLinks, SeenBatch } from "./inbound-links.ts";
import { type StoredReferences, sizeOfReferences, writeReferences } from "./page-references.ts";
import { type StoredSource, sourceRow } from "./page-sources.ts";

/**
 * The state that the crawler keeps in PostgreSQL. It is written in batches. Each batch is one
 * transaction that is safe to repeat: when a connection is lost during COMMIT, nobody knows
 * whether it took effect.
 */

/** A URL that the crawler will visit or has visited. */
export type FrontierRow = { url: string; position: number; depth: number; linkedFrom: string | null; done: boolean };

/** A page to check, or one whose checks failed before they began. */
export type NewPage = {
  url: string;
  linkedFrom: string | null;
  httpStatus: number | null;
  /** Stored for the checks that need it; undefined when none does. */
  source: StoredSource | undefined;
  /** What it needs; undefined when no check needs the whole crawl. */
  references?: StoredReferences | undefined;
  failure: Failure | undefined;
  /** Whether a form to sign in is on it. */
  showsSignIn?: boolean;
  /** What it has in common with pages of equal structure; undefined where each page is looked at by itself. */
  template?: string | undefined;
  /** Of its document. */
  title?: string | null | undefined;
  /** How long it took to receive it. */
  fetchMs?: number | undefined;
};

export type NewExclusion = { url: string; linkedFrom: string | null; reason: ExclusionReason };

export type CrawlBatch = {
  /** Each URL once. */
  frontier: FrontierRow[];
  pages: NewPage[];
  excluded: NewExclusion[];
  /** Each code and URL once. */
  notices: Notice[];
  /** With the counts of now. */
  inbound: InboundLinks[];
  /** Entries of the journal of links. */
  seen: SeenBatch[];
  /** Redirects. */
  answers: Answer[];
  /** Why the starting URL failed; the report's failure unless other pages are found. */
  startFailure: Failure | undefined;
  /** The actions of the start page's forms to sign in, in the batch of the start. */
  startForms?: readonly string[];
  /** Scheme and host to which the starting URL led. */
  siteOrigin?: string;
};

export function emptyBatch(): CrawlBatch {
  return {
    frontier: [],
    pages: [],
    excluded: [],
    notices: [],
    inbound: [],
    seen: [],
    answers: [],
    startFailure: undefined,
  };
}

export type CrawlEnd = { state: "ended" | "failed"; failure: Failure | undefined; maxExcluded: number };

/** Thrown instead of writing when the report is deleted, its crawl has ended, or another crawler has taken it over. */
export class CrawlGoneError extends Error {
  constructor(message = "The report is deleted, or its crawl has ended already.") {
    super(message);
    this.name = "CrawlGoneError";
  }
}

export type CrawlRow = {
  spec: ReportSpec;
  ofGuest: boolean;
  state: CrawlState;
  requestId: string | null;
  failure: Failure | undefined;
  startForms: readonly string[];
  siteOrigin: string | null;
};

/** The report to crawl; undefined when it does not exist or is deleted. */
export async function loadCrawl(db: Kysely<Database>, reportId: string): Promise<CrawlRow | undefined> {
  const row = await db
    .selectFrom("reports")
    .select([
      "spec",
      "guest_token",
      "crawl_state",
      "request_id",
      "failure_code",
      "failure_detail",
      "start_forms",
      "site_origin",
    ])
    .where("id", "=", reportId)
    .where("deleted_at", "is", null)
    .executeTakeFirst();
  if (!row) return undefined;
  const failure = row.failure_code === null ? undefined : { code: row.failure_code, detail: row.failure_detail ?? "" };
  return {
    spec: row.spec,
    ofGuest: row.guest_token !== null,
    state: row.crawl_state,
    requestId: row.request_id,
    failure: failure as Failure | undefined,
    startForms: row.start_forms,
    siteOrigin: row.site_origin,
  };
}

/** Takes a report's crawl lock, held until the connection ends. Returns false when another crawler holds it. */
export async function lockCrawl(session: Kysely<Database>, reportId: string): Promise<boolean> {
  const { rows } = await sql<{ locked: boolean }>`
    select pg_try_advisory_lock(hashtextextended(${`crawl ${reportId}`}, 0)) as locked
  `.execute(session);
  return rows[0]?.locked === true;
}

/**
 * Starts a new epoch of the report's crawl for the holder of its lock.
 *
 * @returns its epoch; undefined when there is no such report
 */
export async function raiseCrawlEpoch(session: Kysely<Database>, reportId: string): Promise<number | undefined> {
  const row = await session
    .updateTable("reports")
    .set({ crawl_epoch: sql`crawl_epoch + 1` })
    .where("id", "=", reportId)
    .returning("crawl_epoch")
    .executeTakeFirst();
  return row?.crawl_epoch;
}

/** @throws CrawlGoneError when another crawler has taken over the crawl: the state of this one is out of date */
export async function checkCrawlEpoch(session: Kysely<Database>, reportId: string, epoch: number): Promise<void> {
  const row = await session.selectFrom("reports").select("crawl_epoch").where("id", "=", reportId).executeTakeFirst();
  if (row?.crawl_epoch !== epoch) throw new CrawlGoneError("Another crawler has taken over this report's crawl.");
}

/** The stored state of an earlier run of the crawler, without the journal of links. */
export type CrawlProgress = {
  /** By position. */
  frontier: FrontierRow[];
  /** In the order stored. `ok`: the page was fetched and can be checked. */
  pages: { url: string; ok: boolean }[];
  excluded: string[];
  notices: Notice[];
};

export async function loadProgress(db: Kysely<Database>, reportId: string): Promise<CrawlProgress> {
  const frontier = await db
    .selectFrom("frontier")
    .select(["url", "position", "depth", "linked_from", "done"])
    .where("report_id", "=", reportId)
    .orderBy("position")
    .execute();
  const pages = await sql<{ url: string; ok: boolean }>`
    select p.url, ${wasFetched("p")} as ok from web_pages p where p.report_id = ${reportId} and ${isAsItLoads("p")} order by p.id
  `.execute(db);
  const excluded = await db.selectFrom("excluded_urls").select("url").where("report_id", "=", reportId).execute();
  const notices = await db
    .selectFrom("report_notices")
    .select(["code", "url", "how_many", "detail"])
    .where("report_id", "=", reportId)
    .where("kind", "=", "")
    .execute();
  return {
    frontier: frontier.map(({ url, position, depth, linked_from, done }) => ({
      url,
      position: Number(position),
      depth,
      done,
      linkedFrom: linked_from,
    })),
    // A variant is added with its page, and is nothing to visit.
    pages: pages.rows,
    excluded: excluded.map(({ url }) => url),
    notices: notices.map(({ how_many, ...notice }) => ({ ...notice, howMany: how_many })),
  };
}

/**
 * Excludes the URLs that are left in the frontier, as far as the list has room.
 *
 * @returns how many bytes were added, and how many URLs were left
 */
export async function excludeFrontier(
  trx: Transaction<Database>,
  reportId: string,
  maxExcluded: number,
): Promise<{ bytes: number; left: number }> {
  const { rows } = await sql<{ bytes: string; left: string }>`
    with room as (select greatest(0, ${maxExcluded}::bigint - count(*)) as size from excluded_urls
             where report_id = ${reportId}),
    numbered as (select url, linked_from, position,
                   row_number() over (order by position) as number, count(*) over () as total
                 from frontier where report_id = ${reportId} and not done),
    added as (insert into excluded_urls (report_id, url, linked_from, reason)
              select ${reportId}::uuid, url, linked_from,
                case when number = size and total > size then 'list_limit' else 'page_limit' end
              from numbered, room where number <= size
              order by position
              on conflict (report_id, url) do nothing
              returning url, linked_from)
    select ${bytesOfUrls} as bytes,
      (select count(*) from frontier where report_id = ${reportId} and not done) as left
    from added
  `.execute(trx);
  return { bytes: Number(rows[0]?.bytes ?? 0), left: Number(rows[0]?.left ?? 0) };
}

/** Stores that a crawl has ended, and how. */
export async function markCrawlEnded(
  trx: Transaction<Database>,
  reportId: string,
  { state, failure }: Pick<CrawlEnd, "state" | "failure">,
  excludedBytes: number,
): Promise<void> {
  await trx
    .updateTable("reports")
    .set({
      crawl_state: state,
      crawl_ended_at: sql`now()`,
      failure_code: failure?.code ?? null,
      failure_detail: failure?.detail ?? null,
      stored_bytes: sql`stored_bytes + ${excludedBytes}::bigint`,
      updated_at: sql`now()`,
    })
    .where("id", "=", reportId)
    .execute();
}

/** How many pages a report has. */
export async function countPages(db: Kysely<Database>, reportId: string): Promise<number> {
  const row = await db.selectFrom("reports").select("num_pages").where("id", "=", reportId).executeTakeFirst();
  return row?.num_pages ?? 0;
}

/** The bytes of rows of URLs, which count towards the account's limit. */
const bytesOfUrls = sql<string>`coalesce(sum(octet_length(url) + coalesce(octet_length(linked_from), 0)), 0)`;

/** What a batch adds to its report. */
export type Crawled = Added & Pick<CrawlBatch, "startFailure" | "startForms" | "siteOrigin">;

/** Counts a batch on its report, and notifies all who wait for it. @returns false when the crawl is over, or the report gone */
export async function countCrawled(
  trx: Transaction<Database>,
  reportId: string,
  { pages, failed, checks, bytes, startFailure, startForms, siteOrigin }: Crawled,
): Promise<boolean> {
  const { rows } = await sql`
    with report as (
      update reports set
        crawl_state = 'crawling',
        crawl_started_at = coalesce(crawl_started_at, now()),
        num_pages = num_pages + ${pages},
        last_checked_at = case when ${failed} > 0 then now() else last_checked_at end,
        stored_bytes = stored_bytes + ${bytes}::bigint,
        failure_code = coalesce(${startFailure?.code ?? null}, failure_code),
        failure_detail = coalesce(${startFailure?.detail ?? null}, failure_detail),
        start_forms = coalesce(${startForms?.map(recordable) ?? null}::text[], start_forms),
        site_origin = coalesce(${siteOrigin ?? null}, site_origin),
        updated_at = now()
      where id = ${reportId} and deleted_at is null and crawl_state in ('pending', 'crawling')
      returning id
    ), counted as (${addCounts(checks)})
    select pg_notify(${CHANNEL}, id::text) from report
  `.execute(trx);
  return rows.length > 0;
}

/** Adds URLs to the frontier, or marks known ones as done. */
export async function writeFrontier(trx: Transaction<Database>, reportId: string, rows: readonly FrontierRow[]) {
  if (rows.length === 0) return;
  await sql`
    insert into frontier (report_id, url, position, depth, linked_from, done)
    select ${reportId}::uuid, * from unnest(
      ${rows.map((row) => row.url)}::text[], ${rows.map((row) => row.position)}::bigint[],
      ${rows.map((row) => row.depth)}::integer[], ${rows.map((row) => row.linkedFrom)}::text[],
      ${rows.map((row) => row.done)}::boolean[])
    on conflict (report_id, url) do update set done = true where excluded.done and not frontier.done
  `.execute(trx);
}

/** Adds excluded URLs. @returns how many bytes were added */
export async function writeExclusions(
  trx: Transaction<Database>,
  reportId: string,
  exclusions: readonly NewExclusion[],
): Promise<number> {
  if (exclusions.length === 0) return 0;
  const { rows } = await sql<{ bytes: string }>`
    with added as (
      insert into excluded_urls (report_id, url, linked_from, reason)
      select ${reportId}::uuid, * from unnest(
        ${exclusions.map((row) => row.url)}::text[], ${exclusions.map((row) => row.linkedFrom)}::text[],
        ${exclusions.map((row) => row.reason)}::text[])
      on conflict (report_id, url) do nothing
      returning url, linked_from)
    select ${bytesOfUrls} as bytes from added
  `.execute(trx);
  return Number(rows[0]?.bytes ?? 0);
}

/** How many pages are new, how many of them have failed, and their checks. */
type Added = {
  pages: number;
  failed: number;
  checks: Partial<Record<CheckKind, { pending: number; failed: number }>>;
  bytes: number;
};

/** Adds pages with their sources, each with its checks (`kindsFor`), which are queued or have failed. */
export async function writePages(
  trx: Transaction<Database>,
  reportId: string,
  kinds: readonly CheckKind[],
  pages: readonly NewPage[],
): Promise<Added> {
  if (pages.length === 0) return { pages: 0, failed: 0, checks: {}, bytes: 0 };
  const variants = pages.map((page) => variantOf(page.url));
  const { rows } = await sql<{ id: string; url: string; failed: boolean; bytes: number }>`
    with pages as (
      select * from unnest(
        ${pages.map((page) => page.url)}::text[], ${pages.map((page) => page.linkedFrom)}::text[],
        ${pages.map((page) => page.httpStatus)}::integer[], ${pages.map((page) => page.failure?.code ?? null)}::text[],
        ${pages.map((page) => page.failure?.detail ?? null)}::text[],
        ${pages.map((page) => page.showsSignIn ?? false)}::boolean[], ${pages.map((page) => page.fetchMs ?? null)}::integer[],
        ${pages.map((page) => sectionOf(page.url))}::text[], ${pages.map((page) => kindsFor(page.url, kinds).join())}::text[],
        ${pages.map((page) => page.template ?? null)}::text[], ${variants.map(({ device }) => device ?? null)}::text[],
        ${variants.map(({ state }) => state ?? null)}::text[], ${pages.map((page) => page.title ?? null)}::text[]
      ) with ordinality as given (url, linked_from, http_status, failure_code, failure_detail, shows_sign_in, fetch_ms, section, kinds, template,
        device, state, title, number)
    ), before as (
      select template, (
        select count(*) from (
          select from web_pages w where w.report_id = ${reportId} and w.template = t.template limit ${ACTED_PAGES}
        ) as first_ones
      ) as known
      from (select distinct template from pages where template is not null) as t
    ), added as (
      insert into web_pages (report_id, url, linked_from, http_status, fetched, shows_sign_in, fetch_ms, section, last_checked_at,
        template, device, state, title, like_others)
      select ${reportId}::uuid, url, linked_from, http_status, failure_code is null, shows_sign_in, fetch_ms, section,
        case when failure_code is not null then now() end, template, device, state, title,
        -- Only the crawler adds pages, in the order of the crawl: so the first ones of a template are always the same.
        template is not null and
          coalesce(known, 0) + row_number() over (partition by template order by number) > ${ACTED_PAGES}
      from pages left join before using (template) order by number
      on conflict (report_id, url) do nothing
      returning id, url
    ), queued as (
      insert into checks (report_id, web_page_id, kind, status, failure_code, failure_detail, finished_at)
      select ${reportId}::uuid, added.id, kind, case when failure_code is null then 'queued' else 'failed' end,
        failure_code, failure_detail, case when failure_code is not null then now() end
      from added join pages using (url) cross join unnest(${[...kinds]}::text[]) as kind
      where kind = any(string_to_array(kinds, ','))
      order by added.id
    )
    select added.id, added.url, failure_code is not null as failed,
      octet_length(url) + coalesce(octet_length(linked_from), 0) + coalesce(octet_length(title), 0) as bytes
    from added join pages using (url)
  `.execute(trx);
  const ids = new Map(rows.map(({ id, url }) => [url, id]));
  const sources = pages.flatMap(({ url, source }) => {
    const id = ids.get(url);
    return id !== undefined && source ? [sourceRow(id, source)] : [];
  });
  if (sources.length > 0) await trx.insertInto("page_sources").values(sources).execute();
  const references = pages.flatMap(({ url, references: stored }) => {
    const webPageId = ids.get(url);
    return webPageId !== undefined && stored ? [{ webPageId, stored }] : [];
  });
  await writeReferences(trx, reportId, references);
  const bytes = [...rows.map((row) => row.bytes), ...references.map(({ stored }) => sizeOfReferences(stored))];
  const checked = (kind: CheckKind, failed: boolean): number =>
    rows.filter((row) => row.failed === failed && kindsFor(row.url, kinds).includes(kind)).length;
  return {
    pages: rows.length,
    failed: rows.filter((row) => row.failed).length,
    checks: Object.fromEntries(
      kinds.map((kind) => [kind, { pending: checked(kind, false), failed: checked(kind, true) }]),
    ),
    bytes: bytes.reduce((sum, one) => sum + one, 0),
  };
}

/** Whether a page is one that is looked at as it loads on the report's device, and no variant (domain/addresses/page-variant.ts). */
export function isAsItLoads(page: string): RawBuilder<boolean> {
  return sql`(${sql.ref(`${page}.device`)} is null and ${sql.ref(`${page}.state`)} is null)`;
}

/**
 * Whether a page could be fetched, by the crawler or by a later check. A failed check does not tell: it may have failed
 * for lack of credits, or because the report was cancelled.
 *
 * @param page the alias of `web_pages`
 */
export function wasFetched(page: string): RawBuilder<boolean> {
  const column = (name: string) => sql.ref(`${page}.${name}`);
  return sql<boolean>`(${column("fetched")} or exists (
    select from checks c where c.web_page_id = ${column("id")} and c.status = 'checked'))`;
}
