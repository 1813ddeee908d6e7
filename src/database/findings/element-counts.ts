import { type Kysely, type RawBuilder, sql } from "kysely";
import type { Folder } from "../../domain/addresses/section.ts";
import { rulesByTopic } from "../../domain/findings/fault.ts";
import { digest } from "../../domain/identity/digest.ts";
import type { Database } from "../tables.ts";
import { resultsVersion } from "./results-version.ts";
import { roleOfManyFindings } from "./roles.ts";

/** Sections with as many pages are counted when a report ends: the findings of fewer pages are read in a moment. */
export const MIN_SECTION_PAGES = 100;

/** All pages of a report, in place of a section. */
const ALL = "";

/** The sections of a report whose pages are counted together. */
export const largeSections = (reportId: string): RawBuilder<unknown> => sql`
  select section from web_pages where report_id = ${reportId}::uuid group by 1 having count(*) >= ${MIN_SECTION_PAGES}`;

/** A condition: it is one of them. No more pages are looked at than it takes to know. */
export const isLarge = (reportId: string, section: string): RawBuilder<unknown> => sql`
  (select count(*) from (
    select from web_pages where report_id = ${reportId}::uuid and section = ${section} limit ${sql.lit(MIN_SECTION_PAGES)}
  ) pages) = ${sql.lit(MIN_SECTION_PAGES)}`;

/** Rules of which topic are counted as one: with other topics, what is stored is outdated. */
const TOPICS = digest(rulesByTopic.map(({ kind, rule, topic }) => `${kind} ${rule} ${topic}`));
const versionOf = (results: RawBuilder<string>) => sql`concat_ws(' ', ${results}, ${sql.lit(TOPICS)})`;

/** Names of what is one row of a list of rules. They are columns of common issues `c`, of whose topic is `t.topic`. */
const type = sql`c.issue_type, c.outside_standard`;
const rule = sql`'rule', c.kind, coalesce(c.rule, ''), ${type}, case when c.rule is null then c.id end`;
const keyOf = (parts: RawBuilder<unknown>) => sql<string>`md5(concat_ws(' ', ${parts}))`;
export const rowKeys = {
  /** A rule of an engine; each message of an engine that names no rules. */
  rule: keyOf(rule),
  /** All rules about the same thing. */
  topic: sql`case when t.topic is null then ${keyOf(rule)} else ${keyOf(sql`'topic', t.topic, ${type}`)} end`,
  /** Those of one engine. */
  topicOfKind: sql`case when t.topic is null then ${keyOf(rule)} else ${keyOf(sql`'topic', t.topic, c.kind, ${type}`)} end`,
} as const;
/** Each of them once. */
export const eachRowKey = sql`
  lateral (select distinct row_key from unnest(array[${sql.join(Object.values(rowKeys))}]) row_key)`;
export const topicOfCommon = sql`
  left join json_to_recordset(${JSON.stringify(rulesByTopic)}::json) as t (kind text, rule text, topic text)
    on t.kind = c.kind and t.rule = c.rule`;

/**
 * Counts the elements of a report by everything that lists of rules filter by, and on how many pages they are, in one
 * reading of its findings. They are valid as long as the report and its comparison do not change.
 *
 * @param version of the report's results, read before
 */
export async function storeElementCounts(
  trx: Kysely<Database>,
  reportId: string,
  { version, comparisonId }: { version: string; comparisonId: string | null },
): Promise<void> {
  const ofMany = roleOfManyFindings(reportId);
  await sql`
    with large as materialized (${largeSections(reportId)}), common as materialized (
      select c.id, k.row_key as key from common_issues c ${topicOfCommon}, ${eachRowKey} k
      where c.report_id = ${reportId}::uuid
    ), found as materialized (
      select f.web_page_id, i.common_id, f.muting_id is not null as is_muted, ${ofMany.column} as role,
        coalesce(s.state, '') as state, sum(coalesce(s.how_many, f.how_many)) as how_many
      from findings f join issues i on i.id = f.issue_id ${ofMany.join}
      left join compared_findings s on s.comparison_id = ${comparisonId}::bigint and s.finding_id = f.id
      where f.report_id = ${reportId}::uuid
        and i.common_id = any(array(select id from common_issues where report_id = ${reportId}::uuid))
      group by 1, 2, 3, 4, 5
    ), placed as materialized (
      select f.*, large.section from found f join web_pages w on w.id = f.web_page_id and w.report_id = ${reportId}::uuid
      left join large on large.section = w.section
    ), counted as (
      insert into element_counts (report_id, section, common_id, is_muted, role, state, how_many)
      select ${reportId}::uuid, coalesce(section, ${ALL}), common_id, is_muted, role, state, sum(how_many)::integer
      from placed group by common_id, is_muted, role, state, grouping sets ((), (section))
      having grouping(section) = 1 or section is not null
    )
    insert into rule_pages (report_id, section, key, is_muted, role, state, num_pages)
    select ${reportId}::uuid, coalesce(section, ${ALL}), key, is_muted, role, state, count(distinct web_page_id)::integer
    from (
      select distinct common.key, p.is_muted, p.role, p.state, p.section, p.web_page_id
      from placed p join common on common.id = p.common_id
    ) on_pages
    group by key, is_muted, grouping sets ((), (role)), grouping sets ((), (state)), grouping sets ((), (section))
    having grouping(section) = 1 or section is not null`.execute(trx);
  await sql`
    update component_lists set counts_version = ${versionOf(sql`${version}::text`)}, counts_of = ${comparisonId}::bigint
    where report_id = ${reportId}`.execute(trx);
  await sql`analyze (skip_locked) element_counts, rule_pages`.execute(trx);
}

export async function deleteElementCounts(trx: Kysely<Database>, reportId: string): Promise<void> {
  await sql`update component_lists set counts_version = null where report_id = ${reportId}`.execute(trx);
  for (const table of ["element_counts", "rule_pages"] as const)
    await trx.deleteFrom(table).where("report_id", "=", reportId).execute();
}

/**
 * The section whose counts are stored for a list, "" for all pages.
 *
 * @returns undefined when they are not stored, or outdated: then the list is counted from findings
 */
export async function countedSection(
  db: Kysely<Database>,
  { reportId, comparisonId }: { reportId: string; comparisonId: string | null },
  folder: Folder | undefined,
): Promise<string | undefined> {
  if (folder && folder.path !== folder.section) return undefined;
  const section = folder?.section ?? ALL;
  const { rows } = await sql`
    select from component_lists l join reports r on r.id = l.report_id
    where l.report_id = ${reportId} and l.counts_version = ${versionOf(resultsVersion)} and l.counts_of is not distinct from ${comparisonId}::bigint
      and ${section === ALL ? sql`true` : isLarge(reportId, section)}`.execute(db);
  return rows.length > 0 ? section : undefined;
}
