import { type Kysely, type RawBuilder, sql } from "kysely";
import { isStatementTimeout } from "../connection/connection-loss.ts";
import type { Page, Paginated } from "../lists.ts";
import { fittingSize } from "../page-size.ts";
import type { Database } from "../tables.ts";
import { type FindingFilter, findingsWhere } from "./finding-query.ts";
import { identifyStored } from "./identify-stored.ts";
import { bytesOfFinding, type FindingDetails, readFindings } from "./read-findings.ts";

/** Findings of one rule at the same element of several pages: a fault of a template. */
export type Component = {
  /** Digest in hex. */
  id: string;
  how_many: number;
  num_pages: number;
  issue_type: "error" | "warning";
  impact_order: number | null;
  /** Its first finding, which stands for all of them. */
  example: FindingDetails;
};

/** How many elements the largest components have together. */
export type LargestComponents = { components: number; how_many: number };

export type Components = Paginated<Component> & { howMany: number; largest: LargestComponents[] };

export const componentSortKeys = ["impact", "how_many", "pages"] as const;
export type ComponentSort = { key: (typeof componentSortKeys)[number]; direction: "asc" | "desc" };

/** The numbers of largest components for which there is a sum. */
const LARGEST = [1, 2, 3, 5, 10, 20, 50, 100];

/** The columns of each sort key; ties of the first are sorted by the next. */
const sortColumns: Record<ComponentSort["key"], readonly RawBuilder<unknown>[]> = {
  impact: [sql`coalesce(impact_order, 0)`, sql`num_pages`, sql`how_many`],
  how_many: [sql`how_many`, sql`num_pages`],
  pages: [sql`num_pages`, sql`how_many`],
};

/** The most requested order: those on the most pages first. */
const usualSort: ComponentSort = { key: "pages", direction: "desc" };
/** How many components are stored in that order. */
const MAX_STORED = 100;

/**
 * A page of the components of a report's findings, by default those on the most pages first. Ascending order is the
 * exact reverse of descending order. With a state, it counts the elements in that state.
 */
export async function listComponents(
  db: Kysely<Database>,
  reportId: string,
  filter: FindingFilter,
  sort: ComponentSort,
  page: Page,
): Promise<Components> {
  const { limit, offset } = page;
  const isUsual = isUnfiltered(filter) && sort.key === usualSort.key && sort.direction === usualSort.direction;
  const stored = isUsual && offset + limit <= MAX_STORED ? await readStored(db, reportId) : undefined;
  const grouped = stored
    ? { ...stored, page: stored.page.slice(offset, offset + limit) }
    : await groupFindings(db, reportId, filter, sort, page);
  const ids = grouped.page.map(({ finding_id }) => finding_id);
  const examples = new Map((await readFindings(db, ids, filter.comparisonId)).map((finding) => [finding.id, finding]));
  const components = grouped.page.flatMap(({ finding_id, ...component }) => {
    const example = examples.get(finding_id);
    return example ? [{ ...component, example }] : [];
  });
  const size = fittingSize(
    components.map(({ example }) => bytesOfFinding(example)),
    page,
  );
  return {
    rows: components.slice(0, size),
    size,
    total: grouped.total,
    howMany: grouped.howMany,
    largest: sumsOf(grouped.largest),
  };
}

/**
 * Stores the first components of a report that has ended: grouping hundreds of thousands of findings takes seconds, and
 * people look at this list first. It is valid as long as the report does not change. Safe to repeat.
 *
 * @returns false when a statement takes too long: then each request for the list has to wait
 */
export async function storeComponents(db: Kysely<Database>, reportId: string): Promise<boolean> {
  try {
    await groupAndStore(db, reportId);
    return true;
  } catch (error) {
    if (!isStatementTimeout(error)) throw error;
    return false;
  }
}

/** The same for a report with such a list, after mutings have changed. A list that takes too long stays outdated. */
export async function renewComponents(db: Kysely<Database>, reportId: string): Promise<void> {
  const stored = db.selectFrom("component_lists").select("report_id").where("report_id", "=", reportId);
  if (await stored.executeTakeFirst()) await storeComponents(db, reportId);
}

async function groupAndStore(db: Kysely<Database>, reportId: string): Promise<void> {
  await identifyStored(db, reportId);
  // Read before the findings: a change in between makes the list outdated.
  const { rows } = await sql<{ version: string }>`
    select ${version} as version from reports r where r.id = ${reportId}`.execute(db);
  const grouped = await groupFindings(db, reportId, { comparisonId: null, muted: false }, usualSort, {
    limit: MAX_STORED,
    offset: 0,
  });
  await sql`
    insert into component_lists (report_id, version, list)
    select ${reportId}::uuid, ${rows[0]?.version ?? ""}, ${JSON.stringify(grouped)}::jsonb
    from reports r where r.id = ${reportId}
    on conflict (report_id) do update set version = excluded.version, list = excluded.list`.execute(db);
}

/** Changes whenever a report's findings change, or which of them are muted. */
const version = sql<string>`md5(concat_ws(' ', r.num_pages, r.html_checked, r.a11y_checked, r.html_errors, r.html_warnings,
  r.a11y_errors, r.a11y_warnings, r.a11y_outside_standard, r.muting_revision, extract(epoch from r.last_checked_at)))`;

async function readStored(db: Kysely<Database>, reportId: string): Promise<Grouped | undefined> {
  const { rows } = await sql<{ list: Grouped }>`
    select l.list from component_lists l join reports r on r.id = l.report_id
    where l.report_id = ${reportId} and l.version = ${version}`.execute(db);
  return rows[0]?.list;
}

function isUnfiltered({ rule, impact, issueType, state, component, muted }: FindingFilter): boolean {
  return !muted && [rule, impact, issueType, state, component].every((value) => value === undefined);
}

async function groupFindings(
  db: Kysely<Database>,
  reportId: string,
  filter: FindingFilter,
  { key, direction }: ComponentSort,
  { limit, offset }: Page,
): Promise<Grouped> {
  const howMany = filter.state === undefined ? sql`f.how_many` : sql`c.how_many`;
  const order = sql.join(sortColumns[key].map((column) => sql`${column} ${sql.raw(direction)}`));
  const ties = sql.raw(direction === "desc" ? "asc" : "desc");
  const { rows } = await sql<Grouped>`
    with on_pages as (
      select f.component, f.web_page_id, min(f.id) as finding_id, sum(${howMany}) as how_many,
        min(f.issue_type) as issue_type, max(f.impact_order) as impact_order
      from ${findingsWhere(reportId, filter)} group by f.component, f.web_page_id
    ), components as materialized (
      select component, min(finding_id) as finding_id, sum(how_many)::integer as how_many, count(*)::integer as num_pages,
        min(issue_type) as issue_type, max(impact_order) as impact_order
      from on_pages group by component
    ), largest as (
      select row_number() over (order by how_many desc)::integer as components, how_many
      from (select how_many from components order by how_many desc limit ${Math.max(...LARGEST)}) first_of
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

type Grouped = {
  total: number;
  howMany: number;
  /** The elements of the largest components, in descending order. */
  largest: number[];
  page: (Omit<Component, "example"> & { finding_id: string })[];
};

function sumsOf(howMany: readonly number[]): LargestComponents[] {
  return LARGEST.filter((components) => components <= howMany.length).map((components) => ({
    components,
    how_many: howMany.slice(0, components).reduce((sum, one) => sum + one, 0),
  }));
}
