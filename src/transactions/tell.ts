import type { Kysely } from "kysely";
import { readMonth } from "../database/months/read-month.ts";
import { isFirst, tell, tellReceiver, wasTold } from "../database/receivers/deliveries.ts";
import {
  type KnownSite,
  listLowCredits,
  listReceiversOfMonths,
  readEndedRun,
  readScheduleSite,
} from "../database/receivers/subjects.ts";
import { readCounts } from "../database/reports/check-counts.ts";
import type { Database } from "../database/tables.ts";
import { monthOf } from "../domain/accounts/credits.ts";
import { sumOf } from "../domain/findings/check-counts.ts";
import { stateTotals } from "../domain/findings/finding-state.ts";
import { criteriaOfStandard } from "../domain/findings/judged-criteria.ts";
import { type Month, monthAfter, startOf } from "../domain/months/calendar.ts";
import { monthReport } from "../domain/months/month-report.ts";
import { type MonthTold, monthTold, monthToTell } from "../domain/months/told.ts";
import { eventsOf } from "../domain/notifications/events.ts";

/** Tells those who hear of it that a report has ended, in the transaction that ends it. */
export async function tellEnd(trx: Kysely<Database>, id: string, now: Date): Promise<void> {
  const row = await readEndedRun(trx, id);
  if (!row) return;
  const { failure_code: code, states, pages } = row;
  const isComplete = row.phase === "Complete" && pages !== null;
  const events = eventsOf({
    site: siteOf(row),
    reportId: id,
    failure: code === null ? null : { code, detail: row.failure_detail ?? "" },
    counts: isComplete ? { errors: sumOf(await readCounts(trx, id), "errors"), pages } : null,
    compared: isComplete && states ? stateTotals(states) : null,
    gate: row.passed === null ? null : { passed: row.passed, results: row.gate_results ?? [] },
  });
  await tell(trx, subjectOf(row), events, now);
}

const siteOf = ({ name, url, owner }: KnownSite) => ({ name, url, owner });

const subjectOf = (row: KnownSite) => ({
  ...{ accountId: row.account_id, scheduleId: row.schedule_id },
  site: { ...siteOf(row), tags: row.tags },
});

/** A run that starts so much later than it was due was missed. */
const MISSED_MS = 15 * 60_000;

/** Tells once that a schedule's run did not start in its time. */
export async function tellMissed(trx: Kysely<Database>, scheduleId: string, dueAt: Date, now: Date): Promise<void> {
  if (now.getTime() - dueAt.getTime() <= MISSED_MS) return;
  const row = await readScheduleSite(trx, scheduleId);
  const due_at = dueAt.toISOString();
  if (!row || !(await isFirst(trx, row.account_id, `missed ${scheduleId} ${due_at}`))) return;
  const data = { site: siteOf(row), schedule_id: scheduleId, due_at };
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
      await tell(trx, { accountId, site: null, scheduleId: null }, [{ type: "credits.low", data }], now);
    });
}

/** Tells each receiver once what an account's sites were in a month that has ended, on the 1st in its time zone. */
export async function tellMonths(db: Kysely<Database>, now: Date): Promise<void> {
  const known = new Map<string, MonthTold>();
  for (const receiver of await listReceiversOfMonths(db)) {
    const month = monthToTell(now, receiver.time_zone, receiver.inserted_at);
    const what = `month ${month} ${receiver.id}`;
    if (month === undefined || (await wasTold(db, receiver.account_id, what))) continue;
    const key = `${receiver.account_id} ${month}`;
    const told = known.get(key) ?? (await readTold(db, receiver.account_id, month));
    known.set(key, told);
    await db.transaction().execute(async (trx) => {
      if (!(await isFirst(trx, receiver.account_id, what)) || told.num_sites === 0) return;
      await tellReceiver(trx, receiver.id, { type: "month.ended", data: told }, now);
    });
  }
}

async function readTold(db: Kysely<Database>, accountId: string, month: Month): Promise<MonthTold> {
  const rows = await readMonth(db, { accountId, guestToken: null }, month, startOf(monthAfter(month)));
  const criteria = new Set(criteriaOfStandard("wcag22aa").map(({ number }) => number));
  return monthTold(month, monthReport(month, rows), { numSites: rows.sites.length, criteria });
}
