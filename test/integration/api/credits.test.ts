import { expect } from "chai";
import { type Kysely, sql } from "kysely";
import { reserveCredits } from "../../../src/database/accounts/credits.ts";
import type { LeasedCheck } from "../../../src/database/checks/leases.ts";
import type { Database } from "../../../src/database/tables.ts";
import { type CheckKind, type CheckOutcome, checkKinds } from "../../../src/domain/findings/findings.ts";
import { failUnpaid, recordOutcomes } from "../../../src/transactions/end-checks.ts";
import { leaseChecks, releaseLeases } from "../../../src/transactions/lease-checks.ts";
import { accountWithToken, guestWithToken, startTestApi, type TestApi } from "../../support/api.ts";
import { insertReport, reportSpec } from "../../support/builders.ts";
import { expectConsistent } from "../../support/consistency.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { a11yIssue, engine, htmlIssue } from "../../support/fake-runner.ts";
import { personWithToken } from "../../support/people.ts";
import { queuePages } from "../../support/queue-pages.ts";
import { eventually } from "../../support/wait.ts";

const now = new Date("2026-03-15T12:00:00Z");
const MARCH = "2026-03-01";

describe("credits", () => {
  let database: TestDatabase;
  let api: TestApi;

  before(async () => {
    database = await createTestDatabase();
    api = await startTestApi(database, { now: () => now });
  });
  after(async () => {
    await api.close();
    await database.drop();
  });

  const contextOf = (reportId: string, kind: CheckKind) => ({ reportId, kind, spec: reportSpec() });
  const results: Record<CheckKind, CheckOutcome> = {
    html: { kind: "html", engine, issues: [htmlIssue("m")] },
    a11y: { kind: "a11y", engine, issues: [a11yIssue("serious", 1)] },
    links: { kind: "links", engine, issues: [htmlIssue("m")] },
  };
  const failed = (kind: CheckKind): CheckOutcome => ({
    kind,
    failure: { code: "timeout", detail: "It took too long." },
  });

  const recordAll = (reportId: string, kind: CheckKind, leases: readonly LeasedCheck[], outcome: CheckOutcome) =>
    recordOutcomes(
      database.db,
      contextOf(reportId, kind),
      leases.map((lease) => ({ lease, outcome })),
      now,
    );

  async function isDone(reportId: string, kind: CheckKind): Promise<boolean> {
    const { rows } = await sql`select 1 from checks
      where report_id = ${reportId} and kind = ${kind} and status in ('queued', 'leased') limit 1`.execute(database.db);
    return rows.length === 0;
  }

  /** A checker: it leases checks, ends some with a result and some without, and releases some, until nothing is left to lease. */
  async function work(reportId: string, kind: CheckKind, seed: number): Promise<void> {
    for (let round = seed; ; round++) {
      const { checks, exhausted } = await leaseChecks(database.db, { reportId, kind }, 1 + (round % 3), MARCH);
      if (checks.length > 0) await end(reportId, kind, checks, round % 4);
      else {
        if (exhausted) await failUnpaid(database.db, contextOf(reportId, kind), MARCH, now);
        if (await isDone(reportId, kind)) return;
      }
    }
  }

  async function end(reportId: string, kind: CheckKind, checks: readonly LeasedCheck[], way: number): Promise<void> {
    if (way === 0) return releaseLeases(database.db, checks);
    const outcome = way === 1 ? failed(kind) : results[kind];
    // Recorded twice, as after a lost response.
    await Promise.all([1, 2].map(() => recordAll(reportId, kind, checks, outcome)));
  }

  it("are reserved by two of a guest's transactions at once, although the guest's row does not exist yet", async () => {
    const { accountId } = await accountWithToken(database, { monthly_credits: 30 });
    const { guestToken } = await guestWithToken(database, accountId, { max_usage: 9 });
    const payer = { accountId, guestToken };
    const reserve = (trx: Kysely<Database>) => reserveCredits(trx, payer, 1, MARCH);
    await database.db.transaction().execute((trx) => reserveCredits(trx, { accountId, guestToken: null }, 1, MARCH));
    let second: Promise<number> | undefined;
    const first = await database.db.transaction().execute(async (trx) => {
      await trx
        .insertInto("credit_usage")
        .values({ account_id: accountId, guest_token: guestToken, month: MARCH })
        .execute();
      second = database.db.transaction().execute(reserve);
      await eventually(async () => {
        const { rows } = await sql`select from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock'`.execute(database.db);
        return rows.length === 1;
      });
      return reserve(trx);
    });
    expect([first, await second]).to.deep.equal([1, 1]);
  });

  it("never exceed a limit, and are charged once for each result, however many checkers, reports and guests compete for them", async () => {
    const LIMIT = 30;
    const GUEST_LIMIT = 9;
    const { accountId, token } = await accountWithToken(database, { monthly_credits: LIMIT });
    const guest = await guestWithToken(database, accountId, { max_usage: GUEST_LIMIT });
    // Otherwise nobody would see a limit that is exceeded only for a moment.
    await sql`alter table credit_usage add constraint within_limits
      check (guest_token = '' and reserved + charged <= ${sql.lit(LIMIT)} or reserved + charged <= ${sql.lit(GUEST_LIMIT)})`.execute(
      database.db,
    );
    const reports: string[] = [];
    for (const guest_token of [null, null, guest.guestToken, guest.guestToken]) {
      const id = await insertReport(database.db, { accountId });
      await database.db.updateTable("reports").set({ guest_token }).where("id", "=", id).execute();
      await queuePages(database.db, id, Array(8).fill("a"), checkKinds);
      reports.push(id);
    }
    await Promise.all(
      reports.flatMap((id, of) => checkKinds.flatMap((kind) => [0, 1].map((more) => work(id, kind, of + more)))),
    );
    const checked = async (ids: string[]) => {
      const { rows } = await sql<{ checked: number; unpaid: number }>`
        select count(*) filter (where status = 'checked')::integer as checked,
          count(*) filter (where failure_code = 'credits_exhausted')::integer as unpaid
        from checks where report_id = any(${ids}::uuid[])`.execute(database.db);
      return rows[0] ?? { checked: 0, unpaid: 0 };
    };
    const all = await checked(reports);
    const guests = await checked(reports.slice(2));
    const usage = (await api.as(token)("GET", "/usage")).json.data.attributes;
    expect(usage).to.deep.include({ limit: LIMIT, charged: all.checked, reserved: 0, left: LIMIT - all.checked });
    expect(usage.guests).to.deep.equal([
      {
        guest_token: guest.guestToken,
        limit: GUEST_LIMIT,
        charged: guests.checked,
        reserved: 0,
        left: GUEST_LIMIT - guests.checked,
      },
    ]);
    expect(all.unpaid, "64 checks, 30 credits").to.be.greaterThan(0);
    for (const id of reports) await expectConsistent(database.db, id);
  });

  it("belong to the month in which a check began, also if it ends in the next", async () => {
    const { accountId } = await accountWithToken(database, { monthly_credits: 1 });
    const id = await insertReport(database.db, { accountId });
    await queuePages(database.db, id, ["a", "b", "c"]);
    const lease = async (month: string) => leaseChecks(database.db, { reportId: id, kind: "html" }, 10, month);
    const march = await lease(MARCH);
    expect([march.checks.length, march.exhausted]).to.deep.equal([1, true]);
    const april = await lease("2026-04-01");
    expect(april.checks.length, "a new month, new credits").to.equal(1);
    await recordAll(id, "html", april.checks, failed("html"));
    await recordAll(id, "html", march.checks, results.html);
    const { rows } = await sql`select to_char(month, 'YYYY-MM') as month, reserved, charged from credit_usage
      where account_id = ${accountId} order by month`.execute(database.db);
    expect(rows).to.deep.equal([
      { month: "2026-03", reserved: 0, charged: 1 },
      { month: "2026-04", reserved: 0, charged: 0 },
    ]);
  });

  it("that have run out are not told in numbers to somebody with a role on single sites", async () => {
    const { accountId, token } = await accountWithToken(database, { monthly_credits: 0 });
    const attributes = { starting_url: "https://example.com/" };
    const sites = [{ starting_url: attributes.starting_url, role: "editor" as const }];
    await insertReport(database.db, { accountId, spec: { startingUrl: attributes.starting_url } });
    const narrow = await personWithToken(database, accountId, null, { sites });
    const said = async (by: string) => {
      const { status, json } = await api.as(by)("POST", "/reports", { attributes });
      return [status, json.errors[0]?.code, json.errors[0]?.detail];
    };
    expect(await said(token)).to.deep.equal([
      ...[402, "credits_exhausted", "The account has used 0 of 0 credits this month."],
    ]);
    expect(await said(narrow.token)).to.deep.equal([
      ...[402, "credits_exhausted"],
      "The account has used all of its credits this month. Its owners can say when there are more.",
    ]);
  });

  it("that have run out are 402 for another report, and credits_exhausted for a check", async () => {
    const { accountId, token } = await accountWithToken(database, { monthly_credits: 1 });
    const call = api.as(token);
    const attributes = { starting_url: "https://example.com/" };
    const id = await insertReport(database.db, { accountId });
    const [, second = ""] = await queuePages(database.db, id, ["a", "b"]);
    const { checks } = await leaseChecks(database.db, { reportId: id, kind: "html" }, 10, MARCH);
    expect((await call("POST", "/reports", { attributes })).status, "reserved is not free").to.equal(402);
    expect((await call("GET", "/usage")).json.data.attributes).to.include({ charged: 0, reserved: 1, left: 0 });
    await recordAll(id, "html", checks, results.html);
    await failUnpaid(database.db, contextOf(id, "html"), MARCH, now);
    const page = await call("GET", `/reports/${id}/web_pages/${second}`);
    expect(page.json.data.attributes).to.deep.include({ status: "failed" });
    expect(page.json.data.attributes.html_check).to.deep.include({
      status: "failed",
      failure: { code: "credits_exhausted", detail: "No credits are left this month for this check." },
    });
    expect((await call("POST", "/reports", { attributes })).status).to.equal(402);
    expect((await call("GET", "/usage")).json.data.attributes).to.include({ charged: 1, reserved: 0, left: 0 });
    await database.db.updateTable("accounts").set({ monthly_credits: 2 }).where("id", "=", accountId).execute();
    expect((await call("POST", "/reports", { attributes })).status).to.equal(201);
  });
});
