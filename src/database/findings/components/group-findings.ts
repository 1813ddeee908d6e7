import { type Kysely, type RawBuilder, sql } from "kysely";
import type { Page } from "../../lists.ts";
import type { Database } from "../../tables.ts";

export const componentSortKeys = ["impact", "how_many", "pages"] as const;
export type ComponentSort = { key: (typeof componentSortKeys)[number]; direction: "asc" | "desc" };

/** A component without its first finding, which stands for all of them. */
export type ComponentCounts = {
  /** Digest in hex. */
  id: string;
  finding_id: string;
  how_many: number;
  num_pages: number;
  issue_type: "error" | "warning";
  impact_order: number | null;
};

export type ComponentPage = {
  total: number;
  howMany: number;
  /** The elements of the largest components, in descending order; at most `MAX_LARGEST`. */
  largest: number[];
  page: ComponentCounts[];
};

export const MAX_LARGEST = 100;

/** The columns of each sort key; ties of the first are sorted by the next. */
const sortColumns: Record<ComponentSort["key"], readonly RawBuilder<unknown>[]> = {
  impact: [sql`coalesce(impact_order, 0)`, sql`num_pages`, sql`how_many`],
  how_many: [sql`how_many`, sql`num_pages`],
  pages: [sql`num_pages`, sql`how_many`],
};

/**
 * A query for the components of findings, with the columns of `ComponentCounts`.
 *
 * @param findings a FROM clause, whose findings are `f`, with conditions
 * @param howMany how many elements each row of it has
 * @param by columns of it by which components are split, with the names that they get
 */
export function groupFindings(
  findings: RawBuilder<unknown>,
  howMany: RawBuilder<unknown>,
  by: Readonly<Record<string, RawBuilder<unknown>>> = {},
): RawBuilder<unknown> {
  const names = sql.join([sql`component`, ...Object.keys(by).map((name) => sql.ref(name))]);
  const columns = sql.join([
    sql`f.component`,
    ...Object.entries(by).map(([name, column]) => sql`${column} as ${sql.ref(name)}`),
  ]);
  return sql`
    select ${names}, min(finding_id) as finding_id, sum(how_many)::integer as how_many, count(*)::integer as num_pages,
      min(issue_type) as issue_type, max(impact_order) as impact_order
    from (
      select ${columns}, min(f.id) as finding_id, sum(${howMany}) as how_many, min(f.issue_type) as issue_type,
        max(f.impact_order) as impact_order
      from ${findings} group by ${names}, f.web_page_id
    ) on_pages
    group by ${names}`;
}

/**
 * A page of components. Ascending order is the exact reverse of descending order.
 *
 * @param components a query with the columns of `ComponentCounts`
 */
export async function readComponents(
  db: Kysely<Database>,
  components: RawBuilder<unknown>,
  { key, direction }: ComponentSort,
  { limit, offset }: Page,
): Promise<ComponentPage> {
  const order = sql.join(sortColumns[key].map((column) => sql`${column} ${sql.raw(direction)}`));
  const ties = sql.raw(direction === "desc" ? "asc" : "desc");
  const { rows } = await sql<ComponentPage>`
    with components as materialized (${components}),
    largest as (
      select row_number() over (order by how_many desc)::integer as components, how_many
      from (select how_many from components order by how_many desc limit ${MAX_LARGEST}) first_of
    ), page as (
      select * from components order by ${order}, component ${ties} limit ${limit} offset ${offset}
    )
    select (select count(*)::integer from components) as total,
      (select coalesce(sum(how_many), 0)::integer from components) as "howMany",
      (select coalesce(json_agg(how_many order by components), '[]') from largest) as largest,
      (select coalesce(json_agg(json_build_object('id', encode(component, 'hex'), 'finding_id', finding_id::text,
        'how_many', how_many, 'num_pages', num_pages, 'issue_type', issue_type, 'impact_order', impact_order)
        order by ${order}, component ${ties}), '[]') from page) as page`.execute(db);
  return rows[0] ?? { total: 0, howMany: 0, largest: [], page: [] };
}
