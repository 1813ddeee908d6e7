import { type Kysely, type RawBuilder, sql } from "kysely";
import { designRules, MIN_TEMPLATE_PAGES, type Role, type RoleCounts } from "../../domain/findings/role.ts";
import type { Database } from "../tables.ts";
import { faultOfFinding } from "./faults.ts";
import { resultsVersion } from "./results-version.ts";

/** `roleOf`, when the components of a report are stored. */
const isDesign = sql`f.rule = any(array[${sql.join(designRules.map((rule) => sql.lit(rule)))}])`;
const isTemplate = sql`exists (select from templates t where t.report_id = f.report_id and t.component = f.component)`;
const isStored = (report: RawBuilder<unknown>) =>
  sql`exists (select from component_lists l where l.report_id = ${report} and l.roles is not null)`;

/** The role of a finding `f`; null until its report has ended. For few findings. */
export const roleOfFinding = sql<Role | null>`
  case when not ${isStored(sql`f.report_id`)} then null when ${isDesign} then 'design' when ${isTemplate} then 'template' else 'content' end`;

/** A condition: the roles of a report's findings are known. */
export const hasRoles = (reportId: string): RawBuilder<unknown> => isStored(sql`${reportId}::uuid`);

/** The same for many findings `f` of a report with roles: a column, and the join that it needs. */
export function roleOfManyFindings(reportId: string): { column: RawBuilder<Role>; join: RawBuilder<unknown> } {
  return {
    column: sql<Role>`case when ${isDesign} then 'design' when t.component is not null then 'template' else 'content' end`,
    join: sql`left join templates t on t.report_id = ${reportId}::uuid and t.component = f.component`,
  };
}

/** Conditions for a report's findings `f` with a role; none has one until the report has ended. */
export function haveRole(reportId: string, role: Role): RawBuilder<unknown> {
  const condition = {
    design: isDesign,
    template: sql`not ${isDesign} and ${isTemplate}`,
    content: sql`not ${isDesign} and not ${isTemplate}`,
  }[role];
  // Where nothing has the role, no finding is read to see that.
  const some = sql`exists (select from role_counts c where c.report_id = ${reportId}::uuid and c.role = ${role})`;
  return sql`${some} and ${condition}`;
}

const count = (role: Role) => sql`coalesce(sum(how_many) filter (where role = ${sql.lit(role)}), 0)`;
const counts = sql`json_build_object('content', ${count("content")}, 'template', ${count("template")}, 'design', ${count("design")})`;

/** The roles of a common issue's elements, muted or not; null until the report has ended. `common` is its alias. */
export function rolesOfCommonIssue(isMuted: boolean): RawBuilder<RoleCounts | null> {
  return sql<RoleCounts | null>`case when ${isStored(sql`common.report_id`)} then (
    select ${counts} from role_counts c where c.common_id = common.id and c.is_muted = ${isMuted}
  ) end`;
}

/** A condition for common issues with an element of a role. */
export function commonIssueHas(role: Role, isMuted: boolean): RawBuilder<boolean> {
  return sql<boolean>`exists (
    select from role_counts c where c.common_id = common.id and c.is_muted = ${isMuted} and c.role = ${role}
  )`;
}

/** How many things there are to mend on a page, and how many of them have which role: one of several rules may have two. */
export type FaultsOfPage = RoleCounts & { all: number };

/** What is found on a page, without what is muted. */
export type SumsOfPage = {
  /** Of its errors; null until the report has ended, and without errors. */
  roles: RoleCounts | null;
  /** Its elements with errors: one with errors of several kinds about the same thing counts once. */
  num_faults: number;
  /**
   * Of what is listed: what several findings say about the same thing of one element is one, so are elements that cannot be
   * told apart, and what only follows from another finding is none.
   */
  faults: FaultsOfPage;
};

/**
 * A query for what is found on pages, in one reading of their findings. Pages without any are left out.
 *
 * @param which a condition for findings `f`
 * @param role of each of them, with the join that it needs
 */
function sumsBy(
  which: RawBuilder<unknown>,
  role: { column: RawBuilder<Role | null>; join: RawBuilder<unknown> } = { column: roleOfFinding, join: sql`` },
): RawBuilder<SumsOfPage & { page: string }> {
  // Each fault is there once with each of its roles.
  const ofRole = (role: Role) => sql`'${sql.raw(role)}', count(*) filter (where role = ${sql.lit(role)})`;
  const none = sql`json_build_object('all', 0, 'content', 0, 'template', 0, 'design', 0)`;
  return sql`
    with found as materialized (
      select f.web_page_id as page, ${faultOfFinding} as fault, f.kind, f.rule, ${role.column} as role,
        f.issue_type = 'error' and not f.outside_standard as is_error, sum(f.how_many) as how_many,
        sum(f.how_many - f.consequences) as own
      from findings f ${role.join} where ${which} and f.muting_id is null
      group by 1, 2, 3, 4, 5, 6
    ), roles as (
      select page, ${counts} as roles from found where is_error and role is not null group by 1
    ), elements as (
      select page, sum(own)::integer as num_faults from (
        select page, max(own) as own from (
          select page, fault, sum(own) as own from found where is_error group by page, fault, kind, rule
        ) of_rules group by page, fault
      ) of_faults group by 1
    ), faults as (
      select page, json_build_object('all', count(distinct fault), ${sql.join((["content", "template", "design"] as const).map(ofRole))}) as faults
      from (select distinct page, fault, role from found where own > 0) listed group by 1
    )
    select page, r.roles, coalesce(e.num_faults, 0) as num_faults, coalesce(f.faults, ${none}) as faults
    from (select distinct page from found) pages left join roles r using (page) left join elements e using (page)
    left join faults f using (page)`;
}

/** What is found on some pages of a report, as it is stored or by their findings. Pages without any are left out. */
export async function sumsOfPages(
  db: Kysely<Database>,
  reportId: string,
  pageIds: readonly string[],
): Promise<Map<string, SumsOfPage>> {
  const ids = sql`any(${[...pageIds]}::bigint[])`;
  const { rows: known } = await sql<{ sums: (SumsOfPage & { page: string })[] }>`
    select coalesce((
      select json_agg(json_build_object('page', s.web_page_id::text, 'roles', s.roles, 'num_faults', s.num_faults, 'faults', s.faults))
      from page_sums s where s.web_page_id = ${ids} and s.report_id = r.id
    ), '[]') as sums
    from component_lists l join reports r on r.id = l.report_id where r.id = ${reportId} and l.sums_version = ${resultsVersion}`.execute(
    db,
  );
  const sums = known[0]?.sums ?? (await sumsBy(sql`f.web_page_id = ${ids}`).execute(db)).rows;
  return new Map(sums.map(({ page, ...of }) => [page, of]));
}

/** Stores what is found on each page of a report. @param version of its results, read before */
export async function storePageSums(trx: Kysely<Database>, reportId: string, version: string): Promise<void> {
  await sql`
    insert into page_sums (web_page_id, report_id, num_faults, roles, faults)
    select page, ${reportId}::uuid, num_faults, roles, faults
    from (${sumsBy(sql`f.report_id = ${reportId}::uuid`, roleOfManyFindings(reportId))}) sums`.execute(trx);
  await sql`update component_lists set sums_version = ${version} where report_id = ${reportId}`.execute(trx);
}

export async function deletePageSums(trx: Kysely<Database>, reportId: string): Promise<void> {
  await sql`update component_lists set sums_version = null where report_id = ${reportId}`.execute(trx);
  await trx.deleteFrom("page_sums").where("report_id", "=", reportId).execute();
}

/**
 * Stores which components of a report are of templates, and how many elements of its common issues have which role.
 *
 * @returns the roles of its errors, without muted ones
 */
export async function storeRoles(trx: Kysely<Database>, reportId: string): Promise<RoleCounts> {
  for (const table of ["templates", "role_counts"] as const)
    await trx.deleteFrom(table).where("report_id", "=", reportId).execute();
  await sql`
    insert into templates (report_id, component)
    select ${reportId}::uuid, component from (
      select component, web_page_id from findings where report_id = ${reportId}::uuid group by 1, 2
    ) on_pages group by component having count(*) >= ${MIN_TEMPLATE_PAGES}`.execute(trx);
  await sql`analyze (skip_locked) templates`.execute(trx);
  const ofMany = roleOfManyFindings(reportId);
  const { rows } = await sql<{ roles: RoleCounts }>`
    with elements as materialized (
      select f.issue_id, f.muting_id is not null as is_muted, f.issue_type = 'error' and not f.outside_standard as is_error,
        ${ofMany.column} as role, sum(f.how_many) as how_many
      from findings f ${ofMany.join}
      where f.report_id = ${reportId}::uuid group by 1, 2, 3, 4
    ), stored as (
      insert into role_counts (report_id, common_id, is_muted, role, how_many)
      select ${reportId}::uuid, i.common_id, e.is_muted, e.role, sum(e.how_many)::integer
      from elements e join issues i on i.id = e.issue_id and i.common_id = any(array(
        select id from common_issues where report_id = ${reportId}::uuid
      ))
      group by 2, 3, 4
    )
    select ${counts} as roles from elements where is_error and not is_muted`.execute(trx);
  return rows[0]?.roles ?? { content: 0, template: 0, design: 0 };
}
