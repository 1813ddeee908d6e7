import { type Kysely, sql } from "kysely";
import type { CheckKind } from "../../checks/kinds.ts";
import {
  type CheckNotice,
  MAX_DETAIL,
  MAX_NOTICES_PER_CODE,
  MOST_EXAMPLES,
  maxExamples,
  type Notice,
  type NoticeCode,
  type NoticeGroup,
} from "../../domain/coverage/notices.ts";
import { recordable, recordableText } from "../../domain/scope/url-scope.ts";
import type { Database } from "../tables.ts";

/** Stores notices; each has absolute numbers, so storing one again counts nothing twice. @param notices each code and URL once */
export async function writeNotices(db: Kysely<Database>, reportId: string, notices: readonly Notice[]): Promise<void> {
  if (notices.length === 0) return;
  await sql`
    insert into report_notices (report_id, code, url, how_many, detail)
    select ${reportId}::uuid, * from unnest(
      ${notices.map(({ code }) => code)}::text[], ${notices.map(({ url }) => recordable(url))}::text[],
      ${notices.map(({ howMany }) => howMany)}::integer[], ${notices.map(({ detail }) => recordable(detail))}::text[])
    on conflict (report_id, code, url, kind) do update set how_many = excluded.how_many, detail = excluded.detail
  `.execute(db);
}

/** Replaces what checks of a kind have said about pages. @param checked the pages, with what their last checks say */
export async function replaceNotices(
  trx: Kysely<Database>,
  reportId: string,
  kind: CheckKind,
  checked: readonly { url: string; notices: readonly CheckNotice[] }[],
): Promise<void> {
  const urls = checked.map(({ url }) => recordable(url));
  await trx
    .deleteFrom("report_notices")
    .where("report_id", "=", reportId)
    .where("kind", "=", kind)
    .where("url", "in", urls)
    .execute();
  const rows = checked.flatMap(({ notices }, index) =>
    notices.map(({ code, howMany, detail }) => ({
      ...{ report_id: reportId, code, url: urls[index] ?? "", kind },
      how_many: howMany,
      detail: recordable(recordableText(detail).slice(0, MAX_DETAIL)),
    })),
  );
  if (rows.length > 0) await trx.insertInto("report_notices").values(rows).execute();
}

/**
 * What is stored about what a report covers, by code. A canonical URL that became a page by another way,
 * or led to one, was checked, so it is left out.
 */
export async function readNotices(db: Kysely<Database>, reportId: string): Promise<NoticeGroup[]> {
  const { rows } = await sql<{
    code: NoticeCode;
    of_crawl: string;
    num_urls: string;
    how_many: string;
    examples: NoticeGroup["examples"];
  }>`
    with valid as (
      select n.code, n.url, n.kind, n.how_many, n.detail,
        row_number() over (partition by n.code order by n.url collate "C", n.kind) as place
      from report_notices n
      where n.report_id = ${reportId} and not (n.code = 'canonical_not_checked' and exists (
        select from web_pages p where p.report_id = n.report_id and p.url = n.url
        union all
        select from excluded_urls e where e.report_id = n.report_id and e.url = n.url
          and e.reason in ('duplicate_redirect', 'duplicate_canonical', 'deleted'))))
    select code,
      (select count(*) from report_notices s where s.report_id = ${reportId} and s.code = valid.code and s.kind = '')
        as of_crawl,
      count(distinct url) filter (where kind <> '' or place <= ${MAX_NOTICES_PER_CODE}) as num_urls,
      sum(how_many) filter (where kind <> '' or place <= ${MAX_NOTICES_PER_CODE}) as how_many,
      json_agg(json_build_object('url', url, 'detail', detail) order by place)
        filter (where place <= ${MOST_EXAMPLES}) as examples
    from valid group by code
  `.execute(db);
  return rows.map(({ code, of_crawl, num_urls, how_many, examples }) => {
    const more = Number(of_crawl) > MAX_NOTICES_PER_CODE;
    return {
      code,
      how_many: Number(how_many),
      num_urls: Number(num_urls),
      more,
      examples: examples.slice(0, maxExamples(code)),
    };
  });
}
