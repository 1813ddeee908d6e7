import { type Kysely, sql } from "kysely";
import type { FailureCode } from "../../domain/failure.ts";
import type { StateCount } from "../../domain/findings/finding-state.ts";
import type { GateResult } from "../../domain/findings/gate.ts";
import type { EventType } from "../../domain/notifications/events.ts";
import { holderOfSite } from "../findings/assignments.ts";
import { causeOfFinding } from "../findings/causes.ts";
import type { Database } from "../tables.ts";

/** A site with what people say of it: its guest, or the account. */
export type KnownSite = {
  account_id: string;
  url: string;
  name: string | null;
  /** The name of who has it. */
  owner: string | null;
  tags: string[];
  /** The schedule that it is about; null for a run that none started. */
  schedule_id: string | null;
};

/** Of the rows `r`, which have an account, a guest and a starting URL. */
const site = sql`r.account_id, r.starting_url as url, site.name, held.owner, coalesce(site.tags, '{}') as tags`;
const named = sql`
  left join sites site on site.account_id = r.account_id and site.guest_token = coalesce(r.guest_token, '')
    and site.starting_url = r.starting_url
  ${holderOfSite(sql`r.account_id`, sql`r.guest_token`, sql`r.starting_url`)}`;

/** A report that has ended, as its receivers hear of it. */
export type EndedRunRow = KnownSite & {
  phase: string;
  guest_token: string | null;
  comparison_id: string | null;
  failure_code: FailureCode | null;
  failure_detail: string | null;
  passed: boolean | null;
  gate_results: GateResult[] | null;
  /** How many pages are how; null for a report that failed. */
  pages: { checked: number; failed: number } | null;
  /** What its comparison counted, if it has one. */
  states: StateCount[] | null;
};

/** @returns undefined when nobody hears of the account's reports, or the report is deleted */
export async function readEndedRun(db: Kysely<Database>, id: string): Promise<EndedRunRow | undefined> {
  const { rows } = await sql<EndedRunRow>`
    select ${site}, r.guest_token, r.comparison_id, r.schedule_id, r.phase, r.failure_code, r.failure_detail, r.passed, r.gate_results, e.pages_now as pages,
      c.counts as states
    from reports r ${named}
    left join report_ends e on e.report_id = r.id
    left join comparisons c on c.id = r.comparison_id
    where r.id = ${id} and r.deleted_at is null and exists (select from receivers v where v.account_id = r.account_id)`.execute(
    db,
  );
  return rows[0];
}

/** New errors of a report with one cause. */
export type NewCauseRow = {
  id: string;
  /** One with the worst impact, which stands for all of them. */
  finding_id: string;
  new: number;
  pages: number;
  impact_order: number | null;
  /** The section that all pages with the cause are in; null for several. */
  section: string | null;
};

/** The causes with the most new errors, without muted ones and what a new version of an engine finds. */
export async function listNewCauses(
  db: Kysely<Database>,
  { reportId, comparisonId }: { reportId: string; comparisonId: string },
  limit: number,
): Promise<NewCauseRow[]> {
  const isError = sql`f.issue_type = 'error' and f.muting_id is null and not f.outside_standard`;
  const { rows } = await sql<NewCauseRow>`
    with new_causes as materialized (
      select ${causeOfFinding} as cause, sum(c.how_many)::integer as new, count(distinct f.web_page_id)::integer as pages,
        max(f.impact_order)::integer as impact_order, (array_agg(f.id order by coalesce(f.impact_order, 0) desc, f.id))[1] as finding_id
      from compared_findings c join findings f on f.id = c.finding_id and f.report_id = ${reportId}
      where c.comparison_id = ${comparisonId}::bigint and c.state = 'new' and ${isError}
      group by 1 order by new desc, cause limit ${limit}
    )
    select encode(n.cause, 'hex') as id, n.finding_id, n.new, n.pages, n.impact_order, (
      select case when min(p.section) = max(p.section) then min(p.section) end
      from findings f join web_pages p on p.id = f.web_page_id and p.report_id = ${reportId}
      where f.report_id = ${reportId} and (f.cause = n.cause or (f.cause is null and f.component = n.cause)) and ${isError}
    ) as section
    from new_causes n order by n.new desc, n.cause`.execute(db);
  return rows;
}

/** The site of a schedule. */
export async function readScheduleSite(db: Kysely<Database>, id: string): Promise<KnownSite | undefined> {
  const { rows } =
    await sql<KnownSite>`select ${site}, r.id as schedule_id from schedules r ${named} where r.id = ${id}`.execute(db);
  return rows[0];
}

/** Accounts with receivers that have used so much of a month's credits, and have not been told. */
export async function listLowCredits(
  db: Kysely<Database>,
  { month, percent }: { month: string; percent: number },
): Promise<{ account_id: string; used: number; limit: number }[]> {
  const { rows } = await sql<{ account_id: string; used: number; limit: number }>`
    select a.id as account_id, u.charged as used, a.monthly_credits as limit
    from accounts a join credit_usage u on u.account_id = a.id and u.guest_token = '' and u.month = ${month}::date
    where a.monthly_credits > 0 and u.charged::bigint * 100 >= a.monthly_credits::bigint * ${percent}
      and exists (select from receivers v where v.account_id = a.id)
      and not exists (select from told_once t where t.account_id = a.id and t.what = 'credits ' || ${month})`.execute(
    db,
  );
  return rows;
}

/** The receivers that hear of months. */
export async function listReceiversOfMonths(
  db: Kysely<Database>,
): Promise<{ id: string; account_id: string; time_zone: string; inserted_at: Date }[]> {
  const type: EventType = "month.ended";
  return db
    .selectFrom("receivers")
    .select(["id", "account_id", "time_zone", "inserted_at"])
    .where(sql<boolean>`${type} = any(events)`)
    .orderBy("account_id")
    .orderBy("id")
    .execute();
}
