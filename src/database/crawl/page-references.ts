import { type Kysely, sql, type Transaction } from "kysely";
import type { PageReferences, Reference } from "../../domain/site/references.ts";
import { compressText, decompressText, storableJson } from "../stored-text.ts";
import type { Database } from "../tables.ts";

/** What a page needs and what can be linked to in it, as a row of page_references has it: JSON, compressed. */
export type StoredReferences = { body: Buffer; ids: Buffer };

export async function encodeReferences(page: PageReferences): Promise<StoredReferences> {
  const { references, leftOut, ids, hasMoreIds } = page;
  return { body: await compressed({ references, leftOut }), ids: await compressed({ ids, hasMoreIds }) };
}

function compressed(value: unknown): Promise<Buffer> {
  return compressText(Buffer.from(storableJson(value)));
}

export function sizeOfReferences({ body, ids }: StoredReferences): number {
  return body.length + ids.length;
}

/** Stores what pages need, or replaces it. */
export async function writeReferences(
  db: Kysely<Database>,
  reportId: string,
  pages: readonly { webPageId: string; stored: StoredReferences }[],
): Promise<void> {
  if (pages.length === 0) return;
  await db
    .insertInto("page_references")
    .values(pages.map(({ webPageId, stored }) => ({ web_page_id: webPageId, report_id: reportId, ...stored })))
    .onConflict((conflict) =>
      conflict
        .column("web_page_id")
        .doUpdateSet({ body: (eb) => eb.ref("excluded.body"), ids: (eb) => eb.ref("excluded.ids") }),
    )
    .execute();
}

/** What a page needs, as it was read last; undefined if it is to be read again. */
export async function readStoredReferences(
  db: Kysely<Database>,
  webPageId: string,
): Promise<{ references: Reference[]; leftOut: number } | undefined> {
  const row = await db
    .selectFrom("page_references")
    .select("body")
    .where("web_page_id", "=", webPageId)
    .executeTakeFirst();
  return row?.body ? JSON.parse(await decompressText(row.body)) : undefined;
}

/** What can be linked to in a page of the report, and whether there is more; undefined where that is not known. */
export async function readIds(
  db: Kysely<Database>,
  reportId: string,
  url: string,
): Promise<{ ids: string[]; hasMoreIds: boolean } | undefined> {
  const { rows } = await sql<{ ids: Buffer }>`
    select f.ids from web_pages p join page_references f on f.web_page_id = p.id
    where p.report_id = ${reportId} and p.url = ${url}`.execute(db);
  return rows[0] && JSON.parse(await decompressText(rows[0].ids));
}

/** The stored bytes of what a page needs. */
export async function sizeOfStoredReferences(trx: Transaction<Database>, webPageId: string): Promise<number> {
  const { rows } = await sql<{ bytes: number }>`
    select coalesce(octet_length(body), 0) + octet_length(ids) as bytes
    from page_references where web_page_id = ${webPageId}`.execute(trx);
  return rows[0]?.bytes ?? 0;
}

/** A page that is checked again is read again. What can be linked to in it stays known meanwhile. */
export async function forgetReferences(trx: Transaction<Database>, webPageId: string): Promise<void> {
  await trx.updateTable("page_references").set({ body: null }).where("web_page_id", "=", webPageId).execute();
}
