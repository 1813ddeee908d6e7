import { type Kysely, sql } from "kysely";
import { type Counted, type CoveredPages, goneStatuses, noPageCodes } from "../../domain/coverage/coverage.ts";
import { MAX_EXAMPLES } from "../../domain/coverage/notices.ts";
import type { ExclusionReason } from "../../domain/failure.ts";
import type { Database } from "../tables.ts";

/** How many pages a report has, and how many of them were checked or failed. */
export async function countPages(db: Kysely<Database>, reportId: string): Promise<CoveredPages> {
  const { rows } = await sql<CoveredPages>`
    with pages as (
      select bool_or(status = 'failed') as failed, bool_and(status = 'checked') as checked
      from checks where report_id = ${reportId} group by web_page_id
    )
    select count(*)::integer as found, count(*) filter (where checked)::integer as checked,
      count(*) filter (where failed)::integer as failed
    from pages`.execute(db);
  return rows[0] ?? { found: 0, checked: 0, failed: 0 };
}

/** The pages that failed although there is a page at their address. */
export async function readFailedPages(db: Kysely<Database>, reportId: string): Promise<Counted> {
  const { rows } = await sql<{ url: string; detail: string; total: number }>`
    with failed as (
      select distinct on (c.web_page_id) p.id, p.url, coalesce(c.failure_detail, '') as detail
      from checks c join web_pages p on p.id = c.web_page_id
      where c.report_id = ${reportId} and c.status = 'failed'
        and (p.fetched or c.failure_code <> all(${[...noPageCodes]}::text[]))
        and not (c.failure_code = 'http_error' and coalesce(p.http_status, 0) = any(${[...goneStatuses]}::integer[]))
      order by c.web_page_id, c.kind
    )
    select url, detail, (count(*) over ())::integer as total from failed order by id limit ${MAX_EXAMPLES}
  `.execute(db);
  return { how_many: rows[0]?.total ?? 0, examples: rows.map(({ url, detail }) => ({ url, detail })) };
}

/** The addresses that were left out, by reason. */
export async function readLeftOut(
  db: Kysely<Database>,
  reportId: string,
): Promise<Partial<Record<ExclusionReason, Counted>>> {
  const { rows } = await sql<Counted & { reason: ExclusionReason }>`
    with numbered as (
      select reason, url, linked_from, row_number() over (partition by reason order by id) as place
      from excluded_urls where report_id = ${reportId}
    )
    select reason, count(*)::integer as how_many,
      json_agg(json_build_object('url', url, 'detail', coalesce('linked from ' || linked_from, '')) order by place)
        filter (where place <= ${MAX_EXAMPLES}) as examples
    from numbered group by reason`.execute(db);
  return Object.fromEntries(rows.map(({ reason, ...counted }) => [reason, counted]));
}

/** The URLs that an exclusion left out; only of reports whose list of them has room for all. */
export async function readExcluded(db: Kysely<Database>, reportId: string): Promise<string[]> {
  const { rows } = await sql<{ url: string }>`
    select url from excluded_urls where report_id = ${reportId} and reason = 'exclusion'`.execute(db);
  return rows.map(({ url }) => url);
}
