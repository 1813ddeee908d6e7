import { type Kysely, sql, type Transaction } from "kysely";
import type { ExclusionReason, Failure } from "../../domain/failure.ts";
import type { Answer, KnownAddress } from "../../domain/site/known-address.ts";
import { recordable } from "../../domain/site/url-scope.ts";
import type { Database } from "../tables.ts";

/** Stores what requests gave; the newest of an address counts. @param answers each address once */
export async function writeAnswers(db: Kysely<Database>, reportId: string, answers: readonly Answer[]): Promise<void> {
  if (answers.length === 0) return;
  const rows = [...new Map(answers.map((answer) => [recordable(answer.url), answer]))];
  await sql`
    insert into answers (report_id, url, status, location, failure_code, failure_detail)
    select ${reportId}::uuid, * from unnest(
      ${rows.map(([url]) => url)}::text[], ${rows.map(([, one]) => one.status)}::integer[],
      ${rows.map(([, one]) => one.location && recordable(one.location))}::text[],
      ${rows.map(([, one]) => one.failure?.code ?? null)}::text[],
      ${rows.map(([, one]) => one.failure && recordable(one.failure.detail))}::text[])
    order by 2
    on conflict (report_id, url) do update set status = excluded.status, location = excluded.location,
      failure_code = excluded.failure_code, failure_detail = excluded.failure_detail`.execute(db);
}

type Row = {
  url: string;
  fetched: boolean | null;
  http_status: number | null;
  page_code: Failure["code"] | null;
  page_detail: string | null;
  reason: ExclusionReason | null;
  answered: boolean;
  status: number | null;
  location: string | null;
  failure_code: Failure["code"] | null;
  failure_detail: string | null;
};

/** What the report knows of addresses; those that it knows nothing of are left out. @param urls without fragment, normalised */
export async function readKnownAddresses(
  db: Kysely<Database>,
  reportId: string,
  urls: readonly string[],
): Promise<Map<string, KnownAddress>> {
  if (urls.length === 0) return new Map();
  const { rows } = await sql<Row>`
    select given.url, p.fetched, p.http_status, c.failure_code as page_code, c.failure_detail as page_detail, x.reason,
      a.url is not null as answered, a.status, a.location, a.failure_code, a.failure_detail
    from unnest(${urls.map(recordable)}::text[], ${[...urls]}::text[]) as given (recorded, url)
    left join web_pages p on p.report_id = ${reportId} and p.url = given.recorded
    -- All checks of a page that could not be fetched failed for the same reason.
    left join lateral (
      select failure_code, failure_detail from checks where web_page_id = p.id and not p.fetched and status = 'failed' limit 1
    ) c on true
    left join excluded_urls x on x.report_id = ${reportId} and x.url = given.recorded
    left join answers a on a.report_id = ${reportId} and a.url = given.recorded
    where p.id is not null or x.id is not null or a.url is not null`.execute(db);
  return new Map(rows.map((row) => [row.url, knownAddress(row)]));
}

function knownAddress(row: Row): KnownAddress {
  const { url, status, location, fetched, http_status, reason } = row;
  const failure = (code: Failure["code"] | null, detail: string | null) =>
    code ? { code, detail: detail ?? "" } : null;
  return {
    ...(fetched !== null && {
      page: { fetched, status: http_status, failure: failure(row.page_code, row.page_detail) },
    }),
    ...(reason !== null && { excluded: reason }),
    ...(row.answered && { answer: { url, status, location, failure: failure(row.failure_code, row.failure_detail) } }),
  };
}

/** What failed is requested again when a page is checked again: somebody may have mended it. */
export async function forgetFailedAnswers(trx: Transaction<Database>, reportId: string): Promise<void> {
  await sql`
    delete from answers where report_id = ${reportId} and (failure_code is not null or status >= 400)`.execute(trx);
}
