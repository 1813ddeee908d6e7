import type { Kysely } from "kysely";
import type { Box } from "../../domain/findings/box.ts";
import { keyOfBox, MAX_PICTURE_BYTES } from "../../domain/findings/picture.ts";
import type { Database } from "../tables.ts";

/** Where the picture of an element is, and what of the page it shows. */
export type StoredPicture = { id: string; web_page_id: string; area: Box };
/** Finds the picture of an element on a page. */
export type FindPicture = (webPageId: string, box: Box | null | undefined) => StoredPicture | undefined;

/** Reads which pictures some pages have. */
export async function readPictures(db: Kysely<Database>, pageIds: readonly string[]): Promise<FindPicture> {
  const ids = [...new Set(pageIds)];
  if (ids.length === 0) return () => undefined;
  const rows = await db
    .selectFrom("element_pictures")
    .select(["id", "web_page_id", "box", "area"])
    .where("web_page_id", "in", ids)
    .execute();
  const byBox = new Map(
    rows.map(({ id, web_page_id, box, area }) => [
      `${web_page_id} ${box.join(" ")}`,
      { id, web_page_id, area: asBox(area) },
    ]),
  );
  return (webPageId, box) => (box ? byBox.get(`${webPageId} ${keyOfBox(box)}`) : undefined);
}

function asBox([x = 0, y = 0, width = 1, height = 1]: readonly number[]): Box {
  return { x, y, width, height };
}

/** A picture as WebP; undefined when the page has no such picture. */
export async function findPicture(db: Kysely<Database>, webPageId: string, id: string): Promise<Buffer | undefined> {
  const query = db
    .selectFrom("element_pictures")
    .select("webp")
    .where("id", "=", id)
    .where("web_page_id", "=", webPageId);
  const row = await query.executeTakeFirst();
  return row && row.webp.byteLength <= MAX_PICTURE_BYTES ? row.webp : undefined;
}
