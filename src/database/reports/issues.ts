import { type Expression, type Kysely, type RawBuilder, type Selectable, type SqlBool, sql } from "kysely";
import { type CheckKind, manifestOf } from "../../checks/kinds.ts";
import type { Folder } from "../../domain/addresses/section.ts";
import type { FindingState } from "../../domain/findings/finding-state.ts";
import { type Impact, impactOrder } from "../../domain/findings/findings.ts";
import type { Role, RoleCounts } from "../../domain/findings/role.ts";
import { comparisonOf, type StateElements } from "../findings/findings.ts";
import { commonIssueHas, rolesOfCommonIssue } from "../findings/roles.ts";
import {
  bytesOf,
  contains,
  hasTags,
  MAX_PAGE_BYTES,
  type Page,
  type Paginated,
  readPage,
  type TagFilter,
} from "../lists.ts";
import type { Database } from "../tables.ts";
import { pagesIn } from "./folders.ts";

export type IssueSort = { key: "impact" | "how_many" | "pages"; direction: "asc" | "desc" };

/** What a list of issues of a kind can be sorted by: a page's issues, or the common ones, which are on several pages. */
export function issueSortKeys(kind: CheckKind, { common }: { common: boolean }): IssueSort["key"][] {
  return [
    ...(manifestOf(kind).hasImpact ? ["impact" as const] : []),
    "how_many",
    ...(common ? ["pages" as const] : []),
  ];
}

export type IssueQuery = {
  /** Part of its message. */
  text?: string;
  tags?: TagFilter;
  /** The engine's name of the rule. */
  rule?: string;
  impact?: Impact;
  issueType?: "error" | "warning";
  /** Counts only elements on pages in this folder; of common issues. */
  folder?: Folder;
  /** Common issues with an element of this role. */
  role?: Role;
  /** Issues with an element in this state. */
  state?: FindingState;
  /** The muted issues instead of the others. */
  muted: boolean;
  sort?: IssueSort;
  page: Page;
};

/** The conditions of a query on columns of the issue; `table` is its table or alias. */
function issueConditions(table: string, query: IssueQuery): Expression<SqlBool>[] {
  const is = (column: string, value: unknown) => sql<SqlBool>`${ref(table, column)} = ${value}`;
  const conditions: Expression<SqlBool>[] = [];
  if (query.text !== undefined) conditions.push(contains(`${table}.message`, query.text));
  if (query.tags) conditions.push(hasTags(`${table}.tags`, query.tags));
  if (query.rule !== undefined) conditions.push(is("rule", query.rule));
  if (query.impact !== undefined) conditions.push(is("impact_order", impactOrder(query.impact)));
  if (query.issueType !== undefined) conditions.push(is("issue_type", query.issueType));
  return conditions;
}

/**
 * The number of elements of one page's issue in each state, and when the oldest was first seen: either the muted ones
 * or the others. For an issue that is muted as a whole, all of them either way.
 */
function pageIssueStates(webPageId: string, muted: boolean) {
  const report = sql`(select p.report_id from web_pages p where p.id = ${webPageId}::bigint)`;
  const compared = sql`findings f left join compared_findings c
    on c.finding_id = f.id and c.comparison_id = ${comparisonOf(report)}
    where f.issue_id = issues.id and (issues.muting_id is not null or (f.muting_id is not null) = ${muted})`;
  return {
    states: sql<StateElements>`(
      select json_object_agg(state, how_many) from (
        select c.state, sum(c.how_many)::integer as how_many from ${compared} and c.state is not null group by 1
      ) counted
    )`,
    firstSeenAt: sql<Date>`coalesce(
      (select min(coalesce(c.first_seen_at, f.found_at)) from ${compared}), issues.inserted_at
    )`,
    has: (state: FindingState) => sql<SqlBool>`exists (select from ${compared} and c.state = ${state})`,
  };
}

/**
 * The same for a common issue, as counted when its report was compared, so that it is of the whole report. `common` is
 * its alias.
 */
function commonIssueStates(reportId: string, muted: boolean) {
  const counted = sql`compared_issues s
    where s.comparison_id = ${comparisonOf(sql`${reportId}::uuid`)}
      and s.common_id = common.id and s.is_muted = ${muted}`;
  return {
    states: sql<StateElements>`(select json_object_agg(s.state, s.how_many) from ${counted})`,
    firstSeenAt: sql<Date>`coalesce((select min(s.first_seen_at) from ${counted}), common.inserted_at)`,
    has: (state: FindingState) => sql<SqlBool>`exists (select from ${counted} and s.state = ${state})`,
  };
}

function ref(table: string, column: string): RawBuilder<unknown> {
  return sql.ref(`${table}.${column}`);
}

type Element = { fingerprint: string; selector?: string };
type MutedRow<One extends Element> = {
  id: string;
  how_many: number;
  muted_count: number;
  muting_id: string | null;
  html: One[];
};

/** A condition for issues with something that is muted, or with something that is not. */
export function hasMuted(muted: boolean) {
  return muted ? sql<boolean>`(muting_id is not null or muted_count > 0)` : sql<boolean>`muting_id is null`;
}

/** How many elements of an issue are muted, or are not. */
function elementsMuted(muted: boolean) {
  return muted ? sql<number>`case when muting_id is null then muted_count else how_many end` : sql<number>`how_many`;
}

/**
 * Keeps only the muted elements of each issue, or only the others, both in the count `how_many` and in the list `html`.
 *
 * @param rows the issues as stored
 */
async function withElementsMuted<One extends Element, Row extends MutedRow<One>>(
  db: Kysely<Database>,
  rows: readonly Row[],
  muted: boolean,
): Promise<Row[]> {
  const keys = await readMuted(
    db,
    rows.filter((row) => row.muted_count > 0).map(({ id }) => id),
  );
  return rows.map((row) => {
    if (row.muting_id !== null) return row;
    if (!muted && row.muted_count === 0) return row;
    const ofIssue = keys.get(row.id) ?? new Set();
    const html = row.html.filter((element) => ofIssue.has(keyOf(element)) === muted);
    return { ...row, html, how_many: muted ? row.muted_count : row.how_many };
  });
}

/** Distinguishes the elements of an issue as far as a muting can: by fingerprint and selector. */
const keyOf = ({ fingerprint, selector = "" }: Element): string => `${fingerprint} ${selector}`;

async function readMuted(db: Kysely<Database>, issues: readonly string[]): Promise<Map<string, Set<string>>> {
  if (issues.length === 0) return new Map();
  const { rows } = await sql<{ issue: string; fingerprint: string; selector: string | null }>`
    select issue_id as issue, encode(fingerprint, 'hex') as fingerprint, selector
    from findings where issue_id = any(${issues}::bigint[]) and muting_id is not null`.execute(db);
  const byIssue = Map.groupBy(rows, ({ issue }) => issue);
  return new Map(
    [...byIssue].map(([id, found]) => [
      id,
      new Set(found.map(({ fingerprint, selector }) => keyOf({ fingerprint, selector: selector ?? "" }))),
    ]),
  );
}

export type IssueRow = Selectable<Database["issues"]> & { states: StateElements; first_seen_at: Date };

/** All columns but the elements. */
const columns = [
  ...(["id", "report_id", "web_page_id", "kind", "common_id", "issue_type", "rule", "message", "help_url"] as const),
  ...(["impact_order", "outside_standard", "tags", "how_many", "muted_count", "muting_id"] as const),
  ...(["inserted_at", "updated_at"] as const),
] as const;

/** As many elements of an issue as fit into a response: a checker that was taken over may have stored any number. */
const boundedHtml = sql<IssueRow["html"]>`
  case when octet_length(html::text) <= ${sql.lit(MAX_PAGE_BYTES)} then html else (
    select coalesce(jsonb_agg(element order by place), '[]') from (
      select element, place, sum(octet_length(element::text) + 2) over (order by place) as bytes
      from jsonb_array_elements(html) with ordinality as elements (element, place)
    ) counted where bytes <= ${sql.lit(MAX_PAGE_BYTES)}
  ) end`.as("html");

function selection(webPageId: string, muted: boolean) {
  const { states, firstSeenAt } = pageIssueStates(webPageId, muted);
  return [...columns, boundedHtml, states.as("states"), firstSeenAt.as("first_seen_at")] as const;
}

/** The issues of a kind on one page: by default errors first, the most severe first, then the most frequent first. */
export async function listIssues(
  db: Kysely<Database>,
  kind: CheckKind,
  webPageId: string,
  query: IssueQuery,
): Promise<Paginated<IssueRow>> {
  const { muted } = query;
  let found = db
    .selectFrom("issues")
    .where("web_page_id", "=", webPageId)
    .where("kind", "=", kind)
    .where(hasMuted(muted));
  for (const condition of issueConditions("issues", query)) found = found.where(condition);
  if (query.state) found = found.where(pageIssueStates(webPageId, muted).has(query.state));
  const rows = found.select(selection(webPageId, muted));
  const { key, direction = "desc" } = query.sort ?? {};
  const first = key ? rows : rows.orderBy("issue_type");
  const bySeverity = key === "how_many" ? first : first.orderBy("impact_order", direction);
  const ordered = bySeverity.orderBy(elementsMuted(muted), direction).orderBy("id", opposite(direction));
  const listed = await readPage(found, ordered, query.page, bytesOf("html"));
  return { ...listed, rows: await withElementsMuted(db, listed.rows, muted) };
}

/** One issue of a page, with its muted findings or the others. One that is muted as a whole is found either way. */
export async function findIssue(
  db: Kysely<Database>,
  kind: CheckKind,
  webPageId: string,
  id: string,
  muted: boolean,
): Promise<IssueRow | undefined> {
  const rows = await db
    .selectFrom("issues")
    .select(selection(webPageId, muted))
    .where("id", "=", id)
    .where("web_page_id", "=", webPageId)
    .where("kind", "=", kind)
    .execute();
  return (await withElementsMuted(db, rows, muted))[0];
}

/** For ties, so that ascending order is the exact reverse of descending order. */
function opposite(direction: "asc" | "desc"): "asc" | "desc" {
  return direction === "asc" ? "desc" : "asc";
}

/** `num_pages`: on how many pages it was found. */
export type CommonIssueRow = Selectable<Database["common_issues"]> & {
  num_pages: number;
  roles: RoleCounts | null;
  states: StateElements;
  first_seen_at: Date;
};

type Occurrences = { common_id: string; how_many: number };

/**
 * How often each common issue of a report was found: without muted findings (its stored count),
 * or only the muted ones.
 */
function occurrences(kind: CheckKind, reportId: string, muted: boolean, folder: Folder | undefined) {
  const isCounted = folder ? sql`${hasMuted(muted)} and ${onPagesIn(reportId, folder)}` : hasMuted(true);
  const counted =
    muted || folder
      ? sql<Occurrences>`(
        select common_id, sum(${elementsMuted(muted)})::integer as how_many,
          count(distinct web_page_id)::integer as num_pages from issues i
        where report_id = ${reportId} and kind = ${kind} and ${isCounted} group by common_id
      )`
      : sql<Occurrences>`(
        select id as common_id, how_many from common_issues
        where report_id = ${reportId} and kind = ${kind} and how_many > 0
      )`;
  return counted.as<"counted">(sql.ref("counted"));
}

/** A condition for issues `i` on pages in a folder. */
function onPagesIn(reportId: string, folder: Folder): RawBuilder<boolean> {
  return sql<boolean>`i.web_page_id in (${pagesIn(sql`${reportId}::uuid`, folder)})`;
}

function numPages(muted: boolean, folder: Folder | undefined): RawBuilder<number> {
  // In a folder they are counted together with the elements.
  if (folder) return sql<number>`coalesce(counted.num_pages, 0)`;
  return sql<number>`(
    select count(distinct i.web_page_id)::integer from issues i
    where i.common_id = common.id and ${hasMuted(muted)}
  )`;
}

function commonSelection(reportId: string, muted: boolean, folder?: Folder) {
  const { states, firstSeenAt } = commonIssueStates(reportId, muted);
  return [
    sql<number>`coalesce(counted.how_many, 0)`.as("how_many"),
    numPages(muted, folder).as("num_pages"),
    (folder ? sql<RoleCounts | null>`null::json` : rolesOfCommonIssue(muted)).as("roles"),
    (folder ? sql<StateElements>`null::json` : states).as("states"),
    firstSeenAt.as("first_seen_at"),
  ] as const;
}

/** The order that a query asks for: ascending order is the exact reverse of descending order. */
function orderOf(pages: RawBuilder<number>, { key, direction }: IssueSort): RawBuilder<unknown> {
  const first = { impact: sql`common.impact_order`, how_many: undefined, pages }[key];
  const keys = [...(first ? [first] : []), sql`counted.how_many`, sql`-common.id`];
  return sql.join(keys.map((column) => sql`${column} ${sql.raw(direction)}`));
}

/** What a report's issues of a kind have in common: by default as `listIssues` orders them. */
export async function listCommonIssues(
  db: Kysely<Database>,
  kind: CheckKind,
  reportId: string,
  query: IssueQuery,
): Promise<Paginated<CommonIssueRow>> {
  const { muted, folder, role, state, sort } = query;
  let found = db
    .selectFrom("common_issues as common")
    .innerJoin(occurrences(kind, reportId, muted, folder), "counted.common_id", "common.id");
  for (const condition of issueConditions("common", query)) found = found.where(condition);
  if (role) found = found.where(commonIssueHas(role, muted));
  if (state) found = found.where(commonIssueStates(reportId, muted).has(state));
  const rows = found.selectAll("common").select(commonSelection(reportId, muted, folder));
  const ordered = sort
    ? rows.orderBy(orderOf(numPages(muted, folder), sort))
    : rows
        .orderBy("common.issue_type")
        .orderBy("common.impact_order", "desc")
        .orderBy("counted.how_many", "desc")
        .orderBy("common.id");
  return readPage(found, ordered, query.page);
}

/** One common issue of a report; how often it was found as `occurrences` has it, 0 when not at all. */
export function findCommonIssue(
  db: Kysely<Database>,
  kind: CheckKind,
  reportId: string,
  id: string,
  muted: boolean,
): Promise<CommonIssueRow | undefined> {
  return db
    .selectFrom("common_issues as common")
    .leftJoin(occurrences(kind, reportId, muted, undefined), "counted.common_id", "common.id")
    .selectAll("common")
    .select(commonSelection(reportId, muted))
    .where("common.id", "=", id)
    .where("common.report_id", "=", reportId)
    .where("common.kind", "=", kind)
    .executeTakeFirst();
}
