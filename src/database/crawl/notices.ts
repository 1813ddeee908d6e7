import { type Kysely, sql } from "kysely";
import {
  MAX_EXAMPLES,
  MAX_NOTICES_PER_CODE,
  type Notice,
  type NoticeCode,
  type NoticeGroup,
} from "../../domain/coverage/notices.ts";
import { recordable } from "../../domain/site/url-scope.ts";
import type { Database } from "../tables.ts";

/** Stores notices; each has absolute numbers, so storing one again counts nothing twice. @param notices each code and URL once */
export async function writeNotices(db: Kysely<Database>, reportId: string, notices: readonly Notice[]): Promise<void> {
  if (notices.length === 0) return;
  await sql`
    insert into report_notices (report_id, code, url, how_many, detail)
    select ${reportId}::uuid, * from unnest(
      ${notices.map(({ code }) => code)}::text[], ${notices.map(({ url }) => recordable(url))}::text[],
      ${notices.map(({ howMany }) => howMany)}::integer[], ${notices.map(({ detail }) => recordable(detail))}::text[])
    on conflict (report_id, code, url) do update set how_many = excluded.how_many, detail = excluded.detail
  `.execute(db);
}

/**
 * What is stored about what a report covers, by code. A canonical URL that became a page by another way,
 * or led to one, was checked, so it is left out.
 */
export async function readNotices(db: Kysely<Database>, reportId: string): Promise<NoticeGroup[]> {
  const { rows } = await sql<{ code: NoticeCode; urls: string; how_many: string; examples: NoticeGroup["examples"] }>`
    with valid as (
      select n.code, n.url, n.how_many, n.detail,
        row_number() over (partition by n.code order by n.url collate "C") as place
      from report_notices n
      where n.report_id = ${reportId} and not (n.code = 'canonical_not_checked' and exists (
        select from web_pages p where p.report_id = n.report_id and p.url = n.url
        union all
        select from excluded_urls e where e.report_id = n.report_id and e.url = n.url
          and e.reason in ('duplicate_redirect', 'duplicate_canonical'))))
    select code, (select count(*) from report_notices s where s.report_id = ${reportId} and s.code = valid.code) as urls,
      sum(how_many) filter (where place <= ${MAX_NOTICES_PER_CODE}) as how_many,
      json_agg(json_build_object('url', url, 'detail', detail) order by place)
        filter (where place <= ${MAX_EXAMPLES}) as examples
    from valid group by code
  `.execute(db);
  return rows.map(({ code, urls, how_many, examples }) => {
    return { code, how_many: Number(how_many), more: Number(urls) > MAX_NOTICES_PER_CODE, examples };
  });
}
