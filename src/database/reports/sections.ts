import { type Kysely, type RawBuilder, sql } from "kysely";
import type { Page, Paginated } from "../lists.ts";
import type { Database } from "../tables.ts";

/** A section of a report's site. Elements that are muted are not counted. */
export type SectionRow = {
  path: string;
  num_pages: number;
  num_checked_pages: number;
  errors: number;
  warnings: number;
  /** Errors that are not in the report that this one is compared with; null when it is not compared. */
  new_errors: number | null;
};

export const sectionSortKeys = ["errors", "new_errors", "pages", "path"] as const;
export type SectionSort = { key: (typeof sectionSortKeys)[number]; direction: "asc" | "desc" };

const sortColumns: Record<SectionSort["key"], RawBuilder<unknown>> = {
  errors: sql`errors`,
  new_errors: sql`coalesce(new_errors, 0)`,
  pages: sql`num_pages`,
  path: sql`path collate "C"`,
};

/** The sections of a report's site. Ascending order is the exact reverse of descending order. */
export async function listSections(
  db: Kysely<Database>,
  { reportId, comparisonId }: { reportId: string; comparisonId: string | null },
  { key, direction }: SectionSort,
  { limit, offset }: Page,
): Promise<Paginated<SectionRow>> {
  const ties = sql.raw(direction === "desc" ? "asc" : "desc");
  const { rows } = await sql<{ total: number; page: SectionRow[] }>`
    with sections as (
      select p.section as path, count(*)::integer as num_pages,
        count(*) filter (where checked.is_checked)::integer as num_checked_pages,
        coalesce(sum(checked.errors), 0)::integer as errors, coalesce(sum(checked.warnings), 0)::integer as warnings,
        case when ${comparisonId}::bigint is not null then coalesce(sum(n.new_errors), 0)::integer end as new_errors
      from web_pages p
      left join (
        select c.web_page_id, sum(c.errors) as errors, sum(c.warnings) as warnings, bool_and(c.status = 'checked') as is_checked
        from checks c where c.report_id = ${reportId} group by 1
      ) checked on checked.web_page_id = p.id
      left join compared_pages n on n.comparison_id = ${comparisonId}::bigint and n.web_page_id = p.id
      where p.report_id = ${reportId} group by p.section
    ), page as (
      select * from sections order by ${sortColumns[key]} ${sql.raw(direction)}, path collate "C" ${ties}
      limit ${limit} offset ${offset}
    )
    select (select count(*)::integer from sections) as total, (select coalesce(json_agg(page), '[]') from page) as page`.execute(
    db,
  );
  const [listed] = rows;
  return { rows: listed?.page ?? [], total: listed?.total ?? 0 };
}
