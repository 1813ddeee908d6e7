import { type Kysely, sql, type Transaction } from "kysely";
import type { Answer, KnownAddress } from "../../domain/addresses/known-address.ts";
import type { ExclusionReason, Failure } from "../../domain/failure.ts";
import { recordable } from "../../domain/scope/url-scope.ts";
import type { Database } from "../tables.ts";
import { addStoredBytes } from "./stored-bytes.ts";

/**
 * Stores what requests gave; the newest of an address counts. A redirect to an address that is too long to be stored is
 * left out.
 *
 * @returns how many bytes were added
 */
export async function writeAnswers(
  trx: Transaction<Database>,
  reportId: string,
  answers: readonly Answer[],
): Promise<number> {
  const storable = answers.filter(({ location }) => location === null || recordable(location) === location);
  const rows = [...new Map(storable.map((answer) => [recordable(answer.url), answer]))];
  if (rows.length === 0) return 0;
  const { rows: counted } = await sql<{ bytes: string }>`
    with before as (
      select coalesce(sum(${bytesOf("b")}), 0) as bytes from answers b
      where report_id = ${reportId} and url = any(${rows.map(([url]) => url)}::text[])
    ), written as (insert into answers (report_id, url, status, location, failure_code, failure_detail)
    select ${reportId}::uuid, * from unnest(
      ${rows.map(([url]) => url)}::text[], ${rows.map(([, one]) => one.status)}::integer[],
      ${rows.map(([, one]) => one.location)}::text[],
      ${rows.map(([, one]) => one.failure?.code ?? null)}::text[],
      ${rows.map(([, one]) => one.failure && recordable(one.failure.detail))}::text[])
    order by 2
    on conflict (report_id, url) do update set status = excluded.status, location = excluded.location,
      failure_code = excluded.failure_code, failure_detail = excluded.failure_detail
    returning ${bytesOf("answers")} as bytes)
    select (select sum(bytes) from written) - (select bytes from before) as bytes`.execute(trx);
  return Number(counted[0]?.bytes ?? 0);
}

/** Stores what requests gave after the crawl. */
export async function keepAnswers(db: Kysely<Database>, reportId: string, answers: readonly Answer[]): Promise<void> {
  if (answers.length === 0) return;
  await db.transaction().execute(async (trx) => {
    await addStoredBytes(trx, reportId, await writeAnswers(trx, reportId, answers));
  });
}

const bytesOf = (alias: string) => {
  const column = (name: string) => sql`coalesce(octet_length(${sql.ref(`${alias}.${name}`)}), 0)`;
  return sql`${column("url")} + ${column("location")} + ${column("failure_detail")}`;
};

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

/**
 * What failed is requested again when a page is checked again: somebody may have mended it.
 *
 * @returns how many bytes were removed
 */
export async function forgetFailedAnswers(trx: Transaction<Database>, reportId: string): Promise<number> {
  const { rows } = await sql<{ bytes: string }>`
    with gone as (
      delete from answers where report_id = ${reportId} and (failure_code is not null or status >= 400)
      returning ${bytesOf("answers")} as bytes
    )
    select coalesce(sum(bytes), 0) as bytes from gone`.execute(trx);
  return Number(rows[0]?.bytes ?? 0);
}
