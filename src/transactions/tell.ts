import type { Kysely } from "kysely";
import { type Assignments, readAssignments, saidOf } from "../database/findings/assignments.ts";
import { readCauses } from "../database/findings/causes.ts";
import { readFindings } from "../database/findings/findings.ts";
import { findMonthFile } from "../database/months/month-files.ts";
import { readMonth } from "../database/months/read-month.ts";
import { isFirst, tell, tellReceiver, wasTold } from "../database/receivers/deliveries.ts";
import {
  type EndedRunRow,
  type KnownSite,
  listLowCredits,
  listNewCauses,
  listReceiversOfMonths,
  readEndedRun,
  readScheduleSite,
} from "../database/receivers/subjects.ts";
import { readCounts } from "../database/reports/check-counts.ts";
import type { Database } from "../database/tables.ts";
import { monthOf } from "../domain/accounts/credits.ts";
import { isLeft, nearest } from "../domain/causes/assignment.ts";
import { cutTo } from "../domain/cut-to.ts";
import { sumOf } from "../domain/findings/check-counts.ts";
import { stateTotals } from "../domain/findings/finding-state.ts";
import { impactOf } from "../domain/findings/findings.ts";
import { criteriaOfStandard } from "../domain/findings/judged-criteria.ts";
import { type Month, monthAfter, startOf } from "../domain/months/calendar.ts";
import { type MonthSite, monthReport } from "../domain/months/month-report.ts";
import { type Helps, type MonthTold, monthTold, monthToTell, NAMED } from "../domain/months/told.ts";
import { eventsOf, gotWorse, type NewErrors, TOLD_CAUSES } from "../domain/notifications/events.ts";

/** Bytes of a title in HTML. */
const MAX_TITLE = 120;

/** Tells those who hear of it that a report has ended, in the transaction that ends it. */
export async function tellEnd(trx: Kysely<Database>, id: string, now: Date): Promise<void> {
  const row = await readEndedRun(trx, id);
  if (!row) return;
  const { failure_code: code, states, pages } = row;
  const isComplete = row.phase === "Complete" && pages !== null;
  const compared = isComplete && states ? stateTotals(states) : null;
  const events = eventsOf({
    site: siteOf(row),
    reportId: id,
    failure: code === null ? null : { code, detail: row.failure_detail ?? "" },
    counts: isComplete ? { errors: sumOf(await readCounts(trx, id), "errors"), pages } : null,
    compared,
    causes: compared && gotWorse(compared) ? await newErrorsOf(trx, id, row) : [],
    gate: row.passed === null ? null : { passed: row.passed, results: row.gate_results ?? [] },
  });
  await tell(trx, subjectOf(row), events, now);
}

/** What is new by cause, and who has it. */
async function newErrorsOf(trx: Kysely<Database>, reportId: string, row: EndedRunRow): Promise<NewErrors[]> {
  const { account_id: accountId, guest_token: guestToken, url: startingUrl, comparison_id: comparisonId } = row;
  if (comparisonId === null) return [];
  const causes = await listNewCauses(trx, { reportId, comparisonId }, TOLD_CAUSES);
  const said = await readAssignments(trx, { accountId, guestToken, startingUrl });
  const titles = await titlesOf(trx, causes);
  return causes.map(({ id, finding_id, section, impact_order, ...counted }) => ({
    ...{ cause_id: id, title: titles.get(finding_id) ?? "", new: counted.new, pages: counted.pages },
    ...{ impact: impactOf(impact_order), ...holderTold(said, id, section) },
  }));
}

/** What an engine says of each of the findings that stand for causes. */
async function titlesOf(
  db: Kysely<Database>,
  causes: readonly { finding_id: string }[],
): Promise<ReadonlyMap<string, string>> {
  const ids = causes.map(({ finding_id }) => finding_id);
  return new Map((await readFindings(db, ids, null)).map(({ id, message }) => [id, cutTo(message, MAX_TITLE)]));
}

/** Who is said to have a cause, as messages name them. Notes are not for messages. */
function holderTold(
  said: Assignments,
  id: string,
  section: string | null,
): Pick<NewErrors, "assignee" | "of" | "path" | "due_on"> {
  const held = nearest(saidOf(said, id, section));
  if (!held || isLeft(held)) return { assignee: null, of: null, path: null, due_on: null };
  const { assignee, of, due_on } = held;
  return { assignee, of, path: of === "section" ? section : null, due_on };
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
  const rows = await readMonth(db, { accountId, guestToken: null, sites: null }, month, startOf(monthAfter(month)));
  const criteria = new Set(criteriaOfStandard("wcag22aa").map(({ number }) => number));
  const report = monthReport(month, rows);
  const pdf = (await findMonthFile(db, { accountId, guestToken: null, sites: null }, month))?.state === "ready";
  const helps = new Map<string, Helps>();
  for (const site of report.turns.worse.slice(0, NAMED)) {
    const most = await helpsMost(db, accountId, site);
    if (most) helps.set(site.id, most);
  }
  return monthTold(month, report, { numSites: rows.sites.length, criteria, helps, pdf });
}

/** The one change that removes the most errors of a site's last run in the month, as the month's page names it. */
async function helpsMost(db: Kysely<Database>, accountId: string, { starting_url, now }: MonthSite) {
  if (!now || now.is_past) return undefined;
  const [first] = (await readCauses(db, now.report_id)).causes;
  if (!first) return undefined;
  const said = await readAssignments(db, { accountId, guestToken: null, startingUrl: starting_url });
  const title = (await titlesOf(db, [first])).get(first.finding_id);
  if (title === undefined) return undefined;
  return { title, errors: first.how_many, assignee: holderTold(said, first.id, first.section).assignee };
}
