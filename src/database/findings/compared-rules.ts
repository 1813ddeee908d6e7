import { type Kysely, type RawBuilder, type Selectable, sql } from "kysely";
import type { FindingState } from "../../domain/findings/finding-state.ts";
import { type Page, type Paginated, readPage } from "../lists.ts";
import type { Database } from "../tables.ts";

/** Elements of one rule in one state. `message` is null where they have several. */
export type ComparedRule = Selectable<Database["compared_rules"]> & { tags: string[] };

export const comparedRuleSortKeys = ["how_many", "impact", "pages"] as const;
export type ComparedRuleFilter = {
  state?: FindingState | undefined;
  issueType?: "error" | "warning" | undefined;
  /** Only what is outside of the report's standard, or only what is not. */
  outsideStandard?: boolean | undefined;
  /** The muted elements instead of the others. */
  muted: boolean;
};
export type ComparedRuleQuery = ComparedRuleFilter & {
  sort: { key: (typeof comparedRuleSortKeys)[number]; direction: "asc" | "desc" };
  page: Page;
};

const sortColumns: Record<ComparedRuleQuery["sort"]["key"], readonly RawBuilder<unknown>[]> = {
  how_many: [sql`c.how_many`, sql`c.num_pages`],
  impact: [sql`coalesce(c.impact_order, 0)`, sql`c.how_many`],
  pages: [sql`c.num_pages`, sql`c.how_many`],
};
/** Nothing else is equal in two rows. */
const ties = ["state", "kind", "rule", "issue_type", "outside_standard"].map((name) => sql.ref(`c.${name}`));

function conditions({ state, issueType, outsideStandard, muted }: ComparedRuleFilter): RawBuilder<boolean> {
  return sql<boolean>`${sql.join(
    [
      sql`c.is_muted = ${muted}`,
      ...(state === undefined ? [] : [sql`c.state = ${state}`]),
      ...(issueType === undefined ? [] : [sql`c.issue_type = ${issueType}`]),
      ...(outsideStandard === undefined ? [] : [sql`c.outside_standard = ${outsideStandard}`]),
    ],
    sql` and `,
  )}`;
}

/** What a comparison found, by rule and state; without a state, in every one. */
export function listComparedRules(
  db: Kysely<Database>,
  comparisonId: string,
  { sort: { key, direction }, page, ...filter }: ComparedRuleQuery,
): Promise<Paginated<ComparedRule>> {
  const found = db
    .selectFrom("compared_rules as c")
    .where("c.comparison_id", "=", comparisonId)
    .where(conditions(filter));
  let rows = found.selectAll("c").select(
    sql<string[]>`coalesce((
      select i.tags from common_issues i where i.report_id in (
        select unnest(array[k.report_id, k.base_id]) from comparisons k where k.id = c.comparison_id
      ) and i.kind = c.kind and coalesce(i.rule, '') = c.rule order by i.id limit 1
    ), '{}')`.as("tags"),
  );
  for (const column of sortColumns[key]) rows = rows.orderBy(column, direction);
  for (const column of ties) rows = rows.orderBy(column, direction === "desc" ? "asc" : "desc");
  return readPage(found, rows, page);
}

/** How many elements a list has, and how many with each other choice of its filters. */
export type ComparedRuleCounts = {
  howMany: number;
  outsideStandard: number;
  issueType: Partial<Record<"error" | "warning", number>>;
  state: Partial<Record<FindingState, number>>;
};

/** Counts what each choice of a filter shows, with all other filters as they are. */
export async function countComparedRules(
  db: Kysely<Database>,
  comparisonId: string,
  filter: ComparedRuleFilter,
): Promise<ComparedRuleCounts> {
  const { issueType: _, ...anyType } = filter;
  const { state: __, ...anyState } = filter;
  const sum = (which: ComparedRuleFilter) =>
    sql`coalesce(sum(c.how_many) filter (where ${conditions(which)}), 0)::integer`;
  const { rows } = await sql<ComparedRuleCounts>`
    select ${sum(filter)} as "howMany", ${sum({ ...anyType, outsideStandard: true })} as "outsideStandard",
      json_build_object('error', ${sum({ ...anyType, issueType: "error", outsideStandard: false })},
        'warning', ${sum({ ...anyType, issueType: "warning", outsideStandard: false })}) as "issueType",
      (select coalesce(json_object_agg(state, how_many), '{}') from (
        select c.state, sum(c.how_many)::integer as how_many from compared_rules c
        where c.comparison_id = ${comparisonId}::bigint and ${conditions(anyState)} group by 1
      ) by_state) as state
    from compared_rules c where c.comparison_id = ${comparisonId}::bigint`.execute(db);
  return rows[0] ?? { howMany: 0, outsideStandard: 0, issueType: {}, state: {} };
}

/** What differs between two reports besides their findings. */
export type PageChanges = { added: number; removed: number; added_urls: string[]; removed_urls: string[] };

/** The most pages that are named. */
const MAX_NAMED = 10;

/** The pages that only one of two reports has, by what identifies them in every run. */
export async function readPageChanges(db: Kysely<Database>, reportId: string, baseId: string): Promise<PageChanges> {
  const only = (of: string, other: string) => sql`
    select count(*)::integer as how_many, coalesce((array_agg(p.url order by p.id))[:${sql.lit(MAX_NAMED)}], '{}') as urls from web_pages p
    where p.report_id = ${of}::uuid and p.page_key is not null and not exists (
      select from web_pages o where o.report_id = ${other}::uuid and o.page_key = p.page_key
    )`;
  const { rows } = await sql<PageChanges>`
    select a.how_many as added, a.urls as added_urls, r.how_many as removed, r.urls as removed_urls
    from (${only(reportId, baseId)}) a, (${only(baseId, reportId)}) r`.execute(db);
  return rows[0] ?? { added: 0, removed: 0, added_urls: [], removed_urls: [] };
}
