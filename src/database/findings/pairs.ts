import { type Kysely, type RawBuilder, sql } from "kysely";
import { firstStepOfPages, pairingSteps } from "../../domain/findings/pairing.ts";
import { digest } from "../../domain/identity/digest.ts";
import { pageKey } from "../../domain/identity/page-key.ts";
import type { Database } from "../tables.ts";

/**
 * Pairs the elements of two reports' findings by `pairingSteps`, in temporary tables that end with the transaction: `finding_pairs`
 * (now_id, base_id, amount), and `unpaired_findings` for what has no pair.
 *
 * @param onStep called before each step with the share of them that is done
 */
export async function pairFindings(
  trx: Kysely<Database>,
  reportId: string,
  baseId: string,
  onStep: (share: number) => Promise<void>,
): Promise<void> {
  await sql`create temp table finding_pairs (step integer, now_id bigint, base_id bigint, amount bigint) on commit drop`.execute(
    trx,
  );
  if (reportId === baseId) await pairWithItself(trx, reportId);
  else await pairUnique(trx, reportId, baseId);
  await sql`analyze finding_pairs`.execute(trx);
  await sql`
    create temp table unpaired_findings on commit drop as
    select f.id, f.report_id = ${reportId}::uuid as is_now, f.fingerprint, p.page_key, f.kind, f.rule, f.issue_type,
      coalesce(f.tag, '') as tag, coalesce(f.path, '') as path,
      f.how_many::bigint as amount
    from findings f join web_pages p on p.id = f.web_page_id and p.report_id in (${reportId}::uuid, ${baseId}::uuid)
    where f.report_id in (${reportId}::uuid, ${baseId}::uuid)
      and not exists (select from finding_pairs where now_id = f.id)
      and not exists (select from finding_pairs where base_id = f.id)`.execute(trx);
  for (const [index, { keys, onlyRenamed = false }] of pairingSteps.entries()) {
    const step = index + 1;
    await onStep(step / (pairingSteps.length + 1));
    await sql`analyze unpaired_findings`.execute(trx);
    if (index === firstStepOfPages) await followRenamedPages(trx, reportId, baseId);
    const source = onlyRenamed ? onOwnPages(reportId, baseId) : sql`select * from unpaired_findings`;
    await sql`with source as materialized (${source}) ${insertPairs(step, keys)}`.execute(trx);
    await keepUnpaired(trx, step);
  }
}

async function pairWithItself(trx: Kysely<Database>, reportId: string): Promise<void> {
  await sql`insert into finding_pairs select 0, id, id, how_many from findings where report_id = ${reportId}`.execute(
    trx,
  );
}

/** Pairs most findings: those of which each side has exactly one, with the same number of elements. */
async function pairUnique(trx: Kysely<Database>, reportId: string, baseId: string): Promise<void> {
  await sql`
    insert into finding_pairs
    select 0, min(id) filter (where is_now), min(id) filter (where not is_now), min(how_many)
    from (
      select id, report_id = ${reportId}::uuid as is_now, fingerprint, how_many from findings
      where report_id in (${reportId}::uuid, ${baseId}::uuid)
    ) both_reports
    group by fingerprint
    having count(*) filter (where is_now) = 1 and count(*) = 2 and min(how_many) = max(how_many)`.execute(trx);
}

/**
 * Gives the base's findings on a renamed page the key of the new page. Of the pages that only one of the reports has,
 * two are the same page when they share a fault that no other has. A template's fault is on many pages, and identifies
 * none.
 */
async function followRenamedPages(trx: Kysely<Database>, reportId: string, baseId: string): Promise<void> {
  await sql`
    with faults as (
      select distinct is_now, page_key, kind, rule, tag, path from (${onOwnPages(reportId, baseId)}) own
    ), unique_faults as (
      select (array_agg(page_key) filter (where is_now))[1] as now_page,
        (array_agg(page_key) filter (where not is_now))[1] as base_page
      from faults group by kind, rule, tag, path
      having count(*) filter (where is_now) = 1 and count(*) filter (where not is_now) = 1
    ), votes as (
      select now_page, base_page, count(*) as votes from unique_faults group by 1, 2
    ), best as (
      select distinct on (base_page) * from votes order by base_page, votes desc, now_page
    ), renamed as (
      select distinct on (now_page) now_page, base_page from best order by now_page, votes desc, base_page
    )
    update unpaired_findings r set page_key = renamed.now_page
    from renamed where not r.is_now and r.page_key = renamed.base_page`.execute(trx);
}

/** The unpaired findings on pages that only one of the reports has. */
const onOwnPages = (reportId: string, baseId: string) => sql`
  select r.* from unpaired_findings r where not exists (
    select from web_pages p where p.page_key = r.page_key and p.report_id in (${reportId}::uuid, ${baseId}::uuid)
      and p.report_id = case when r.is_now then ${baseId}::uuid else ${reportId}::uuid end
  )`;

/**
 * Within each group of equal keys, the elements of both sides are laid side by side in the order of their findings'
 * ids; each stretch between two boundaries belongs to one finding of each side. One pass, however large a group is.
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

/** Leaves in `unpaired_findings` what has no pair yet. */
async function keepUnpaired(trx: Kysely<Database>, step: number): Promise<void> {
  await sql`
    create temp table still_unpaired on commit drop as
    with paired as materialized (
      select id, sum(amount)::bigint as amount from (
        select now_id as id, amount from finding_pairs where step = ${step}
        union all
        select base_id, amount from finding_pairs where step = ${step}
      ) of_step group by id
    )
    select r.id, r.is_now, r.fingerprint, r.page_key, r.kind, r.rule, r.issue_type, r.tag, r.path,
      r.amount - coalesce(paired.amount, 0) as amount
    from unpaired_findings r left join paired using (id)
    where r.amount > coalesce(paired.amount, 0)`.execute(trx);
  await sql`drop table unpaired_findings`.execute(trx);
  await sql`alter table still_unpaired rename to unpaired_findings`.execute(trx);
}

const BATCH = 5_000;

/** Stores the keys of a report's pages, which identify a page in every run of its site. Safe to repeat. */
export async function storePageKeys(db: Kysely<Database>, reportId: string): Promise<void> {
  const { spec } = await db.selectFrom("reports").select("spec").where("id", "=", reportId).executeTakeFirstOrThrow();
  for (;;) {
    const { rows } = await sql<{ id: string; url: string }>`
      select id, url from web_pages where report_id = ${reportId} and page_key is null order by id limit ${BATCH}`.execute(
      db,
    );
    const keys = rows.map(({ url }) => digest([pageKey(url, spec)]));
    await sql`
      update web_pages p set page_key = decode(x.key, 'hex')
      from unnest(${rows.map(({ id }) => id)}::bigint[], ${keys}::text[]) as x(id, key)
      where p.id = x.id and p.report_id = ${reportId}`.execute(db);
    if (rows.length < BATCH) return;
  }
}
