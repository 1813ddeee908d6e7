import { type Kysely, sql } from "kysely";
import type { StateCount } from "../../domain/finding-state.ts";
import type { Database } from "../tables.ts";

/**
 * Gives each finding of the report its state, and each of the base that was left without a pair. Uses the tables of
 * `pairFindings`.
 */
export async function storeStates(
  trx: Kysely<Database>,
  comparisonId: string,
  reportId: string,
  baseId: string,
): Promise<void> {
  await sql`analyze finding_pairs`.execute(trx);
  await sql`analyze finding_rests`.execute(trx);
  await storePersisting(trx, comparisonId, baseId);
  await sql`
    with ${contexts(reportId, baseId)}, states as (
      select rest.id, rest.amount, rest.is_now, case
        -- What the other one did not look for at all, or had no rule for.
        when not other.performed or ((own.engine, own.incomplete) is distinct from (other.engine, other.incomplete)
          and other.engine is not null and not exists (
            select from rules k where k.is_now <> rest.is_now and k.kind = rest.kind and k.rule = rest.rule
              and k.issue_type = rest.issue_type
          )) then case when rest.is_now then 'new_rule' else 'unknown' end
        when rest.is_now then case when coalesce(page.is_checked, true) then 'new' else 'unknown' end
        when page.is_checked then 'fixed'
        when page.http_status in (404, 410) then 'gone'
        else 'unknown'
      end as state
      from finding_rests rest
      join engines own on own.is_now = rest.is_now and own.kind = rest.kind
      join engines other on other.is_now <> rest.is_now and other.kind = rest.kind
      left join pages page on page.is_now <> rest.is_now and page.kind = rest.kind and page.page_key = rest.page_key
    )
    insert into compared_findings (comparison_id, finding_id, state, how_many, first_seen_at)
    select ${comparisonId}, s.id, s.state, s.amount::integer, ${firstSeenAt}
    from states s join findings f on f.id = s.id ${before(baseId)}`.execute(trx);
  await sql`analyze compared_findings`.execute(trx);
}

/** A paired finding has been there since its pair was. */
async function storePersisting(trx: Kysely<Database>, comparisonId: string, baseId: string): Promise<void> {
  await sql`
    insert into compared_findings (comparison_id, finding_id, state, how_many, first_seen_at)
    select ${comparisonId}, p.now_id, 'persisting', sum(p.amount)::integer, min(${firstSeenAt})
    from finding_pairs p join findings f on f.id = p.base_id ${before(baseId)}
    group by p.now_id`.execute(trx);
}

/** A finding of the base may be part of a chain that is older than the base. */
const before = (baseId: string) => sql`
    left join (
      select finding_id, min(first_seen_at) as first_seen_at from compared_findings
      where comparison_id = (select comparison_id from reports where id = ${baseId}) group by finding_id
    ) before on before.finding_id = f.id`;
const firstSeenAt = sql`coalesce(before.first_seen_at, f.found_at)`;

/** What both reports looked for, with what, and on which pages. */
const contexts = (reportId: string, baseId: string) => sql`
    engines as materialized (
      select r.id = ${reportId}::uuid as is_now, k.kind, (r.spec ->> k.setting)::boolean as performed,
        r.engines -> k.kind as engine, case k.kind when 'a11y' then r.spec -> 'storeIncompleteChecks' end as incomplete
      from reports r
      cross join (values ('html', 'performHtmlChecks'), ('a11y', 'performA11yChecks')) as k (kind, setting)
      where r.id in (${reportId}::uuid, ${baseId}::uuid)
    ), rules as materialized (
      select distinct report_id = ${reportId}::uuid as is_now, kind, rule, issue_type
      from findings where report_id in (${reportId}::uuid, ${baseId}::uuid)
    ), pages as materialized (
      select p.report_id = ${reportId}::uuid as is_now, c.kind, p.page_key,
        bool_or(c.status = 'checked') as is_checked, max(p.http_status) as http_status
      from web_pages p join checks c on c.web_page_id = p.id
      where p.report_id in (${reportId}::uuid, ${baseId}::uuid)
      group by 1, 2, 3
    )`;

/** Counts the elements in each state, without muted ones, and stores the counts with the comparison. */
export async function countStates(trx: Kysely<Database>, comparisonId: string): Promise<StateCount[]> {
  const { rows } = await sql<{ counts: StateCount[] }>`
    update comparisons set counts = (
      select coalesce(json_agg(counted), '[]') from (
        select f.kind, c.state, f.issue_type, f.impact_order, sum(c.how_many)::integer as how_many
        from compared_findings c join findings f on f.id = c.finding_id
        where c.comparison_id = ${comparisonId} and f.muting_id is null
        group by 1, 2, 3, 4 order by 1, 2, 3, 4
      ) counted
    )
    where id = ${comparisonId}
    returning counts`.execute(trx);
  return rows[0]?.counts ?? [];
}

/** Counts anew what is compared with the report, or it with: the mutings of its findings have changed. */
export async function recountComparisons(db: Kysely<Database>, reportId: string): Promise<void> {
  const { rows } = await sql<{ id: string }>`
    select id from comparisons where report_id = ${reportId} or base_id = ${reportId}`.execute(db);
  for (const { id } of rows) await countStates(db, id);
}
