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
 * addresses that it links to, or an address and the one that it redirects to.
 */
export type SeenLinks = { from: string; to: string[] } | { redirect: string; to: string };

/** An entry of the journal. */
export type SeenBatch = { number: number; seen: readonly SeenLinks[] };

/** Bytes of one entry of the journal when it is decompressed: the links of fifty pages, or of one with very many. */
const MAX_ENTRY_BYTES = 256_000_000;

/** Adds an entry to the journal; adding it again has no effect. */
export async function writeSeenLinks(trx: Transaction<Database>, reportId: string, batch: SeenBatch | undefined) {
  if (!batch) return;
  const body = await compressText(Buffer.from(JSON.stringify(batch.seen)));
  await sql`
    insert into seen_links (report_id, number, body) values (${reportId}, ${batch.number}, ${body})
    on conflict do nothing`.execute(trx);
}

/** The journal of a crawl that has not ended, and the number of its next entry. */
export async function readSeenLinks(
  db: Kysely<Database>,
  reportId: string,
): Promise<{ seen: SeenLinks[]; next: number }> {
  const rows = await db
    .selectFrom("seen_links")
    .select(["number", "body"])
    .where("report_id", "=", reportId)
    .orderBy("number")
    .execute();
  const seen: SeenLinks[] = [];
  for (const { body } of rows)
    for (const one of JSON.parse(await decompressText(body, MAX_ENTRY_BYTES)) as SeenLinks[]) seen.push(one);
  return { seen, next: (rows.at(-1)?.number ?? -1) + 1 };
}

/** Deletes the journal of a crawl that ends. */
export async function deleteSeenLinks(trx: Transaction<Database>, reportId: string): Promise<void> {
  await trx.deleteFrom("seen_links").where("report_id", "=", reportId).execute();
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
