import type { Kysely, Selectable } from "kysely";
import type { CheckKind } from "../../domain/findings.ts";
import type { Database } from "../tables.ts";

/** An engine's unprocessed output for a page, if it was stored. */
export function findRawCheck(
  db: Kysely<Database>,
  webPageId: string,
  kind: CheckKind,
): Promise<Selectable<Database["raw_checks"]> | undefined> {
  return db
    .selectFrom("raw_checks")
    .selectAll()
    .where("web_page_id", "=", webPageId)
    .where("kind", "=", kind)
    .executeTakeFirst();
}

/** A page's screenshot as PNG, if it was stored. */
export async function findScreenshot(db: Kysely<Database>, webPageId: string): Promise<Buffer | undefined> {
  const row = await db.selectFrom("screenshots").select("png").where("web_page_id", "=", webPageId).executeTakeFirst();
  return row?.png;
}
