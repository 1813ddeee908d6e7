import { type Kysely, sql } from "kysely";
import { checkKinds, manifestOf } from "../../checks/kinds.ts";
import { RULE_PREFIX, rulesByActing, type SiteRuleName, siteRules } from "../../domain/acting/rules.ts";
import { type ComparedCounts, unpairedStates } from "../../domain/findings/finding-state.ts";
import type { Database } from "../tables.ts";

/**
 * Stores the state of each finding of the report, and of each unpaired finding of the base. Uses the tables of
 * `pairFindings`.
 */
export async function storeStates(
  trx: Kysely<Database>,
  comparisonId: string,
  reportId: string,
  baseId: string,
): Promise<void> {
  await sql`analyze finding_pairs`.execute(trx);
  await sql`analyze unpaired_findings`.execute(trx);
  await storePersisting(trx, comparisonId, baseId);
  await sql`
    with ${contexts(reportId, baseId)}, facts as (
      select unpaired.id, unpaired.amount, unpaired.is_now, other.performed, changed.engine,
        changed.engine = 'changed' and exists (
          select from rules k where k.is_now <> unpaired.is_now and k.kind = unpaired.kind and k.rule = unpaired.rule
            and k.issue_type = unpaired.issue_type
        ) as has_rule,
        case when page.is_checked and case
            when unpaired.rule = ${WAYS} then page.ways_compared
            when unpaired.rule = any(${siteRules}::text[]) then page.is_compared
            when unpaired.rule = any(${rulesByActing}::text[]) then page.is_acted
            else page.is_read or not starts_with(unpaired.rule, ${RULE_PREFIX}) end then 'checked' when page.http_status in (404, 410) then 'gone'
          when page.page_key is not null then 'failed' else 'none' end as page
      from unpaired_findings unpaired
      join engines own on own.is_now = unpaired.is_now and own.kind = unpaired.kind
      join engines other on other.is_now <> unpaired.is_now and other.kind = unpaired.kind
      cross join lateral (select case
        -- Nothing was checked by it.
        when other.engine is null then 'same'
        when own.engine ->> 'name' <> other.engine ->> 'name' then 'another'
        when (own.engine, own.incomplete) is distinct from (other.engine, other.incomplete) then 'changed'
        else 'same' end as engine) changed
      left join pages page on page.is_now <> unpaired.is_now and page.kind = unpaired.kind and page.page_key = unpaired.page_key
    ), states as (
      select id, amount, is_now,
        ${stateTable}::jsonb ->> concat_ws(' ', is_now, performed, engine, has_rule, page) as state from facts
    )
    insert into compared_findings (comparison_id, finding_id, state, how_many, first_seen_at)
    select ${comparisonId}, s.id, s.state, s.amount::integer, ${firstSeenAt}
    from states s join findings f on f.id = s.id and f.report_id in (${reportId}::uuid, ${baseId}::uuid) ${before(baseId)}`.execute(
    trx,
  );
  // Does not wait for maintenance of the table or for another comparison: each holds its lock until it ends.
  await sql`analyze (skip_locked) compared_findings`.execute(trx);
}

/** A paired finding was first seen when its pair was. */
async function storePersisting(trx: Kysely<Database>, comparisonId: string, baseId: string): Promise<void> {
  await sql`
    insert into compared_findings (comparison_id, finding_id, state, how_many, first_seen_at)
    select ${comparisonId}, p.now_id, 'persisting', sum(p.amount)::integer, min(${firstSeenAt})
    from finding_pairs p join findings f on f.id = p.base_id and f.report_id = ${baseId}::uuid ${before(baseId)}
    group by p.now_id`.execute(trx);
}

/** A finding of the base may have been found in reports before the base. */
const before = (baseId: string) => sql`
    left join (
      select finding_id, min(first_seen_at) as first_seen_at from compared_findings
      where comparison_id = (select comparison_id from reports where id = ${baseId}) group by finding_id
    ) before on before.finding_id = f.id`;
const firstSeenAt = sql`coalesce(before.first_seen_at, f.found_at)`;

/** The states of findings without a pair by what is known of them, each as one text. */
const stateTable = JSON.stringify(
  Object.fromEntries(
    unpairedStates().map(({ isOwn, isPerformed, engine, hasRule, page, state }) => {
      const [own, performed, rule] = [isOwn, isPerformed, hasRule].map((is) => (is ? "t" : "f"));
      return [[own, performed, engine, rule, page].join(" "), state];
    }),
  ),
);

/** The rule that needs all pages of a site. */
const WAYS: SiteRuleName = "sv-one-way";

/** Each kind of check with the settings that say whether a report performs it, and keeps what people must review. */
const settings = sql.join(
  checkKinds.map((kind) => {
    const { perform, incomplete = null } = manifestOf(kind).settings;
    return sql`(${kind}, ${perform}, ${incomplete}::text)`;
  }),
);

/** What both reports looked for, with which engines, and on which pages. */
const contexts = (reportId: string, baseId: string) => sql`
    engines as materialized (
      select r.id = ${reportId}::uuid as is_now, k.kind, (r.spec ->> k.setting)::boolean as performed,
        r.engines -> k.kind as engine, r.spec -> k.reviewed as incomplete
      from reports r
      cross join (values ${settings}) as k (kind, setting, reviewed)
      where r.id in (${reportId}::uuid, ${baseId}::uuid)
    ), rules as materialized (
      select distinct report_id = ${reportId}::uuid as is_now, kind, rule, issue_type
      from findings where report_id in (${reportId}::uuid, ${baseId}::uuid)
    ), pages as materialized (
      select p.report_id = ${reportId}::uuid as is_now, c.kind, p.page_key,
        bool_or(c.status = 'checked') as is_checked,
        -- What only acting finds is neither new nor fixed where it was not done, or ended early.
        bool_and(not p.like_others and acting.is_whole) as is_acted, bool_and(acting.is_whole) as is_read,
        bool_and(coalesce(f.compared, false)) as is_compared, bool_and(coalesce(f.ways_compared, false)) as ways_compared,
        max(p.http_status) as http_status
      from web_pages p join checks c on c.web_page_id = p.id and c.report_id in (${reportId}::uuid, ${baseId}::uuid)
      left join page_facts f on f.web_page_id = p.id
      cross join lateral (select not exists (
        select from report_notices n where n.report_id = p.report_id and n.url = p.url and n.code in ('not_acted', 'acted_in_part')
      ) as is_whole) acting
      where p.report_id in (${reportId}::uuid, ${baseId}::uuid)
      group by 1, 2, 3
    )`;

/**
 * Counts the elements in each state, and stores the counts: those of all but what is outside of the standard with the
 * comparison, muted ones apart, those of each common issue of the report and of each rule of both, and the pages' new
 * errors. The findings are read once for all.
 */
export async function countStates(trx: Kysely<Database>, comparisonId: string): Promise<ComparedCounts> {
  for (const table of ["compared_issues", "compared_pages", "compared_rules"] as const)
    await trx.deleteFrom(table).where("comparison_id", "=", comparisonId).execute();
  // The issue belongs to the report that is compared: so its issues are found by an index.
  const ofReport = sql`elements e join issues i on i.id = e.issue_id and i.common_id = any(array(
        select id from common_issues where report_id = (select report_id from comparisons where id = ${comparisonId})
      )) where e.is_own`;
  const totals = (isMuted: boolean) => sql`(
      select coalesce(json_agg(counted), '[]') from (
        select kind, state, issue_type, impact_order, sum(how_many)::integer as how_many
        from elements where is_muted = ${isMuted} and not outside_standard
        group by 1, 2, 3, 4 order by 1, 2, 3, 4
      ) counted
    )`;
  const { rows } = await sql<ComparedCounts>`
    with elements as materialized (
      select f.kind, f.report_id = k.report_id as is_own, f.issue_id, f.web_page_id, f.rule, f.muting_id is not null as is_muted,
        f.issue_type, f.impact_order, f.outside_standard, c.state, sum(c.how_many) as how_many, min(c.first_seen_at) as first_seen_at
      from comparisons k
      join compared_findings c on c.comparison_id = k.id
      join findings f on f.id = c.finding_id and f.report_id = any(array(
        select unnest(array[report_id, base_id]) from comparisons where id = ${comparisonId}
      ))
      where k.id = ${comparisonId}
      group by 1, 2, 3, 4, 5, 6, 7, 8, 9, 10
    ), of_issues as (
      insert into compared_issues (comparison_id, common_id, is_muted, state, how_many, first_seen_at)
      select ${comparisonId}::bigint, i.common_id, e.is_muted, e.state, sum(e.how_many)::integer, min(e.first_seen_at)
      from ${ofReport}
      group by 2, 3, 4
    ), of_pages as (
      insert into compared_pages (comparison_id, web_page_id, new_errors)
      select ${comparisonId}::bigint, i.web_page_id, sum(e.how_many)::integer
      from ${ofReport} and e.state = 'new' and e.issue_type = 'error' and not e.is_muted and not e.outside_standard
      group by 2
    ), of_rules as (
      insert into compared_rules (comparison_id, kind, rule, issue_type, outside_standard, state, is_muted, impact_order,
        message, how_many, num_pages, first_seen_at)
      select ${comparisonId}::bigint, e.kind, e.rule, e.issue_type, e.outside_standard, e.state, e.is_muted, max(e.impact_order),
        case when min(i.message) = max(i.message) then min(i.message) end,
        sum(e.how_many)::integer, count(distinct e.web_page_id)::integer, min(e.first_seen_at)
      from elements e join issues i on i.id = e.issue_id and i.common_id = any(array(
          select id from common_issues where report_id = any(array(
            select unnest(array[report_id, base_id]) from comparisons where id = ${comparisonId}
          ))
        )) group by 2, 3, 4, 5, 6, 7
    )
    update comparisons set issues_counted = true, counts = ${totals(false)}, muted_counts = ${totals(true)}
    where id = ${comparisonId}
    returning counts, muted_counts as "mutedCounts"`.execute(trx);
  return rows[0] ?? { counts: [], mutedCounts: [] };
}
