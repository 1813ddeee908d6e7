import { type Kysely, type RawBuilder, sql } from "kysely";
import type { Database } from "../tables.ts";

/**
 * The steps in which findings of two reports are paired, each on what the ones before left: the same finding; on the
 * same page and of the same rule the same element elsewhere, then another element in the same place; and the same
 * element on a page that was renamed.
 */
const steps: { keys: string[]; onlyRenamed?: true }[] = [
  // What `pairUnique` left: several findings of one side share the fingerprint, or their numbers differ.
  { keys: ["fingerprint"] },
  { keys: ["page_key", "kind", "rule", "tag"] },
  { keys: ["page_key", "kind", "rule", "path"] },
  { keys: ["kind", "rule", "tag", "path"], onlyRenamed: true },
];

/**
 * Pairs the elements of two reports' findings, in temporary tables that end with the transaction: `finding_pairs`
 * (now_id, base_id, amount), and `finding_rests` for what has no pair.
 */
export async function pairFindings(trx: Kysely<Database>, reportId: string, baseId: string): Promise<void> {
  await sql`create temp table finding_pairs (step integer, now_id bigint, base_id bigint, amount bigint) on commit drop`.execute(
    trx,
  );
  await pairUnique(trx, reportId, baseId);
  await sql`analyze finding_pairs`.execute(trx);
  await sql`
    create temp table finding_rests on commit drop as
    select f.id, f.report_id = ${reportId}::uuid as is_now, f.fingerprint, p.page_key, f.kind, f.rule, f.issue_type,
      coalesce(f.tag, '') as tag, coalesce(f.path, '') as path,
      f.how_many::bigint as amount
    from findings f join web_pages p on p.id = f.web_page_id
    where f.report_id in (${reportId}::uuid, ${baseId}::uuid)
      and not exists (select from finding_pairs where now_id = f.id)
      and not exists (select from finding_pairs where base_id = f.id)`.execute(trx);
  for (const [index, { keys, onlyRenamed = false }] of steps.entries()) {
    const step = index + 1;
    await sql`analyze finding_rests`.execute(trx);
    const source = onlyRenamed ? onOwnPages(reportId, baseId) : sql`select * from finding_rests`;
    await sql`with source as materialized (${source}) ${insertPairs(step, keys)}`.execute(trx);
    await keepRests(trx, step);
  }
}

/** Most findings: those of which each side has one, with as many elements. */
async function pairUnique(trx: Kysely<Database>, reportId: string, baseId: string): Promise<void> {
  const unique = (id: string) => sql`
    select fingerprint, min(id) as id, min(how_many) as how_many from findings where report_id = ${id}
    group by fingerprint having count(*) = 1`;
  await sql`
    insert into finding_pairs
    select 0, now.id, base.id, now.how_many
    from (${unique(reportId)}) now join (${unique(baseId)}) base using (fingerprint, how_many)`.execute(trx);
}

/** What is on a page that only one of the reports has. */
const onOwnPages = (reportId: string, baseId: string) => sql`
  select r.* from finding_rests r where not exists (
    select from web_pages p where p.page_key = r.page_key
      and p.report_id = case when r.is_now then ${baseId}::uuid else ${reportId}::uuid end
  )`;

/**
 * Within each group of equal keys the elements of both sides are laid side by side, in the order of their findings'
 * ids; each stretch between two ends belongs to one finding of each side. One pass, however large a group is.
 */
function insertPairs(step: number, keys: readonly string[]): RawBuilder<unknown> {
  const columns = sql.join(keys.map((key) => sql.ref(key)));
  return sql`
    , ends as (
      select id, is_now, ${columns}, sum(amount) over (partition by is_now, ${columns} order by id) as place from source
    ), stretches as (
      select min(id) filter (where is_now) over falling as now_id, min(id) filter (where not is_now) over falling as base_id,
        place - coalesce(lead(place) over falling_all, 0) as amount
      from ends
      window falling as (partition by ${columns} order by place desc, is_now rows unbounded preceding),
        falling_all as (partition by ${columns} order by place desc, is_now)
    )
    insert into finding_pairs
    select ${step}::integer, now_id, base_id, amount from stretches where now_id is not null and base_id is not null and amount > 0`;
}

/** Leaves in `finding_rests` what has no pair yet. */
async function keepRests(trx: Kysely<Database>, step: number): Promise<void> {
  await sql`
    create temp table finding_rests_left on commit drop as
    with paired as materialized (
      select id, sum(amount)::bigint as amount from (
        select now_id as id, amount from finding_pairs where step = ${step}
        union all
        select base_id, amount from finding_pairs where step = ${step}
      ) of_step group by id
    )
    select r.id, r.is_now, r.fingerprint, r.page_key, r.kind, r.rule, r.issue_type, r.tag, r.path,
      r.amount - coalesce(paired.amount, 0) as amount
    from finding_rests r left join paired using (id)
    where r.amount > coalesce(paired.amount, 0)`.execute(trx);
  await sql`drop table finding_rests`.execute(trx);
  await sql`alter table finding_rests_left rename to finding_rests`.execute(trx);
}
