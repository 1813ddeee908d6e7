import { type Kysely, sql } from "kysely";
import { digest } from "../../domain/identity/digest.ts";
import { pageKey } from "../../domain/identity/page-key.ts";
import type { Database } from "../tables.ts";

const BATCH = 5_000;

/** Stores the keys of a report's pages, which identify a page in every run of its site. Safe to repeat. */
export async function storePageKeys(db: Kysely<Database>, reportId: string): Promise<void> {
  for (;;) {
    const { rows } = await sql<{ id: string; url: string }>`
      select id, url from web_pages where report_id = ${reportId} and page_key is null order by id limit ${BATCH}`.execute(
      db,
    );
    const keys = rows.map(({ url }) => digest([pageKey(url)]));
    await sql`
      update web_pages p set page_key = decode(x.key, 'hex')
      from unnest(${rows.map(({ id }) => id)}::bigint[], ${keys}::text[]) as x(id, key)
      where p.id = x.id and p.report_id = ${reportId}`.execute(db);
    if (rows.length < BATCH) return;
  }
}
