import { type Kysely, type RawBuilder, sql } from "kysely";
import type { ViewsFile, ViewsFormat } from "../../domain/page-views/read-file.ts";
import type { Database } from "../tables.ts";
import { isOfSite, type SiteKey } from "./site-key.ts";

/** The file of page views that a site has, and what is known by it. */
export type StoredViews = {
  format: ViewsFormat;
  imported_at: Date;
  /** YYYY-MM-DD; null where the file names no days. */
  first_day: string | null;
  last_day: string | null;
  num_rows: number;
  other_rows: number;
  other_views: number;
  /** Views of pages of the site. */
  views: number;
  /** Pages of the report with a number, of all of its pages. */
  pages: number;
  num_pages: number;
};

/** A condition for rows `v` of a table of page views: they are of the site of a report `r`. */
export const isOfReport = sql`v.account_id = r.account_id and v.guest_token = coalesce(r.guest_token, '')
  and v.starting_url = r.starting_url`;

/** Of a page `web_pages`: how often it was viewed; null when that is not known. */
export const viewsOfPage: RawBuilder<number | null> = sql<number | null>`(
  select v.views::float8 from reports r join page_views v on ${isOfReport} and v.url = web_pages.url where r.id = web_pages.report_id
)`;

/** Whether page views of a report's site are known. */
export async function hasPageViews(db: Kysely<Database>, reportId: string): Promise<boolean> {
  const { rows } = await sql`
    select from reports r join page_view_files v on ${isOfReport} where r.id = ${reportId}`.execute(db);
  return rows.length > 0;
}

/** The page views of a site, as a report of it has them; undefined without a file. */
export async function findPageViews(
  db: Kysely<Database>,
  site: SiteKey,
  newest: string,
): Promise<StoredViews | undefined> {
  const reportId = await reportWithPages(db, site, newest);
  const { rows } = await sql<StoredViews>`
    select format, imported_at, to_char(first_day, 'YYYY-MM-DD') as first_day, to_char(last_day, 'YYYY-MM-DD') as last_day, num_rows,
      other_rows, other_views::float8 as other_views,
      (select coalesce(sum(views), 0)::float8 from page_views where ${isOfSite(site)}) as views,
      (select count(*)::integer from web_pages where report_id = ${reportId} and url in (
        select url from page_views where ${isOfSite(site)}
      )) as pages,
      (select count(*)::integer from web_pages where report_id = ${reportId}) as num_pages
    from page_view_files where ${isOfSite(site)}`.execute(db);
  return rows[0];
}

/**
 * The report whose pages those of a site are: the given one or, as long as that has none, the newest that has some.
 *
 * @param newest the site's newest report
 */
export async function reportWithPages(db: Kysely<Database>, site: SiteKey, newest: string): Promise<string> {
  const { rows } = await sql<{ id: string }>`
    select r.id from reports r
    where r.account_id = ${site.accountId} and r.guest_token is not distinct from ${site.guestToken} and r.starting_url = ${site.startingUrl}
      and r.deleted_at is null and exists (select from web_pages w where w.report_id = r.id)
    order by r.id = ${newest} desc, r.inserted_at desc, r.id limit 1`.execute(db);
  return rows[0]?.id ?? newest;
}

/** The addresses of a report's pages. */
export async function listAddresses(db: Kysely<Database>, reportId: string): Promise<string[]> {
  const pages = await db
    .selectFrom("web_pages")
    .select("url")
    .where("report_id", "=", reportId)
    .orderBy("id")
    .execute();
  return pages.map(({ url }) => url);
}

/** Stores page views of a site in place of those that it has. */
export async function storePageViews(
  trx: Kysely<Database>,
  site: SiteKey,
  { format, rows, days }: ViewsFile,
  { views, other, now }: { views: ReadonlyMap<string, number>; other: { rows: number; views: number }; now: Date },
): Promise<void> {
  const { accountId, startingUrl } = site;
  const guestToken = site.guestToken ?? "";
  await sql`
    insert into page_view_files (account_id, guest_token, starting_url, format, imported_at, first_day, last_day, num_rows, other_rows, other_views)
    values (${accountId}, ${guestToken}, ${startingUrl}, ${format}, ${now}, ${days?.first ?? null}::date, ${days?.last ?? null}::date,
      ${rows.length}, ${other.rows}, ${other.views})
    on conflict (account_id, guest_token, starting_url) do update set format = excluded.format, imported_at = excluded.imported_at,
      first_day = excluded.first_day, last_day = excluded.last_day, num_rows = excluded.num_rows, other_rows = excluded.other_rows,
      other_views = excluded.other_views`.execute(trx);
  await sql`delete from page_views where ${isOfSite(site)}`.execute(trx);
  await sql`
    insert into page_views (account_id, guest_token, starting_url, url, views)
    select ${accountId}, ${guestToken}, ${startingUrl}, * from unnest(${[...views.keys()]}::text[], ${[...views.values()]}::bigint[])`.execute(
    trx,
  );
}

/** Forgets the page views of a site. @returns whether it had some */
export async function deletePageViews(db: Kysely<Database>, site: SiteKey): Promise<boolean> {
  const { numAffectedRows } = await sql`delete from page_view_files where ${isOfSite(site)}`.execute(db);
  return Boolean(numAffectedRows);
}
