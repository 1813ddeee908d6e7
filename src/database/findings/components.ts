import { type Kysely, type RawBuilder, sql } from "kysely";
import type { ReportCauses } from "../../domain/causes/causes.ts";
import {
  type ComponentSort,
  MAX_COMPONENTS,
  MAX_FIRST,
  MAX_LARGEST,
  MIN_FINDINGS,
  usualSort,
} from "../../domain/findings/components.ts";
import { impactOrder } from "../../domain/findings/findings.ts";
import type { RoleCounts } from "../../domain/findings/role.ts";
import type { Page } from "../lists.ts";
import type { Database } from "../tables.ts";
import { isLarge, largeSections } from "./element-counts.ts";
import { type FindingFilter, findingsWhere } from "./findings.ts";
import { resultsVersion } from "./results-version.ts";
import { haveRole } from "./roles.ts";

/** The first components of all findings in the usual order, if they are up to date. */
export async function readFirst(db: Kysely<Database>, reportId: string): Promise<ComponentPage | undefined> {
  const { rows } = await sql<{ list: ComponentPage }>`
    select l.list from component_lists l join reports r on r.id = l.report_id
    where l.report_id = ${reportId} and ${isUpToDate}`.execute(db);
  return rows[0]?.list;
}

/**
 * A query for the stored components of the findings that a filter selects, with the columns of `ComponentCounts`.
 *
 * @returns undefined if they are not stored, or outdated
 */
export async function storedComponents(
  db: Kysely<Database>,
  reportId: string,
  filter: FindingFilter,
): Promise<RawBuilder<unknown> | undefined> {
  const {
    kind,
    outsideStandard,
    rule,
    impact,
    issueType,
    state,
    component,
    cause,
    folder,
    role,
    webPageId,
    muted,
    comparisonId,
  } = filter;
  if ([component, cause, webPageId].some((value) => value !== undefined)) return undefined;
  if (folder && folder.path !== folder.section) return undefined;
  const section = folder?.section;
  const { rows } = await sql<{ is_uniform: boolean; comparison_id: string | null }>`
    select l.is_uniform, l.comparison_id from component_lists l join reports r on r.id = l.report_id
    where l.report_id = ${reportId} and l.all_version = ${resultsVersion}
      and ${section === undefined ? sql`true` : isLarge(reportId, section)}`.execute(db);
  const [stored] = rows;
  if (!stored || (state !== undefined && stored.comparison_id !== comparisonId)) return undefined;
  // One whose findings differ counts those that are asked for, and others.
  if (!stored.is_uniform && [impact, issueType, outsideStandard].some((value) => value !== undefined)) return undefined;
  // A component is of one rule, and so of one kind.
  const isExample = (condition: RawBuilder<unknown>) =>
    sql`exists (select from findings e where e.id = f.finding_id and e.report_id = f.report_id and ${condition})`;
  const conditions = [
    ...(kind === undefined ? [] : [isExample(sql`e.kind = ${kind}`)]),
    ...(outsideStandard === undefined ? [] : [isExample(sql`e.outside_standard = ${outsideStandard}`)]),
    ...(rule === undefined ? [] : [sql`rule = ${rule}`]),
    ...(impact === undefined ? [] : [sql`impact_order = ${impactOrder(impact)}`]),
    ...(issueType === undefined ? [] : [sql`issue_type = ${issueType}`]),
    ...(role === undefined ? [] : [haveRole(reportId, role)]),
  ];
  return sql.join([componentsOf(reportId, { muted, state, section }), ...conditions], sql` and `);
}

type StoredFilter = Pick<FindingFilter, "muted" | "state"> & { section?: string | undefined };

/** All components of a report's findings, or of those in a state or section; a query that ends with its conditions. */
function componentsOf(reportId: string, { muted, state, section }: StoredFilter): RawBuilder<unknown> {
  return sql`
    select * from components f where report_id = ${reportId}::uuid and is_muted = ${muted}
      and ${state === undefined ? sql`state is null` : sql`state = ${state}`}
      and ${section === undefined ? sql`section is null` : sql`section = ${section}`}`;
}

/** Locks the list of a report's components, if there is such a report: another process that stores them waits here. */
export async function lockComponentList(trx: Kysely<Database>, reportId: string): Promise<boolean> {
  const { numAffectedRows } = await sql`
    insert into component_lists (report_id, version, list) select id, '', '{}' from reports where id = ${reportId}
    on conflict (report_id) do update set version = excluded.version`.execute(trx);
  return Boolean(numAffectedRows);
}

/** Deletes a report's components, but not the list of the first ones. */
export async function deleteComponents(trx: Kysely<Database>, reportId: string): Promise<void> {
  await sql`delete from components where report_id = ${reportId}`.execute(trx);
}

/** The first components of a report, from what is stored of all of them or from its findings. */
export function firstComponents(trx: Kysely<Database>, reportId: string, hasAll: boolean): Promise<ComponentPage> {
  const unmuted = { comparisonId: null, muted: false };
  const components = hasAll
    ? componentsOf(reportId, unmuted)
    : groupFindings(findingsWhere(reportId, unmuted), sql`f.how_many`);
  return readComponents(trx, components, usualSort, { limit: MAX_FIRST, offset: 0 });
}

/** What is stored of a report's components, as of `version`. */
export type ComponentList = {
  version: string;
  first: ComponentPage;
  /** All components are stored, too. */
  hasAll: boolean;
  /** And those in each state of this comparison. */
  comparisonId: string | null;
  /** The findings of each component have the same type and impact. */
  isUniform: boolean;
  roles: RoleCounts;
  numFaults: number;
  causes: ReportCauses;
};

/** Stores the list that `lockComponentList` has locked. */
export async function storeComponentList(
  trx: Kysely<Database>,
  reportId: string,
  { version, first, hasAll, comparisonId, isUniform, roles, numFaults, causes }: ComponentList,
): Promise<void> {
  await sql`
    update component_lists set version = ${version}, list = ${JSON.stringify(first)}::jsonb,
      all_version = ${hasAll ? version : null}, comparison_id = ${comparisonId}::bigint, is_uniform = ${isUniform},
      roles = ${JSON.stringify(roles)}::jsonb, num_faults = ${numFaults}, causes = ${JSON.stringify(causes)}::jsonb
    where report_id = ${reportId}`.execute(trx);
}

/** What is stored of a report's components: whether all of them are, whether they are those of today, and the report's comparison. */
export type StoredList = { comparison_id: string | null; is_up_to_date: boolean; has_all: boolean };

/** @returns undefined for a report whose components are not stored */
export async function findComponentList(db: Kysely<Database>, reportId: string): Promise<StoredList | undefined> {
  const { rows } = await sql<StoredList>`
    select r.comparison_id, ${isUpToDate} as is_up_to_date, l.all_version is not null as has_all
    from reports r join component_lists l on l.report_id = r.id where r.id = ${reportId}`.execute(db);
  return rows[0];
}

/** What is stored of a report as of one version is of another, too: only what the version is made of has changed since. */
export async function renameVersion(trx: Kysely<Database>, reportId: string, from: string, to: string): Promise<void> {
  const versions = ["version", "all_version", "sums_version", "counts_version"].map(
    (column) => sql`${sql.ref(column)} = replace(${sql.ref(column)}, ${from}, ${to})`,
  );
  await sql`update component_lists set ${sql.join(versions)} where report_id = ${reportId}`.execute(trx);
}

const isMuted = sql`f.muting_id is not null`;

/** Stores all components of a report. @returns false when there are too many; then none is stored */
export function insertAll(trx: Kysely<Database>, reportId: string): Promise<boolean> {
  const findings = sql`findings f where f.report_id = ${reportId}::uuid`;
  const by = { is_muted: isMuted, state: sql`null::text` };
  return insertComponents(trx, reportId, groupFindings(findings, sql`f.how_many`, by, reportId));
}

/** The same for each state of a comparison. */
export function insertByState(trx: Kysely<Database>, reportId: string, comparisonId: string): Promise<boolean> {
  const findings = sql`findings f join compared_findings c on c.comparison_id = ${comparisonId}::bigint and c.finding_id = f.id
    where f.report_id = ${reportId}::uuid`;
  const by = { is_muted: isMuted, state: sql`c.state` };
  return insertComponents(trx, reportId, groupFindings(findings, sql`c.how_many`, by, reportId));
}

/** True if the findings of each component have the same type and impact. */
export async function isUniform(trx: Kysely<Database>, reportId: string): Promise<boolean> {
  const { rows } = await sql`
    select from findings where report_id = ${reportId} group by component
    having min(issue_type) <> max(issue_type) or min(coalesce(impact_order, 0)) <> max(coalesce(impact_order, 0))
    limit 1`.execute(trx);
  return rows.length === 0;
}

/** Whether a report has more findings than are grouped in a moment. */
export async function hasManyFindings(trx: Kysely<Database>, reportId: string): Promise<boolean> {
  return !(await hasAtMostFindings(trx, reportId, MIN_FINDINGS));
}

export async function hasAtMostFindings(db: Kysely<Database>, reportId: string, limit: number): Promise<boolean> {
  const { rows } = await sql`select from findings where report_id = ${reportId} offset ${limit} limit 1`.execute(db);
  return rows.length === 0;
}

/** @returns false when there are too many; then none is inserted */
async function insertComponents(
  trx: Kysely<Database>,
  reportId: string,
  components: RawBuilder<unknown>,
): Promise<boolean> {
  const { rows } = await sql<{ fit: boolean }>`
    with grouped as materialized (${components}), fitting as (
      select count(*) filter (where section is null) <= ${MAX_COMPONENTS} as fit from grouped
    ), inserted as (
      insert into components (report_id, state, section, is_muted, component, rule, finding_id, how_many, num_pages, issue_type,
        impact_order)
      select ${reportId}::uuid, g.state, g.section, g.is_muted, g.component, f.rule, g.finding_id, g.how_many, g.num_pages,
        g.issue_type, g.impact_order
      from grouped g join findings f on f.id = g.finding_id and f.report_id = ${reportId}::uuid where (select fit from fitting)
    )
    select fit from fitting`.execute(trx);
  return rows[0]?.fit === true;
}

/** The state of a report that its components are of. */
export async function readVersion(db: Kysely<Database>, reportId: string): Promise<string> {
  const { rows } = await sql<{ version: string }>`
    select ${resultsVersion} as version from reports r where r.id = ${reportId}`.execute(db);
  return rows[0]?.version ?? "";
}

/** Of a list `l` of a report `r`: the report has not changed since it was stored. */
export const isUpToDate = sql<boolean>`l.version = ${resultsVersion}`;

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
 * @param sectionsOf the report: then there are also the components of each of its large sections, and all of them have a
 *   section or null
 */
export function groupFindings(
  findings: RawBuilder<unknown>,
  howMany: RawBuilder<unknown>,
  by: Readonly<Record<string, RawBuilder<unknown>>> = {},
  sectionsOf?: string,
): RawBuilder<unknown> {
  const split = sectionsOf !== undefined && {
    column: sql`, large.section`,
    from: sql`
      join (select id as of_page, section as of_section from web_pages where report_id = ${sectionsOf}::uuid) w
        on w.of_page = on_pages.web_page_id
      left join (${largeSections(sectionsOf)}) large on large.section = w.of_section`,
    by: sql`, grouping sets ((), (large.section)) having grouping(large.section) = 1 or large.section is not null`,
  };
  const names = sql.join([sql`component`, ...Object.keys(by).map((name) => sql.ref(name))]);
  const columns = sql.join([
    sql`f.component`,
    ...Object.entries(by).map(([name, column]) => sql`${column} as ${sql.ref(name)}`),
  ]);
  return sql`
    select ${names}, min(finding_id) as finding_id, sum(how_many)::integer as how_many, count(*)::integer as num_pages,
      min(issue_type) as issue_type, max(impact_order) as impact_order${split ? split.column : sql``}
    from (
      select ${columns}, f.web_page_id, min(f.id) as finding_id, sum(${howMany}) as how_many, min(f.issue_type) as issue_type,
        max(f.impact_order) as impact_order
      from ${findings} group by ${names}, f.web_page_id
    ) on_pages ${split ? split.from : sql``}
    group by ${names}${split ? split.by : sql``}`;
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
