import { type Kysely, sql } from "kysely";
import { checkKinds, manifestOf } from "../../checks/kinds.ts";
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
    with ${contexts(reportId, baseId)}, states as (
      select unpaired.id, unpaired.amount, unpaired.is_now, case
        -- What the other one did not look for at all, or with another engine, or had no rule for.
        when not other.performed or own.engine ->> 'name' <> other.engine ->> 'name' or ((own.engine, own.incomplete) is distinct from (other.engine, other.incomplete)
          and other.engine is not null and not exists (
            select from rules k where k.is_now <> unpaired.is_now and k.kind = unpaired.kind and k.rule = unpaired.rule
              and k.issue_type = unpaired.issue_type
          )) then case when unpaired.is_now then 'new_rule' else 'unknown' end
        when unpaired.is_now then case when coalesce(page.is_checked, true) then 'new' else 'unknown' end
        when page.is_checked then 'fixed'
        when page.http_status in (404, 410) then 'gone'
        else 'unknown'
      end as state
      from unpaired_findings unpaired
      join engines own on own.is_now = unpaired.is_now and own.kind = unpaired.kind
      join engines other on other.is_now <> unpaired.is_now and other.kind = unpaired.kind
      left join pages page on page.is_now <> unpaired.is_now and page.kind = unpaired.kind and page.page_key = unpaired.page_key
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
        bool_or(c.status = 'checked') as is_checked, max(p.http_status) as http_status
      from web_pages p join checks c on c.web_page_id = p.id and c.report_id in (${reportId}::uuid, ${baseId}::uuid)
      where p.report_id in (${reportId}::uuid, ${baseId}::uuid)
      group by 1, 2, 3
    )`;
