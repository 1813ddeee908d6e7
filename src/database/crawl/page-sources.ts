import type { DecodedDocument, DocumentEncoding } from "html-conformance/documents";
import { type Kysely, sql } from "kysely";
import { sourceKinds } from "../../checks/kinds.ts";
import { compressText, decompressText } from "../stored-text.ts";
import type { Database } from "../tables.ts";

/** Below this number of bytes, compression costs more than it saves. */
const MIN_COMPRESSED_BYTES = 1_024;

/** A page as its row in page_sources has it. */
export type StoredSource = {
  /** How `body` is compressed. */
  encoding: "identity" | "zstd";
  /** The text, in UTF-8. */
  body: Buffer;
  /** The Content-Type header. */
  contentType: string;
  /** How the bytes were decoded; null where that is not known. */
  charset: DocumentEncoding | null;
};

/**
 * Encodes a page for the table page_sources.
 *
 * @param utf8 the source in UTF-8, if it was received as UTF-8
 */
export async function encodeSource(
  { source, contentType, encoding }: DecodedDocument,
  utf8?: Buffer,
): Promise<StoredSource> {
  const text = utf8 ?? Buffer.from(source);
  const { length } = text;
  const facts = { contentType, charset: encoding ?? null };
  if (length < MIN_COMPRESSED_BYTES) return { ...facts, encoding: "identity", body: text };
  return { ...facts, encoding: "zstd", body: await compressText(text) };
}

/** The inverse of encodeSource. */
export async function decodeSource(stored: StoredSource): Promise<DecodedDocument> {
  const { contentType, charset } = stored;
  return { source: await decodeBody(stored), contentType, ...(charset && { encoding: charset }) };
}

async function decodeBody({ encoding, body }: Pick<StoredSource, "encoding" | "body">): Promise<string> {
  return encoding === "identity" ? body.toString("utf8") : decompressText(body);
}

/** The row of a page's source. */
export function sourceRow(webPageId: string, { encoding, body, contentType, charset }: StoredSource) {
  const storedCharset = charset && JSON.stringify(charset);
  return { web_page_id: webPageId, encoding, body, content_type: contentType, charset: storedCharset };
}

const ofSource = sql`kind in (${sql.join(sourceKinds.map((kind) => sql.lit(kind)))})`;

/** How many of a report's sources wait for a check, and their size in bytes. */
export async function countSources(db: Kysely<Database>, reportId: string): Promise<{ pages: number; bytes: number }> {
  // Reads only checks that wait, each state by its own index: a crawl calls this often while its pages increase.
  const { rows } = await sql<{ pages: string; bytes: string }>`
    select count(*) as pages, coalesce(sum(octet_length(s.body)), 0) as bytes
    from (
      select web_page_id from checks where report_id = ${reportId} and ${ofSource} and status = 'queued'
      ${sourceKinds.length > 1 ? sql`union` : sql`union all`}
      select web_page_id from checks where report_id = ${reportId} and ${ofSource} and status = 'leased'
    ) waiting join page_sources s on s.web_page_id = waiting.web_page_id
    where not s.kept
  `.execute(db);
  return { pages: Number(rows[0]?.pages ?? 0), bytes: Number(rows[0]?.bytes ?? 0) };
}

/** The source that a page's findings are about, once its checks have ended; undefined when it is not kept. */
export async function findKeptSource(db: Kysely<Database>, webPageId: string): Promise<string | undefined> {
  const row = await db
    .selectFrom("page_sources")
    .select(["encoding", "body"])
    .where("web_page_id", "=", webPageId)
    .where("kept", "=", true)
    .executeTakeFirst();
  return row && decodeBody(row);
}

/** Records with which status a page of a report responded when it was fetched again; null: with none. */
export async function recordHttpStatus(
  db: Kysely<Database>,
  page: { reportId: string; url: string },
  status: number | null,
): Promise<void> {
  await db
    .updateTable("web_pages")
    .set({ http_status: status })
    .where("report_id", "=", page.reportId)
    .where("url", "=", page.url)
    .execute();
}
