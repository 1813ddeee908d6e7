import { type RawBuilder, sql } from "kysely";
import type { Folder } from "../../domain/addresses/section.ts";

/** A condition for pages in a folder. @param page the alias of `web_pages` */
export function inFolder(page: string, { path, section }: Folder): RawBuilder<boolean> {
  const isSection = sql<boolean>`${sql.ref(`${page}.section`)} = ${section}`;
  if (path === section) return isSection;
  const pathOfPage = sql`substring(${sql.ref(`${page}.url`)} from '^[^:]*://[^/]*(/[^?#]*)')`;
  return sql<boolean>`(${isSection} and starts_with(${pathOfPage}, ${path}))`;
}

/** A query for the ids of a report's pages in a folder. */
export function pagesIn(reportId: RawBuilder<unknown>, folder: Folder): RawBuilder<string> {
  return sql<string>`select p.id from web_pages p where p.report_id = ${reportId} and ${inFolder("p", folder)}`;
}
