import type { Kysely } from "kysely";
import { isFirst, tell } from "../database/receivers/deliveries.ts";
import { type KnownSite, listLowCredits, readEndedRun, readScheduleSite } from "../database/receivers/subjects.ts";
import { readCounts } from "../database/reports/check-counts.ts";
import type { Database } from "../database/tables.ts";
import { monthOf } from "../domain/accounts/credits.ts";
import { sumOf } from "../domain/findings/check-counts.ts";
import { stateTotals } from "../domain/findings/finding-state.ts";
import { eventsOf } from "../domain/notifications/events.ts";

/** Tells those who hear of it that a report has ended, in the transaction that ends it. */
export async function tellEnd(trx: Kysely<Database>, id: string, now: Date): Promise<void> {
  const row = await readEndedRun(trx, id);
  if (!row) return;
  const { failure_code: code, states, pages } = row;
  const isComplete = row.phase === "Complete" && pages !== null;
  const events = eventsOf({
    site: { name: row.name, url: row.url },
    reportId: id,
    failure: code === null ? null : { code, detail: row.failure_detail ?? "" },
    counts: isComplete ? { errors: sumOf(await readCounts(trx, id), "errors"), pages } : null,
    compared: isComplete && states ? stateTotals(states) : null,
    gate: row.passed === null ? null : { passed: row.passed, results: row.gate_results ?? [] },
  });
  await tell(trx, subjectOf(row), events, now);
}

const subjectOf = ({ account_id: accountId, url, name, tags }: KnownSite) => ({ accountId, site: { name, url, tags } });

/** A run that starts so much later than it was due was missed. */
const MISSED_MS = 15 * 60_000;

/** Tells once that a schedule's run did not start in its time. */
export async function tellMissed(trx: Kysely<Database>, scheduleId: string, dueAt: Date, now: Date): Promise<void> {
  if (now.getTime() - dueAt.getTime() <= MISSED_MS) return;
  const row = await readScheduleSite(trx, scheduleId);
  const due_at = dueAt.toISOString();
  if (!row || !(await isFirst(trx, row.account_id, `missed ${scheduleId} ${due_at}`))) return;
  const data = { site: { name: row.name, url: row.url }, schedule_id: scheduleId, due_at };
  await tell(trx, subjectOf(row), [{ type: "schedule.missed", data }], now);
}

/** When so many of a hundred pages of a month are used, few are left. */
const LOW_PERCENT = 80;

/** Tells once a month that most of an account's pages are used. */
export async function tellLowCredits(db: Kysely<Database>, now: Date): Promise<void> {
  const month = monthOf(now);
  for (const { account_id: accountId, used, limit } of await listLowCredits(db, { month, percent: LOW_PERCENT }))
    await db.transaction().execute(async (trx) => {
      if (!(await isFirst(trx, accountId, `credits ${month}`))) return;
      const data = { month: month.slice(0, 7), used, limit };
      await tell(trx, { accountId, site: null }, [{ type: "credits.low", data }], now);
    });
}
