import { type Kysely, sql } from "kysely";
import { impacts } from "../../domain/findings/findings.ts";
import { FULL_SCORE, losses } from "../../domain/score.ts";
import { causeOfFinding } from "../findings/causes.ts";
import type { Database } from "../tables.ts";

const loss = sql`case impact ${sql.join(
  impacts.map((impact, index) => sql`when ${sql.lit(index + 1)} then ${sql.lit(losses[impact])}`),
  sql` `,
)} else ${sql.lit(losses.none)} end`;

/** Stores what each page of a report loses for the causes of errors on it, without muted ones: only pages that lose something. */
export async function storePageLosses(trx: Kysely<Database>, reportId: string): Promise<void> {
  await sql`delete from page_losses where report_id = ${reportId}`.execute(trx);
  await sql`
    insert into page_losses (web_page_id, report_id, lost)
    select page, ${reportId}, least(${FULL_SCORE}::integer, sum(${loss}))::integer from (
      select ${causeOfFinding} as cause, array_agg(distinct f.web_page_id) as pages, max(coalesce(f.impact_order, 0)) as impact
      from findings f where f.report_id = ${reportId} and f.issue_type = 'error' and f.muting_id is null and not f.outside_standard
      group by 1
    ) causes, unnest(pages) as page group by 1`.execute(trx);
}

/** What pages lost that two reports both checked, by their addresses. */
export type LostOnSamePages = { pages: number; before: number; now: number };

export async function lostOnSamePages(
  db: Kysely<Database>,
  { before, now }: { before: string; now: string },
): Promise<LostOnSamePages> {
  // Each report's are read as a whole, and then joined: PostgreSQL takes pages of the same address for few, and would look up each.
  const checked = (report: string) => sql`
    select w.url, w.device, w.state, coalesce(l.lost, 0) as lost from web_pages w
    left join (select web_page_id, lost from page_losses where report_id = ${report}) l on l.web_page_id = w.id
    left join (
      select web_page_id, bool_and(status = 'checked') as is_checked from checks where report_id = ${report} group by 1
    ) k on k.web_page_id = w.id
    where w.report_id = ${report} and coalesce(k.is_checked, true)`;
  const { rows } = await sql<LostOnSamePages>`
    with a as materialized (${checked(before)}), b as materialized (${checked(now)})
    select count(*)::integer as pages, coalesce(sum(a.lost), 0)::integer as before, coalesce(sum(b.lost), 0)::integer as now
    from a join b on a.url = b.url and a.device is not distinct from b.device and a.state is not distinct from b.state`.execute(
    db,
  );
  return rows[0] ?? { pages: 0, before: 0, now: 0 };
}
