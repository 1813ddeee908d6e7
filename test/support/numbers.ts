import { type Kysely, type RawBuilder, sql } from "kysely";
import type { Database } from "../../src/database/tables.ts";
import { rulesByTopic } from "../../src/domain/findings/fault.ts";
import { designRules, MIN_TEMPLATE_PAGES } from "../../src/domain/findings/role.ts";

/** What is shown of a report, counted by plain SQL from the rows of its findings, checks and pages. */
export type Statement = (report: string) => RawBuilder<{ key: string; value: number }>;
export type NumberOf = { meaning: string; statement: Statement };

/**
 * The findings `f` of a report, and of the one that it is compared with: what each counts as, who can mend it, and what the
 * rule that it is of is called in a list.
 */
const findings = (report: string) => sql`(
  select f.*, p.section, p.url, i.message, f.report_id = ${report}::uuid as is_own, c.state, coalesce(c.how_many, f.how_many) as compared,
    case when f.outside_standard then 'outside' else f.issue_type end as counts,
    (array['minor', 'moderate', 'serious', 'critical'])[f.impact_order] as impact,
    concat_ws(' ', f.kind, case when f.rule = '' then i.message else f.rule end, f.issue_type, f.outside_standard) as of_rule,
    case when f.rule = any(array[${sql.join(designRules.map((rule) => sql.lit(rule)))}]) then 'design'
      when (select count(distinct o.web_page_id) from findings o where o.report_id = f.report_id and o.component = f.component)
        >= ${sql.lit(MIN_TEMPLATE_PAGES)} then 'template' else 'content' end as role
  from findings f join web_pages p on p.id = f.web_page_id join issues i on i.id = f.issue_id
  left join compared_findings c on c.finding_id = f.id
    and c.comparison_id = (select r.comparison_id from reports r where r.id = ${report}::uuid)
  where f.report_id in (${report}::uuid, (
    select c.base_id from comparisons c join reports r on r.comparison_id = c.id where r.id = ${report}::uuid
  ))
)`;

/** Elements by a key, without muted ones; `which` are more conditions. */
const elements =
  (key: RawBuilder<unknown>, which: RawBuilder<unknown> = sql`true`, value = sql`sum(f.how_many)`): Statement =>
  (report) =>
    sql`
    select (${key})::text as key, (${value})::integer as value
    from (select distinct on (id) * from ${findings(report)} f where is_own) f where f.muting_id is null and ${which} group by 1`;
/** The same of what is compared: an element is in one state. */
const compared =
  (key: RawBuilder<unknown>, which: RawBuilder<unknown> = sql`true`, isMuted = false): Statement =>
  (report) =>
    sql`
    select (${key})::text as key, sum(f.compared)::integer as value
    from ${findings(report)} f where f.state is not null and (f.muting_id is not null) = ${isMuted} and ${which} group by 1`;
const own = sql`f.is_own`;
const isCounted = sql`f.counts <> 'outside'`;
const pagesOf = sql`count(distinct f.web_page_id)`;

/** What a finding's rule is about, as a list names it. */
const ofTopic = sql`coalesce((
  select concat_ws(' ', 'topic', t.topic, f.issue_type, f.outside_standard)
  from json_to_recordset(${JSON.stringify(rulesByTopic)}::json) t (kind text, rule text, topic text)
  where t.kind = f.kind and t.rule = f.rule
), f.of_rule)`;

const checks = (report: string) => sql`(
  select p.id, p.url, p.section, bool_and(c.status = 'checked') as checked, bool_or(c.status = 'failed') as failed,
    bool_or(c.status = 'failed') and bool_and(c.status <> 'failed' or (p.http_status = 404 and c.failure_code = 'http_error')) as without
  from web_pages p join checks c on c.web_page_id = p.id where p.report_id = ${report}::uuid group by 1, 2, 3
)`;
const pages =
  (key: RawBuilder<unknown>, which: RawBuilder<unknown> = sql`true`): Statement =>
  (report) =>
    sql`select (${key})::text as key, count(*)::integer as value from ${checks(report)} p where ${which} group by 1`;
const all = sql`'all'`;

const isOpenError = (report: string) => sql`
  f.report_id = ${report} and f.issue_type = 'error' and f.muting_id is null and not f.outside_standard`;

/** Every number of a report that pages, API, exports and the file of a report show: its name, its meaning, its statement. */
export const numbers = {
  errors: { meaning: "Elements with an error, without muted ones.", statement: elements(all, sql`f.counts = 'error'`) },
  warnings: { meaning: "The same of warnings.", statement: elements(all, sql`f.counts = 'warning'`) },
  outside: {
    meaning: "Elements outside of the standard, without muted ones.",
    statement: elements(all, sql`f.counts = 'outside'`),
  },
  errorsByKind: { meaning: "Errors of a kind of check.", statement: elements(sql`f.kind`, sql`f.counts = 'error'`) },
  warningsByKind: { meaning: "Warnings of a kind.", statement: elements(sql`f.kind`, sql`f.counts = 'warning'`) },
  byType: { meaning: "Elements that count as an error, a warning, or neither.", statement: elements(sql`f.counts`) },
  byKind: { meaning: "Errors and warnings of a kind.", statement: elements(sql`f.kind`, isCounted) },
  byImpact: { meaning: "Errors and warnings of an impact.", statement: elements(sql`f.impact`, isCounted) },
  byRole: { meaning: "Errors and warnings that somebody can mend.", statement: elements(sql`f.role`, isCounted) },
  byState: {
    meaning: "Errors and warnings of the report in a state.",
    statement: compared(sql`f.state`, sql`${own} and ${isCounted}`),
  },
  errorsByRole: {
    meaning: "Errors that somebody can mend.",
    statement: elements(sql`f.role`, sql`f.counts = 'error'`),
  },
  errorsBySection: {
    meaning: "Errors in a folder of the site.",
    statement: elements(sql`f.section`, sql`f.counts = 'error'`),
  },
  pagesBySection: { meaning: "Pages in a folder.", statement: pages(sql`p.section`) },
  errorsByState: {
    meaning: "Errors of both runs in a state.",
    statement: compared(sql`f.state`, sql`f.counts = 'error'`),
  },
  warningsByState: {
    meaning: "Warnings of both runs in a state.",
    statement: compared(sql`f.state`, sql`f.counts = 'warning'`),
  },
  mutedByState: { meaning: "What of both runs is muted.", statement: compared(sql`f.state`, isCounted, true) },
  mutedErrors: {
    meaning: "Errors that are muted now.",
    statement: (report) => sql`select 'all' as key, coalesce(sum(how_many), 0)::integer as value from findings
      where report_id = ${report} and muting_id is not null and issue_type = 'error' and not outside_standard`,
  },
  mutedWarnings: {
    meaning: "Warnings that are muted now.",
    statement: (report) => sql`select 'all' as key, coalesce(sum(how_many), 0)::integer as value from findings
      where report_id = ${report} and muting_id is not null and issue_type = 'warning' and not outside_standard`,
  },
  byRule: { meaning: "Elements of a rule.", statement: elements(sql`f.of_rule`) },
  pagesByRule: { meaning: "Pages with an element of a rule.", statement: elements(sql`f.of_rule`, sql`true`, pagesOf) },
  newByRule: {
    meaning: "New elements of a rule.",
    statement: compared(sql`f.of_rule`, sql`${own} and f.state = 'new'`),
  },
  rulesByKind: {
    meaning: "Rules of a kind with errors or warnings.",
    statement: elements(sql`f.kind`, isCounted, sql`count(distinct f.of_rule)`),
  },
  topics: {
    meaning: "What is wrong with errors or warnings, whichever engines find it.",
    statement: elements(all, isCounted, sql`count(distinct ${ofTopic})`),
  },
  byTopic: { meaning: "Elements of all rules about the same thing.", statement: elements(ofTopic) },
  pagesByTopic: { meaning: "Pages with one of them.", statement: elements(ofTopic, sql`true`, pagesOf) },
  outsideRulesByKind: {
    meaning: "Rules of a kind outside of the standard.",
    statement: elements(sql`f.kind`, sql`not ${isCounted}`, sql`count(distinct f.of_rule)`),
  },
  byRuleAndState: {
    meaning: "Elements of a rule in a state, of both runs.",
    statement: compared(sql`concat_ws(' ', f.state, f.of_rule)`),
  },
  byComponent: { meaning: "Elements of a component.", statement: elements(sql`encode(f.component, 'hex')`) },
  pagesByComponent: {
    meaning: "Pages of a component.",
    statement: elements(sql`encode(f.component, 'hex')`, sql`true`, pagesOf),
  },
  byRuleAndComponent: {
    meaning: "Elements of a component that are of a rule.",
    statement: elements(sql`concat_ws(' ', encode(f.component, 'hex'), f.of_rule)`),
  },
  pagesByRuleAndComponent: {
    meaning: "Pages of a component that is of a rule.",
    statement: elements(sql`concat_ws(' ', encode(f.component, 'hex'), f.of_rule)`, sql`true`, pagesOf),
  },
  errorsByPageAndKind: {
    meaning: "Errors of a kind on a page.",
    statement: elements(sql`concat_ws(' ', f.web_page_id, f.kind)`, sql`f.counts = 'error'`),
  },
  warningsByPageAndKind: {
    meaning: "Warnings of a kind on a page.",
    statement: elements(sql`concat_ws(' ', f.web_page_id, f.kind)`, sql`f.counts = 'warning'`),
  },
  newErrorsByPage: {
    meaning: "New errors on a page.",
    statement: compared(sql`f.web_page_id`, sql`${own} and f.state = 'new' and f.counts = 'error'`),
  },
  faultsByPage: {
    meaning: "What there is to mend on a page.",
    statement: elements(sql`f.web_page_id`, sql`true`, sql`count(distinct coalesce(f.fault, f.fingerprint))`),
  },
  faultsByPageAndRole: {
    meaning: "What somebody can mend on a page.",
    statement: elements(
      sql`concat_ws(' ', f.web_page_id, f.role)`,
      sql`true`,
      sql`count(distinct coalesce(f.fault, f.fingerprint))`,
    ),
  },
  found: { meaning: "Pages of the report, also those without a result.", statement: pages(all) },
  pages: { meaning: "Pages that there are.", statement: pages(all, sql`not p.without`) },
  checked: { meaning: "Pages whose checks all have a result.", statement: pages(all, sql`p.checked`) },
  checkedByKind: {
    meaning: "Pages that were checked by a kind.",
    statement: (report) =>
      sql`select kind as key, count(*)::integer as value from checks where report_id = ${report} and status = 'checked' group by 1`,
  },
  notChecked: { meaning: "Pages that could not be checked.", statement: pages(all, sql`p.failed and not p.without`) },
  withoutPage: { meaning: "Addresses that lead to no page.", statement: pages(all, sql`p.without`) },
  checkFailed: { meaning: "Addresses with a check that failed.", statement: pages(all, sql`p.failed`) },
  leftOut: {
    meaning: "Addresses that were left out.",
    statement: (report) =>
      sql`select 'all' as key, count(*)::integer as value from excluded_urls where report_id = ${report}`,
  },
  leftOutByReason: {
    meaning: "Addresses that were left out for a reason.",
    statement: (report) =>
      sql`select reason as key, count(*)::integer as value from excluded_urls where report_id = ${report} group by 1`,
  },
  score: {
    meaning: "The mean of what checked pages have left of 100, rounded down.",
    statement: (report) => sql`
      select 'all' as key, coalesce(floor(avg(100 - least(100, coalesce(lost.points, 0)))), 0)::integer as value from ${checks(report)} p
      left join (
        select web_page_id, sum(case worst.impact when 4 then 10 when 3 then 5 when 2 then 2 else 1 end) as points from (
          select distinct f.web_page_id, coalesce(f.cause, f.component) as cause from findings f where ${isOpenError(report)}
        ) on_page join (
          select coalesce(f.cause, f.component) as cause, max(f.impact_order) as impact from findings f where ${isOpenError(report)} group by 1
        ) worst using (cause) group by 1
      ) lost on lost.web_page_id = p.id
      where p.checked`,
  },
  errorsByCriterion: {
    meaning: "Errors about a success criterion.",
    statement: (report) => sql`
      select concat_ws('.', substr(t.tag, 5, 1), substr(t.tag, 6, 1), substr(t.tag, 7)) as key, sum(f.how_many)::integer as value
      from findings f join issues i on i.id = f.issue_id join common_issues c on c.id = i.common_id, unnest(c.tags) t (tag)
      where ${isOpenError(report)} and t.tag ~ '^wcag[0-9]{3,}$' group by 1`,
  },
  causes: {
    meaning: "Changes that remove all errors: each error has one.",
    statement: (report) => sql`
      select 'all' as key, count(distinct coalesce(f.cause, f.component))::integer as value from findings f where ${isOpenError(report)}`,
  },
  errorsOfCause: {
    meaning: "Errors that the change removes which removes the most.",
    statement: (report) => sql`
      select 'most' as key, max(removed)::integer as value from (
        select sum(f.how_many) as removed from findings f where ${isOpenError(report)} group by coalesce(f.cause, f.component)
      ) causes`,
  },
  errorsByRule: {
    meaning: "Errors of a rule, whatever its messages: between months, what each has fewer or more of is added up.",
    statement: elements(sql`concat_ws(' ', f.kind, f.rule)`, sql`f.counts = 'error'`),
  },
  causesOfCriteria: {
    meaning: "Causes of errors about a success criterion.",
    statement: (report) => sql`
      select 'all' as key, count(distinct coalesce(f.cause, f.component))::integer as value
      from findings f join issues i on i.id = f.issue_id join common_issues c on c.id = i.common_id
      where ${isOpenError(report)} and exists (select from unnest(c.tags) t (tag) where t.tag ~ '^wcag[0-9]{3,}$')`,
  },
  mutedByMuting: {
    meaning: "Elements that a muting silences, of whatever type.",
    statement: (report) => sql`
      select coalesce(f.muting_id::text, 'none') as key, sum(f.how_many)::integer as value
      from findings f where f.report_id = ${report} group by 1`,
  },
  withoutErrors: {
    meaning: "Checked pages without an error.",
    statement: (
      report,
    ) => sql`select 'all' as key, count(*)::integer as value from ${checks(report)} p where p.checked and not exists (
      select from findings f where f.web_page_id = p.id and f.issue_type = 'error' and not f.outside_standard and f.muting_id is null)`,
  },
  withoutIssues: {
    meaning: "Checked pages without an error or a warning.",
    statement: (
      report,
    ) => sql`select 'all' as key, count(*)::integer as value from ${checks(report)} p where p.checked and not exists (
      select from findings f where f.web_page_id = p.id and not f.outside_standard and f.muting_id is null)`,
  },
} as const satisfies Record<string, NumberOf>;

export type NumberName = keyof typeof numbers;
/** The numbers of a report, by name and key; 0 for a key that has no row. */
export type Counted = (name: NumberName, key?: string) => number;

/** Counts every number of a report. */
export async function countAll(db: Kysely<Database>, report: string): Promise<Counted> {
  const found = new Map<string, number>();
  for (const [name, { statement }] of Object.entries(numbers)) {
    const { rows } = await statement(report).execute(db);
    for (const { key, value } of rows) found.set(`${name} ${key}`, value);
  }
  return (name, key = "all") => found.get(`${name} ${key}`) ?? 0;
}
