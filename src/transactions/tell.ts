import { type Kysely, sql } from "kysely";
import { readCounts } from "../database/reports/check-counts.ts";
import { isFirst, tell } from "../database/receivers/deliveries.ts";
import type { Database } from "../database/tables.ts";
import { monthOf } from "../domain/accounts/credits.ts";
import type { FailureCode } from "../domain/failure.ts";
import { sumOf } from "../domain/findings/check-counts.ts";
import { type StateCount, stateTotals } from "../domain/findings/finding-state.ts";
import type { GateResult } from "../domain/findings/gate.ts";
import { eventsOf } from "../domain/notifications/events.ts";
import { type Digest, digestTimes } from "../domain/notifications/receivers.ts";
import { nextRunTime } from "../domain/schedules/schedule-times.ts";

type Site = { account_id: string; url: string; name: string | null; tags: string[] };

/** What is said of the site that starts at an address: by its guest, or by the account. */
const named = sql`
  left join sites site on site.account_id = r.account_id and site.guest_token = coalesce(r.guest_token, '')
    and site.starting_url = r.starting_url`;

/** Tells those who hear of it that a report has ended, in the transaction that ends it. */
export async function tellEnd(trx: Kysely<Database>, id: string, now: Date): Promise<void> {
  if (!(await hasReceivers(trx, id))) return;
  type Row = Site & {
    phase: string;
    failure_code: FailureCode | null;
    failure_detail: string | null;
    passed: boolean | null;
    gate_results: GateResult[] | null;
    pages: { checked: number; failed: number } | null;
    states: StateCount[] | null;
  };
  const { rows } = await sql<Row>`
    select r.account_id, r.starting_url as url, site.name, coalesce(site.tags, '{}') as tags, r.phase, r.failure_code,
      r.failure_detail, r.passed, r.gate_results, e.pages_now as pages, c.counts as states
    from reports r ${named}
    left join report_ends e on e.report_id = r.id
    left join comparisons c on c.id = r.comparison_id
    where r.id = ${id} and r.deleted_at is null`.execute(trx);
  const [row] = rows;
  if (!row) return;
  const { account_id: accountId, url, name, tags, failure_code: code, states, pages } = row;
  const isComplete = row.phase === "Complete" && pages !== null;
  const events = eventsOf({
    site: { name, url },
    reportId: id,
    failure: code === null ? null : { code, detail: row.failure_detail ?? "" },
    counts: isComplete ? { errors: sumOf(await readCounts(trx, id), "errors"), pages } : null,
    compared: isComplete && states ? stateTotals(states) : null,
    gate: row.passed === null ? null : { passed: row.passed, results: row.gate_results ?? [] },
  });
  await tell(trx, { accountId, site: { name, url, tags } }, events, { now, digestAt });
}

async function hasReceivers(trx: Kysely<Database>, reportId: string): Promise<boolean> {
  const { rows } = await sql`
    select from receivers v join reports r on r.account_id = v.account_id where r.id = ${reportId} limit 1`.execute(trx);
  return rows.length > 0;
}

/** A run that starts so much later than it was due was missed. */
const MISSED_MS = 15 * 60_000;

/** Tells once that a schedule's run did not start in its time. */
export async function tellMissed(trx: Kysely<Database>, scheduleId: string, dueAt: Date, now: Date): Promise<void> {
  if (now.getTime() - dueAt.getTime() <= MISSED_MS) return;
  const { rows } = await sql<Site>`
    select r.account_id, r.starting_url as url, site.name, coalesce(site.tags, '{}') as tags
    from schedules r ${named} where r.id = ${scheduleId}`.execute(trx);
  const [row] = rows;
  const due_at = dueAt.toISOString();
  if (!row || !(await isFirst(trx, row.account_id, `missed ${scheduleId} ${due_at}`))) return;
  const { account_id: accountId, url, name, tags } = row;
  const data = { site: { name, url }, schedule_id: scheduleId, due_at };
  await tell(trx, { accountId, site: { name, url, tags } }, [{ type: "schedule.missed", data }], { now, digestAt });
}

/** When so many of a hundred pages of a month are used, few are left. */
const LOW_PERCENT = 80;

/** Tells once a month that most of an account's pages are used. */
export async function tellLowCredits(db: Kysely<Database>, now: Date): Promise<void> {
  const month = monthOf(now);
  const { rows } = await sql<{ account_id: string; used: number; limit: number }>`
    select a.id as account_id, u.charged as used, a.monthly_credits as limit
    from accounts a join credit_usage u on u.account_id = a.id and u.guest_token = '' and u.month = ${month}::date
    where a.monthly_credits > 0 and u.charged * 100 >= a.monthly_credits * ${LOW_PERCENT}
      and exists (select from receivers v where v.account_id = a.id)
      and not exists (select from told_once t where t.account_id = a.id and t.what = 'credits ' || ${month})`.execute(db);
  for (const { account_id: accountId, used, limit } of rows)
    await db.transaction().execute(async (trx) => {
      if (!(await isFirst(trx, accountId, `credits ${month}`))) return;
      const data = { month: month.slice(0, 7), used, limit };
      await tell(trx, { accountId, site: null }, [{ type: "credits.low", data }], { now, digestAt });
    });
}

/** When a message that is collected from now on is due. */
function digestAt({ digest, time_zone }: { digest: Digest; time_zone: string }, now: Date): Date {
  return digest === "none" ? now : (nextRunTime(digestTimes(digest, time_zone), "", now) ?? now);
}
