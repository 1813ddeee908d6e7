import { type Kysely, type Selectable, sql } from "kysely";
import { MAX_STORED_BYTES } from "../../domain/bound-findings.ts";
import type { CheckKind } from "../../domain/findings.ts";
import type { Database } from "../tables.ts";

/** An engine's unprocessed output for a page, if it was stored. */
export function findRawCheck(
  db: Kysely<Database>,
  webPageId: string,
  kind: CheckKind,
): Promise<Selectable<Database["raw_checks"]> | undefined> {
  return (
    db
      .selectFrom("raw_checks")
      .selectAll()
      .where("web_page_id", "=", webPageId)
      .where("kind", "=", kind)
      // Checks of earlier versions have no limit of their own.
      .where(sql<number>`octet_length(raw::text)`, "<=", MAX_STORED_BYTES.raw)
      .executeTakeFirst()
  );
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
