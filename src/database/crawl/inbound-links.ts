import { type Kysely, sql, type Transaction } from "kysely";
import { compressText, decompressText } from "../stored-text.ts";
import type { Database } from "../tables.ts";

/** The links to an address that failed or was left out. */
export type InboundLinks = {
  url: string;
  /** How many pages and lists link to it. */
  howMany: number;
  /** The first of them, at most MAX_PAGES_KEPT. */
  pages: readonly string[];
};

/**
 * What the crawler has read of links, in its order, so that the next crawler of the report counts on: a page and the
 * addresses that it links to, or an address and the one that it redirects to. All but the page are digests: the addresses
 * themselves are stored already, and may be long.
 */
export type SeenLinks = { from: string; to: string[] } | { redirect: string; to: string };

/** An entry of the journal. Its size is bounded by the crawler (inbound.ts). */
export type SeenBatch = { number: number; seen: SeenLinks[] };

/** How many entries are read at once. */
const ENTRIES_AT_ONCE = 20;

/** Adds entries to the journal; adding one again has no effect. @returns how many bytes were added */
export async function writeSeenLinks(
  trx: Transaction<Database>,
  reportId: string,
  batches: readonly SeenBatch[],
): Promise<number> {
  let bytes = 0;
  for (const { number, seen } of batches) {
    const body = await compressText(Buffer.from(JSON.stringify(seen)));
    const { rows } = await sql`
      insert into seen_links (report_id, number, body) values (${reportId}, ${number}, ${body})
      on conflict do nothing
      returning number`.execute(trx);
    if (rows.length > 0) bytes += body.length;
  }
  return bytes;
}

/** The next entries of the journal of a crawl that has not ended, from a number on; none at its end. */
export async function readSeenLinks(db: Kysely<Database>, reportId: string, from: number): Promise<SeenBatch[]> {
  const rows = await db
    .selectFrom("seen_links")
    .select(["number", "body"])
    .where("report_id", "=", reportId)
    .where("number", ">=", from)
    .orderBy("number")
    .limit(ENTRIES_AT_ONCE)
    .execute();
  return Promise.all(rows.map(async ({ number, body }) => ({ number, seen: JSON.parse(await decompressText(body)) })));
}

/**
 * Deletes entries of the journal of a crawl that has ended; they do not count towards the account's limit any more.
 *
 * @param limit how many at most
 * @returns how many
 */
export async function deleteSeenLinks(db: Kysely<Database>, reportId: string, limit?: number): Promise<number> {
  const { rows } = await sql<{ entries: string }>`
    with gone as (
      delete from seen_links where report_id = ${reportId} and number = any(array(
        select number from seen_links where report_id = ${reportId} limit ${limit ?? null}::bigint))
      returning octet_length(body) as bytes
    ), counted as (
      update reports set stored_bytes = stored_bytes - (select sum(bytes) from gone)
      where id = ${reportId} and exists (select from gone)
    )
    select count(*) as entries from gone`.execute(db);
  return Number(rows[0]?.entries ?? 0);
}

/** Stores absolute counts, so that storing one again counts nothing twice. @returns how many bytes were added */
export async function writeInboundLinks(
  trx: Transaction<Database>,
  reportId: string,
  links: readonly InboundLinks[],
): Promise<number> {
  if (links.length === 0) return 0;
  const values = links.map(({ url, howMany, pages }) => ({ url, how_many: howMany, pages }));
  const { rows } = await sql<{ bytes: string }>`
    with given as (
      select * from jsonb_to_recordset(${JSON.stringify(values)}::jsonb) as given (url text, how_many integer, pages text[])
    ), before as (
      select ${bytesOf("b")} as bytes from inbound_links b where report_id = ${reportId} and url in (select url from given)
    ), written as (
      insert into inbound_links (report_id, url, how_many, pages)
      select ${reportId}::uuid, url, how_many, pages from given
      on conflict (report_id, url) do update set how_many = excluded.how_many, pages = excluded.pages
      returning url, pages
    )
    select (select ${bytesOf("written")} from written) - (select bytes from before) as bytes`.execute(trx);
  return Number(rows[0]?.bytes ?? 0);
}

const bytesOf = (alias: string) => {
  const [url, pages] = [sql.ref(`${alias}.url`), sql.ref(`${alias}.pages`)];
  return sql`coalesce(sum(octet_length(${url}) + octet_length(array_to_string(${pages}, ''))), 0)`;
};

/** The addresses among these that more than one page links to. */
export async function readInboundLinks(
  db: Kysely<Database>,
  reportId: string,
  urls: readonly string[],
): Promise<ReadonlyMap<string, Omit<InboundLinks, "url">>> {
  if (urls.length === 0) return new Map();
  const rows = await db
    .selectFrom("inbound_links")
    .select(["url", "how_many", "pages"])
    .where("report_id", "=", reportId)
    .where("url", "=", sql<string>`any(${[...urls]}::text[])`)
    .execute();
  return new Map(rows.map(({ url, how_many, pages }) => [url, { howMany: how_many, pages }]));
}
