import { type Kysely, sql } from "kysely";
import { MAX_STORED_BYTES } from "../../domain/findings/bound-findings.ts";
import type { CheckKind } from "../../domain/findings/findings.ts";
import { decompressText } from "../compression.ts";
import type { Database } from "../tables.ts";

export type RawCheck = { id: string; kind: CheckKind; raw: unknown; inserted_at: Date };

/**
 * An engine's unprocessed output for a page, if it was stored. Output that does not decompress, is too large or is not
 * JSON counts as not stored: a compromised checker may have written anything.
 */
export async function findRawCheck(
  db: Kysely<Database>,
  webPageId: string,
  kind: CheckKind,
): Promise<RawCheck | undefined> {
  const row = await db
    .selectFrom("raw_checks")
    .select(["id", "kind", "raw_zstd", "inserted_at"])
    .where("web_page_id", "=", webPageId)
    .where("kind", "=", kind)
    .where(sql<number>`octet_length(raw_zstd)`, "<=", MAX_STORED_BYTES.raw)
    .executeTakeFirst();
  if (!row) return undefined;
  const { raw_zstd, ...check } = row;
  const stored = await parsed(raw_zstd).catch(() => undefined);
  return stored && { ...check, ...stored };
}

async function parsed(compressed: Buffer): Promise<{ raw: unknown }> {
  return { raw: JSON.parse(await decompressText(compressed, MAX_STORED_BYTES.raw)) };
}

/** A page's screenshot as PNG, if it was stored. */
export async function findScreenshot(db: Kysely<Database>, webPageId: string): Promise<Buffer | undefined> {
  const row = await db
    .selectFrom("screenshots")
    .select("png")
    .where("web_page_id", "=", webPageId)
    .where(sql<number>`octet_length(png)`, "<=", MAX_STORED_BYTES.screenshot)
    .executeTakeFirst();
  return row?.png;
}
