import { type Kysely, sql } from "kysely";
import {
  type AlikePages,
  type Counted,
  type Coverage,
  type CoveredPages,
  goneStatuses,
  noPageCodes,
} from "../../domain/coverage/coverage.ts";
import { MAX_EXAMPLES } from "../../domain/coverage/notices.ts";
import type { ExclusionReason } from "../../domain/failure.ts";
import type { Database } from "../tables.ts";

/** A failed check `c` of a page `p` says that there is a page, which it could not check. */
const isOfPage = sql`(
  (p.fetched or c.failure_code <> all(${[...noPageCodes]}::text[]))
  and not (c.failure_code = 'http_error' and coalesce(p.http_status, 0) = any(${[...goneStatuses]}::integer[]))
)`;
const didNotEnd = sql`exists (
  select from report_notices n where n.report_id = p.report_id and n.code = 'engine_did_not_end' and n.url = p.url
)`;

/** A condition for rows `web_pages`: a check of it has failed, and all that have say that there is no page. */
export const isWithoutPage = sql<boolean>`(
  exists (select from checks c where c.web_page_id = web_pages.id and c.status = 'failed') and not exists (
    select from web_pages p join checks c on c.web_page_id = p.id and c.status = 'failed'
    where p.id = web_pages.id and (${isOfPage} or ${didNotEnd})
  )
)`;

/** What the rows of a report say about what it covers. */
export type Covered = {
  pages: CoveredPages;
  /** The pages that failed although there is a page at their address, without those on which an engine did not end. */
  failed: Counted;
  /** The addresses that were left out, by reason. */
  leftOut: Partial<Record<ExclusionReason, Counted>>;
  alike: AlikePages;
};

/** Reads what a report covers, in one statement: a report ends in a transaction that should be short. */
export async function readCovered(db: Kysely<Database>, reportId: string): Promise<Covered> {
  const { rows } = await sql<Covered>`
    with pages as (
      select bool_or(status = 'failed') as failed, bool_and(status = 'checked') as checked
      from checks where report_id = ${reportId} group by web_page_id
    ), failed as (
      select url, detail, row_number() over (order by id) as place from (
        select distinct on (c.web_page_id) p.id, p.url, coalesce(c.failure_detail, '') as detail
        from checks c join web_pages p on p.id = c.web_page_id
        where c.report_id = ${reportId} and c.status = 'failed'
          and ${isOfPage} and not ${didNotEnd}
        order by c.web_page_id, c.kind
      ) first
    ), excluded as (
      select reason, url, coalesce('linked from ' || linked_from, '') as detail,
        row_number() over (partition by reason order by id) as place
      from excluded_urls where report_id = ${reportId}
    ), templated as (
      select id, url, template, like_others, not like_others and not exists (
        select from checks c where c.web_page_id = w.id and c.kind = 'a11y' and c.status = 'failed'
      ) as acted from web_pages w where report_id = ${reportId} and template is not null
    ), alike as (
      select url, 'like ' || (select t.url from templated t where t.template = left_out.template order by not acted, t.id limit 1) as detail, place
      from (
        select url, template, row_number() over (order by id) as place from templated where like_others
      ) left_out where place <= ${sql.lit(MAX_EXAMPLES)}
    ), reasons as (
      select reason, ${counted} as counted from excluded group by reason
    )
    select
      (select json_build_object('found', count(*), 'checked', count(*) filter (where checked),
        'failed', count(*) filter (where failed), 'without_page', (
          select count(*) from web_pages where report_id = ${reportId} and id in (
            select web_page_id from checks where report_id = ${reportId} and status = 'failed'
          ) and ${isWithoutPage}
        )) from pages) as pages,
      (select ${counted} from failed) as failed,
      (select coalesce(json_object_agg(reason, counted), '{}') from reasons) as "leftOut",
      (select json_build_object('how_many', count(*) filter (where like_others), 'acted', count(*) filter (where acted),
        'templates', count(distinct template), 'examples', (select coalesce(
          json_agg(json_build_object('url', url, 'detail', detail) order by place), '[]') from alike)) from templated) as alike`.execute(
    db,
  );
  const none = { how_many: 0, examples: [] };
  const nothing = { pages: { found: 0, checked: 0, failed: 0 }, failed: none, leftOut: {} };
  return rows[0] ?? { ...nothing, alike: { ...none, acted: 0, templates: 0 } };
}

/** Rows with a place, as `Counted`. */
const counted = sql`json_build_object('how_many', count(*), 'examples', coalesce(
  json_agg(json_build_object('url', url, 'detail', detail) order by place) filter (where place <= ${sql.lit(MAX_EXAMPLES)}), '[]'))`;

/** The URLs that an exclusion left out; only of reports whose list of them has room for all. */
export async function readExcluded(db: Kysely<Database>, reportId: string): Promise<string[]> {
  const { rows } = await sql<{ url: string }>`
    select url from excluded_urls where report_id = ${reportId} and reason = 'exclusion'`.execute(db);
  return rows.map(({ url }) => url);
}

/** Comparing more pages with globs would take long. */
const MAX_COMPARED = 20_000;

/** The URLs of a report's pages; undefined where there are too many. */
export async function readPageUrls(db: Kysely<Database>, reportId: string): Promise<string[] | undefined> {
  const { rows } = await sql<{ url: string }>`
    select url from web_pages where report_id = ${reportId} limit ${MAX_COMPARED + 1}`.execute(db);
  return rows.length > MAX_COMPARED ? undefined : rows.map(({ url }) => url);
}

export async function storeCoverage(trx: Kysely<Database>, reportId: string, coverage: Coverage): Promise<void> {
  await sql`
    update reports set coverage = ${JSON.stringify(coverage)}::jsonb, updated_at = now() where id = ${reportId}`.execute(
    trx,
  );
}
