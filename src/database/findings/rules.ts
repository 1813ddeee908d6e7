import { type Kysely, type RawBuilder, sql } from "kysely";
import type { CheckKind } from "../../checks/kinds.ts";
import type { Folder } from "../../domain/addresses/section.ts";
import type { TopicName } from "../../domain/findings/fault.ts";
import type { FindingState } from "../../domain/findings/finding-state.ts";
import { type Impact, impactOrder, impacts } from "../../domain/findings/findings.ts";
import type { Role, RoleCounts } from "../../domain/findings/role.ts";
import { contains, hasTags, type Page, type Paginated, type TagFilter } from "../lists.ts";
import { pagesIn } from "../reports/folders.ts";
import type { Database } from "../tables.ts";
import { countedSection, eachRowKey, rowKeys, topicOfCommon } from "./element-counts.ts";
import type { StateElements } from "./findings.ts";
import { hasRoles, roleOfManyFindings } from "./roles.ts";

/** Which elements of a report are counted. */
export type RuleFilter = {
  kind?: CheckKind;
  /** The engine's name, exactly. */
  rule?: string;
  /** Part of a message. */
  text?: string;
  tags?: TagFilter;
  impact?: Impact;
  issueType?: "error" | "warning";
  /** What is outside of the report's standard in place of errors and warnings. */
  outsideStandard: boolean;
  /** On pages in this folder. */
  folder?: Folder;
  role?: Role;
  state?: FindingState;
  /** The muted elements in place of the others. */
  muted: boolean;
};

/** What is counted by: a value of each is a value of the filter of its name. */
export type RuleDimension = "kind" | "impact" | "issueType" | "role" | "state";

/** How many elements a list of rules has: with its filter, and with each other value of one of its filters. */
export type RuleCounts = {
  howMany: number;
  /** With muted elements in place of the others, or the other way round. */
  muted: number;
  unmuted: number;
  outsideStandard: number;
  by: Record<RuleDimension, Partial<Record<string, number>>>;
};

/** What is one row: a rule of an engine, or the rules of all engines about the same thing. */
export const ruleGroups = ["rule", "topic"] as const;
export type RuleGroup = (typeof ruleGroups)[number];

/** A rule of a row, with what is its own. */
export type RuleOfRow = Pick<RuleRow, "kind" | "rule" | "message" | "common_id" | "how_many">;

/**
 * A rule of an engine, which has several messages if these name an element: a rule of one name, type and standard. Or
 * several rules about the same thing: then name, explanation and issue are those of the one with the most elements.
 */
export type RuleRow = {
  /** What several rules are about, if they are listed so; null for others. */
  topic: TopicName | null;
  /** All rules, the one with the most elements first. */
  rules: RuleOfRow[];
  kind: CheckKind;
  /** "" for an engine that names none: then each message is a rule of its own. */
  rule: string;
  issue_type: "error" | "warning";
  outside_standard: boolean;
  impact_order: number | null;
  /** Null where it has several. */
  message: string | null;
  help_url: string | null;
  tags: string[];
  /** The one of its common issues with the most elements. */
  common_id: string;
  num_messages: number;
  how_many: number;
  num_pages: number;
  /** Null when elements are chosen by folder, role or state. */
  roles: RoleCounts | null;
  states: StateElements;
  first_seen_at: Date;
};

export const ruleSortKeys = ["how_many", "impact", "pages"] as const;
export type RuleSort = { key: (typeof ruleSortKeys)[number]; direction: "asc" | "desc" };

/** A report, and the comparison that states are taken from. */
export type RulesOf = { reportId: string; comparisonId: string | null };
/** With the section whose counts are stored; undefined when they are not (`countedSection`). */
type Source = RulesOf & { section: string | undefined };

/** What of a filter is known of a common issue, so that its elements need not be looked at. */
function commonConditions(reportId: string, filter: RuleFilter): RawBuilder<unknown> {
  const { kind, rule, text, tags, impact, issueType, outsideStandard } = filter;
  return sql.join(
    [
      sql`c.report_id = ${reportId}::uuid`,
      outsideStandard ? sql`c.outside_standard` : sql`not c.outside_standard`,
      ...(kind === undefined ? [] : [sql`c.kind = ${kind}`]),
      ...(rule === undefined ? [] : [sql`c.rule = ${rule}`]),
      ...(text === undefined ? [] : [contains("c.message", text)]),
      ...(tags ? [hasTags("c.tags", tags)] : []),
      ...(impact === undefined ? [] : [sql`c.impact_order = ${impactOrder(impact)}`]),
      ...(issueType === undefined ? [] : [sql`c.issue_type = ${issueType}`]),
    ],
    sql` and `,
  );
}

const isMuted = (finding: RawBuilder<unknown>, muted: boolean) =>
  muted ? sql`${finding} is not null` : sql`${finding} is null`;
/** @param of what has the page: issues `i`, or findings `f` where these are read by their page */
const inFolder = (reportId: string, folder: Folder | undefined, of: "i" | "f" = "i") =>
  folder ? sql`${sql.ref(`${of}.web_page_id`)} = any(array(${pagesIn(sql`${reportId}::uuid`, folder)}))` : sql`true`;
const is = (column: string, value: string | undefined) =>
  value === undefined ? sql`true` : sql`${sql.ref(column)} = ${value}`;

/** What of a filter, or of what is counted by, only the elements say and no common issue. */
function needsOf({ folder, role, state }: RuleFilter, by?: RuleDimension) {
  const needs = {
    folder: folder !== undefined,
    role: role !== undefined || by === "role",
    state: state !== undefined || by === "state",
  };
  return { ...needs, howMany: Object.values(needs).filter(Boolean).length };
}

/**
 * How many elements each common issue has: rows of `common_id` and `how_many` with the `state` and the `role` if these are
 * asked for. From what is counted already wherever that has the answer: the elements are looked at only for several of
 * folder, role and state at once.
 */
function elementsOf(of: Source, filter: RuleFilter, by?: RuleDimension): RawBuilder<unknown> {
  const { folder, role, state, muted } = filter;
  const needs = needsOf(filter, by);
  const report = sql`${of.reportId}::uuid`;
  if (of.section !== undefined && (needs.howMany > 0 || muted))
    return sql`select e.common_id, e.how_many, e.role, e.state from element_counts e
      where e.report_id = ${report} and e.section = ${of.section} and e.is_muted = ${muted}
        and ${is("e.role", role)} and ${is("e.state", state)}`;
  if (needs.howMany > 1) return foundOf(of, filter, needs);
  if (needs.state)
    return sql`select s.common_id, s.how_many, s.state from compared_issues s
      where s.comparison_id = ${of.comparisonId}::bigint and s.is_muted = ${muted} and ${is("s.state", state)}`;
  if (needs.role)
    return sql`select r.common_id, r.how_many, r.role from role_counts r
      where r.report_id = ${report} and r.is_muted = ${muted} and ${is("r.role", role)}`;
  if (!needs.folder && !muted)
    return sql`select c.id as common_id, c.how_many from common_issues c where c.report_id = ${report}`;
  return sql`
    select i.common_id, ${muted ? sql`case when i.muting_id is null then i.muted_count else i.how_many end` : sql`i.how_many`} as how_many
    from issues i where i.report_id = ${report} and ${hasMutedElements(muted)} and ${inFolder(of.reportId, folder)}`;
}

/** A condition for issues `i` with something that is muted, or with something that is not. */
const hasMutedElements = (muted: boolean) =>
  muted ? sql`(i.muting_id is not null or i.muted_count > 0)` : sql`i.muting_id is null`;

/** The same from the findings themselves. */
function foundOf(
  { reportId, comparisonId }: RulesOf,
  { folder, role, state, muted }: RuleFilter,
  needs: { role: boolean; state: boolean },
): RawBuilder<unknown> {
  const roles = needs.role ? roleOfManyFindings(reportId) : { column: sql`null::text`, join: sql`` };
  const states = needs.state
    ? {
        columns: sql`s.how_many, s.state`,
        join: sql`join compared_findings s on s.comparison_id = ${comparisonId}::bigint and s.finding_id = f.id and ${is("s.state", state)}`,
      }
    : { columns: sql`f.how_many, null::text as state`, join: sql`` };
  return sql`
    select * from (
      select i.common_id, f.web_page_id, ${states.columns}, ${roles.column} as role
      from findings f join issues i on i.id = f.issue_id ${states.join} ${roles.join}
      where f.report_id = ${reportId}::uuid and ${isMuted(sql`f.muting_id`, muted)} and ${inFolder(reportId, folder, "f")}
        and ${needs.role ? hasRoles(reportId) : sql`true`}
    ) found where ${is("found.role", role)}`;
}

const values: Record<RuleDimension, RawBuilder<unknown>> = {
  kind: sql`c.kind`,
  impact: sql`(array[${sql.join(impacts.map((impact) => sql.lit(impact)))}])[c.impact_order]`,
  issueType: sql`c.issue_type`,
  role: sql`x.value`,
  state: sql`x.value`,
};
const dimensions = Object.keys(values) as RuleDimension[];

/** What several counts of a statement take from the same elements is read once: the query of each, under a name. */
function readOnce(of: Source) {
  const queries = new Map<string, { name: string; query: RawBuilder<unknown> }>();
  /** Rows of `common_id`, `how_many` and the `value` of a role or state. */
  const from = (filter: RuleFilter, by?: RuleDimension): RawBuilder<unknown> => {
    const { folder, role, state, muted } = filter;
    const column = by === "role" || by === "state" ? by : undefined;
    const key = JSON.stringify([folder, role, state, muted, column]);
    const known = queries.get(key);
    if (known) return sql.ref(known.name);
    const name = `elements_${queries.size}`;
    const value = column === undefined ? sql`null::text` : sql.ref(`e.${column}`);
    const query = sql`select e.common_id, ${value} as value, sum(e.how_many) as how_many
      from (${elementsOf(of, filter, column)}) e group by 1, 2`;
    queries.set(key, { name, query });
    return sql.ref(name);
  };
  const queriesOf = () => sql.join([...queries.values()].map(({ name, query }) => sql`${sql.ref(name)} as (${query})`));
  return { from, queries: queriesOf };
}

/** Counts what each choice of a filter shows: its own number is that of the list that it leads to. */
export async function countByRule(db: Kysely<Database>, of: RulesOf, filter: RuleFilter): Promise<RuleCounts> {
  const elements = readOnce({ ...of, section: await countedSection(db, of, filter.folder) });
  const count = (name: string, value: RawBuilder<unknown>, which: RuleFilter, by?: RuleDimension) => sql`
    select ${name}::text as name, ${value} as value, coalesce(sum(x.how_many), 0)::integer as how_many
    from ${elements.from(which, by)} x join common_issues c on c.id = x.common_id
    where ${commonConditions(of.reportId, which)} group by 2`;
  const all = sql`null::text`;
  const counts = [
    count("how_many", all, filter),
    count("muted", all, { ...filter, muted: true }),
    count("unmuted", all, { ...filter, muted: false }),
    // Of no type: errors and warnings are others.
    count("outside", all, { ...without(filter, "issueType"), outsideStandard: true }),
    ...dimensions.map((by) => {
      const others = without(filter, by);
      return count(by, values[by], by === "issueType" ? { ...others, outsideStandard: false } : others, by);
    }),
  ];
  const { rows } = await sql<{ name: string; value: string | null; how_many: number }>`
    with ${elements.queries()} ${sql.join(counts, sql` union all `)}`.execute(db);
  const of1 = (name: string) => rows.find((row) => row.name === name)?.how_many ?? 0;
  const by = (name: RuleDimension) =>
    Object.fromEntries(
      rows.flatMap((row) => (row.name === name && row.value !== null ? [[row.value, row.how_many]] : [])),
    );
  return {
    howMany: of1("how_many"),
    ...{ muted: of1("muted"), unmuted: of1("unmuted"), outsideStandard: of1("outside") },
    by: { kind: by("kind"), impact: by("impact"), issueType: by("issueType"), role: by("role"), state: by("state") },
  };
}

function without(filter: RuleFilter, name: RuleDimension): RuleFilter {
  const { [name]: _, ...others } = filter;
  return others;
}

const sortColumns: Record<RuleSort["key"], readonly RawBuilder<unknown>[]> = {
  how_many: [sql`how_many`, sql`coalesce(impact_order, 0)`],
  impact: [sql`coalesce(impact_order, 0)`, sql`how_many`],
  pages: [sql`num_pages`, sql`how_many`],
};

/** The rules of a report's findings, with those of their elements that the filter selects. */
export async function listRules(
  db: Kysely<Database>,
  rulesOf: RulesOf,
  filter: RuleFilter,
  { key, direction }: RuleSort,
  { limit, offset }: Page,
  group: RuleGroup = "rule",
): Promise<Paginated<RuleRow>> {
  const of = { ...rulesOf, section: await countedSection(db, rulesOf, filter.folder) };
  const order = sql.join([
    // Errors come first: they are what counts most, in both directions.
    ...(key === "pages" ? [] : [sql`issue_type`]),
    ...sortColumns[key].map((column) => sql`${column} ${sql.raw(direction)}`),
    sql`kind`,
    sql`rule collate "C"`,
    sql`common_id`,
  ]);
  // Pages are counted where they are shown, or sorted by.
  const early = key === "pages";
  const isPart = filter.folder !== undefined || filter.role !== undefined || filter.state !== undefined;
  const { rows } = await sql<{ total: number; page: (Omit<RuleRow, "first_seen_at"> & { first_seen_at: string })[] }>`
    with elements as materialized (
      select x.common_id, sum(x.how_many)::integer as how_many from (${elementsOf(of, filter)}) x group by 1
    ), each_rule as (
      select c.kind, coalesce(c.rule, '') as rule, c.issue_type, c.outside_standard, max(c.impact_order) as impact_order,
        case when count(distinct c.message) = 1 then min(c.message) end as message, min(c.help_url) as help_url,
        (array_agg(to_json(c.tags) order by c.id))[1] as tags, (array_agg(c.id order by e.how_many desc, c.id))[1] as common_id,
        array_agg(c.id) as common_ids, count(*)::integer as num_messages, sum(e.how_many)::integer as how_many,
        min(c.inserted_at) as inserted_at, min(t.topic) as topic_of_rule,
        ${sql.join(Object.entries(rowKeys).map(([name, value]) => sql`min(${value}) as ${sql.ref(keyColumn(name as RowKey))}`))}
      from elements e join common_issues c on c.id = e.common_id ${topicOfCommon}
      where ${commonConditions(of.reportId, filter)} and e.how_many > 0
      group by c.kind, coalesce(c.rule, ''), case when c.rule is null then c.id end, c.issue_type, c.outside_standard
    ), rules as materialized (
      ${group === "topic" ? byTopic(filter) : sql`select *, ${sql.ref(keyColumn("rule"))} as key_of_row, null::text as topic, ${ruleOfRow} as rules from each_rule`}
    ), sizes as materialized (
      select k.row_key as key, count(*) as size from elements e join common_issues c on c.id = e.common_id ${topicOfCommon}, ${eachRowKey} k
      where c.report_id = ${of.reportId}::uuid and e.how_many > 0 group by 1
    ), on_pages as materialized (
      -- The findings are read once for all rows, and only if the pages of one are counted from them.
      select distinct common_id, web_page_id from (${foundOf(of, filter, needsOf(filter))}) found
    ), sorted as (
      select *, ${early ? pagesOf(of, filter) : sql`0`} as num_pages from rules
    ), page as (
      select *, row_number() over (order by ${order}) as place from sorted order by ${order} limit ${limit} offset ${offset}
    )
    select (select count(*)::integer from rules) as total, (select coalesce(json_agg(listed order by place), '[]') from (
      select r.kind, r.rule, r.issue_type, r.outside_standard, r.impact_order, r.message, r.help_url, r.tags,
        r.common_id::text as common_id, r.num_messages, r.how_many, r.place, r.topic, r.rules,
        ${early ? sql`r.num_pages` : pagesOf(of, filter)} as num_pages,
        ${isPart ? sql`null::json` : rolesOf(of, filter)} as roles, ${isPart ? sql`null::json` : statesOf(of, filter)} as states,
        coalesce((
          select min(s.first_seen_at) from compared_issues s where s.comparison_id = ${of.comparisonId}::bigint
            and s.common_id = any(r.common_ids) and s.is_muted = ${filter.muted}
        ), r.inserted_at) as first_seen_at
      from page r
    ) listed) as page`.execute(db);
  const [listed] = rows;
  const page = (listed?.page ?? []).map((row) => ({ ...row, first_seen_at: new Date(row.first_seen_at) }));
  return { rows: page, total: listed?.total ?? 0 };
}

const ofRow = sql`json_build_object(
  'kind', kind, 'rule', rule, 'message', message, 'common_id', common_id::text, 'how_many', how_many)`;
const ruleOfRow = sql`json_build_array(${ofRow})`;
const mostFirst = sql`how_many desc, kind, rule collate "C", common_id`;
const ofMost = (column: string) => sql`(array_agg(${sql.ref(column)} order by ${mostFirst}))[1] as ${sql.ref(column)}`;

/** Rules of the same topic, type and standard as one row; others as they are. */
const byTopic = ({ kind }: RuleFilter) => sql`
  select ${sql.join(["kind", "rule", "help_url", "common_id"].map(ofMost))}, issue_type, outside_standard,
    max(impact_order) as impact_order, case when count(*) = 1 then min(message) end as message,
    case when count(*) = 1 then (array_agg(tags))[1] else to_json(array(
      select distinct tag from unnest(array_agg(tags)) list, json_array_elements_text(list) tag order by tag
    )) end as tags,
    array(select unnest(string_to_array(list, ',')::bigint[]) from unnest(array_agg(array_to_string(common_ids, ','))) list)
      as common_ids,
    sum(num_messages)::integer as num_messages, sum(how_many)::integer as how_many, min(inserted_at) as inserted_at,
    case when count(*) > 1 then min(${sql.ref(keyColumn(kind === undefined ? "topic" : "topicOfKind"))}) else min(${sql.ref(keyColumn("rule"))}) end as key_of_row,
    case when count(*) > 1 then min(topic_of_rule) end as topic, json_agg(${ofRow} order by ${mostFirst}) as rules
  from each_rule
  group by coalesce(topic_of_rule, concat_ws(' ', kind, rule, case when rule = '' then common_id end)), issue_type, outside_standard`;

type RowKey = keyof typeof rowKeys;
const keyColumn = (name: RowKey) => `key_of_${name}`;

/** On how many pages the elements of a row are that a filter selects: as it is stored, unless the filter leaves some messages out. */
function pagesOf(of: Source, filter: RuleFilter): RawBuilder<number> {
  const { role = null, state = null, muted } = filter;
  if (of.section === undefined) return pagesOfElements(of, filter);
  return sql<number>`case when (select size from sizes where sizes.key = key_of_row) = cardinality(common_ids) then (
    select p.num_pages from rule_pages p where p.report_id = ${of.reportId}::uuid and p.section = ${of.section} and p.key = key_of_row
      and p.is_muted = ${muted} and p.role is not distinct from ${role} and p.state is not distinct from ${state}
  ) else ${pagesOfElements(of, filter)} end`;
}

function pagesOfElements({ reportId }: RulesOf, { folder, role, state, muted }: RuleFilter): RawBuilder<number> {
  if (role === undefined && state === undefined)
    return sql<number>`(
      select count(distinct i.web_page_id)::integer from issues i
      where i.common_id = any(common_ids) and ${hasMutedElements(muted)} and ${inFolder(reportId, folder)}
    )`;
  return sql<number>`(select count(distinct o.web_page_id)::integer from on_pages o where o.common_id = any(common_ids))`;
}

function rolesOf({ reportId }: RulesOf, { muted }: RuleFilter): RawBuilder<unknown> {
  const count = (role: Role) => sql`coalesce(sum(k.how_many) filter (where k.role = ${sql.lit(role)}), 0)`;
  return sql`case when ${hasRoles(reportId)} then (
    select json_build_object('content', ${count("content")}, 'template', ${count("template")}, 'design', ${count("design")})
    from role_counts k where k.common_id = any(r.common_ids) and k.is_muted = ${muted}
  ) end`;
}

function statesOf({ comparisonId }: RulesOf, { muted }: RuleFilter): RawBuilder<unknown> {
  return sql`case when ${comparisonId}::bigint is not null then (
    select coalesce(json_object_agg(state, how_many), '{}') from (
      select s.state, sum(s.how_many)::integer as how_many from compared_issues s
      where s.comparison_id = ${comparisonId}::bigint and s.common_id = any(r.common_ids) and s.is_muted = ${muted} group by 1
    ) counted
  ) end`;
}
