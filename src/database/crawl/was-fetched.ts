import { type RawBuilder, sql } from "kysely";

/**
 * Whether a page could be fetched, by the crawler or by a later check. A failed check does not tell: it may have failed
 * for lack of credits, or because the report was cancelled.
 *
 * @param page the alias of `web_pages`
 */
export function wasFetched(page: string): RawBuilder<boolean> {
  const column = (name: string) => sql.ref(`${page}.${name}`);
  return sql<boolean>`(${column("fetched")} or exists (
    select from checks c where c.web_page_id = ${column("id")} and c.status = 'checked'))`;
}
