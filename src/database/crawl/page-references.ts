import { type Kysely, sql, type Transaction } from "kysely";
import type { PageReferences, Reference } from "../../domain/page/references.ts";
import { compressText, decompressText, storableJson } from "../stored-text.ts";
import type { Database } from "../tables.ts";
import { addStoredBytes } from "./stored-bytes.ts";

/** What a page needs and what can be linked to in it, as a row of page_references has it: JSON, compressed. */
export type StoredReferences = { body: Buffer; ids: Buffer };

export async function encodeReferences(page: PageReferences): Promise<StoredReferences> {
  const { references, leftOut, ...ids } = page;
  return { body: await compressed({ references, leftOut }), ids: await compressed(ids) };
}

function compressed(value: unknown): Promise<Buffer> {
  return compressText(Buffer.from(storableJson(value)));
}

export function sizeOfReferences({ body, ids }: StoredReferences): number {
  return body.length + ids.length;
}

/** Stores what new pages need. */
export async function writeReferences(
  db: Kysely<Database>,
  reportId: string,
  pages: readonly { webPageId: string; stored: StoredReferences }[],
): Promise<void> {
  if (pages.length === 0) return;
  await db
    .insertInto("page_references")
    .values(pages.map(({ webPageId, stored }) => ({ web_page_id: webPageId, report_id: reportId, ...stored })))
    .execute();
}

/** Stores what a page needs that was read again, unless it is gone. */
export async function replaceReferences(
  db: Kysely<Database>,
  reportId: string,
  webPageId: string,
  { body, ids }: StoredReferences,
): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const before = await sizeOfStoredReferences(trx, webPageId);
    const { rows } = await sql<{ bytes: number }>`
      insert into page_references (web_page_id, report_id, body, ids)
      select id, report_id, ${body}, ${ids} from web_pages where id = ${webPageId} and report_id = ${reportId} for share
      on conflict (web_page_id) do update set body = excluded.body, ids = excluded.ids
      returning ${bytesOf} as bytes`.execute(trx);
    if (rows[0]) await addStoredBytes(trx, reportId, rows[0].bytes - before);
  });
}

/** What pages need, as they were read last, by page; without those that are to be read again. */
export async function readStoredReferences(
  db: Kysely<Database>,
  webPageIds: readonly string[],
): Promise<Map<string, Buffer>> {
  const rows = await db
    .selectFrom("page_references")
    .select(["web_page_id", "body"])
    .where("web_page_id", "=", sql<string>`any(${webPageIds}::bigint[])`)
    .execute();
  return new Map(rows.flatMap(({ web_page_id, body }) => (body ? [[web_page_id, body] as const] : [])));
}

export async function decodeReferences(body: Buffer): Promise<{ references: Reference[]; leftOut: number }> {
  return JSON.parse(await decompressText(body));
}

/** What can be linked to in pages of the report, by address; without those of which that is not known. */
export async function readIds(
  db: Kysely<Database>,
  reportId: string,
  urls: readonly string[],
): Promise<Map<string, Buffer>> {
  const { rows } = await sql<{ url: string; ids: Buffer }>`
    select p.url, f.ids from web_pages p join page_references f on f.web_page_id = p.id
    where p.report_id = ${reportId} and p.url = any(${urls}::text[])`.execute(db);
  return new Map(rows.map(({ url, ids }) => [url, ids]));
}

/** What can be linked to in a page, and whether there is more. */
export async function decodeIds(ids: Buffer): Promise<Pick<PageReferences, "ids" | "hasMoreIds" | "mayHaveMoreIds">> {
  return JSON.parse(await decompressText(ids));
}

/** The stored bytes of what a page needs. Its row is locked until the transaction ends. */
export async function sizeOfStoredReferences(trx: Transaction<Database>, webPageId: string): Promise<number> {
  const { rows } = await sql<{ bytes: number }>`
    select ${bytesOf} as bytes from page_references where web_page_id = ${webPageId} for update`.execute(trx);
  return rows[0]?.bytes ?? 0;
}

const bytesOf = sql`coalesce(octet_length(page_references.body), 0) + octet_length(page_references.ids)`;

/**
 * A page that is checked again is read again. What can be linked to in it stays known meanwhile.
 *
 * @returns how many bytes were removed
 */
export async function forgetReferences(trx: Transaction<Database>, webPageId: string): Promise<number> {
  const before = await sizeOfStoredReferences(trx, webPageId);
  await trx.updateTable("page_references").set({ body: null }).where("web_page_id", "=", webPageId).execute();
  return before - (await sizeOfStoredReferences(trx, webPageId));
}
