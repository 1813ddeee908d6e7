import { expect } from "chai";
import { sql } from "kysely";
import { expireLeases, type LeasedCheck, markRuns, renewLeases } from "../../../src/database/checks/leases.ts";
import { readNotices } from "../../../src/database/crawl/notices.ts";
import { findRawCheck } from "../../../src/database/reports/web-pages.ts";
import {
  type CheckKind,
  type CheckOutcome,
  checkKinds,
  type HtmlIssue,
} from "../../../src/domain/findings/findings.ts";
import { deletePage, requeuePage } from "../../../src/transactions/change-pages.ts";
import { type CheckContext, failUnpaid, recordOutcomes } from "../../../src/transactions/end-checks.ts";
import { leaseChecks, releaseLeases } from "../../../src/transactions/lease-checks.ts";
import { insertAccount, insertReport, reportSpec } from "../../support/builders.ts";
import { readReport } from "../../support/check-counts.ts";
import { expectConsistent } from "../../support/consistency.ts";
import { createTestDatabase, emptyDatabase, type TestDatabase } from "../../support/database.ts";
import { a11yIssue, engine, htmlIssue } from "../../support/fake-runner.ts";
import { queuePages } from "../../support/queue-pages.ts";
import { eventually } from "../../support/wait.ts";

const now = new Date("2026-03-15T12:00:00Z");
const month = "2026-03-01";
const failure: CheckOutcome = { kind: "html", failure: { code: "engine_error", detail: "It broke." } };

describe("recording the outcomes of checks", () => {
  let database: TestDatabase;
  let reportOf = "";

  before(async () => {
    database = await createTestDatabase();
  });
  after(() => database.drop());
  afterEach(() => emptyDatabase(database.db));

  const contextOf = (reportId: string, kind: CheckKind = "html"): CheckContext => ({
    reportId,
    kind,
    spec: reportSpec({ storeRawHtmlChecks: true }),
  });
  const lease = async (reportId: string, limit = 10, kind: CheckKind = "html"): Promise<LeasedCheck[]> =>
    (await leaseChecks(database.db, { reportId, kind }, limit, month)).checks;
  const result = (...issues: HtmlIssue[]): CheckOutcome => ({ kind: "html", engine, issues });
  const end = async (reportId: string, checks: readonly LeasedCheck[], outcome: CheckOutcome) =>
    recordOutcomes(
      database.db,
      contextOf(reportId, outcome.kind),
      checks.map((lease) => ({ lease, outcome })),
      now,
    );
  const report = (id: string) => readReport(database.db, id);
  const requeue = (reportId: string) =>
    sql`
    with queued as (
      update checks set status = 'queued', attempts = 0 where report_id = ${reportId} and kind = 'html' returning status
    )
    update check_counts set pending = pending + checked + failed, checked = 0, failed = 0
    where report_id = ${reportId} and kind = 'html'`.execute(database.db);
  const usage = () =>
    database.db
      .selectFrom("credit_usage")
      .select(["guest_token", "reserved", "charged"])
      .orderBy("guest_token")
      .execute();

  it("counts a result once, however often it is recorded", async () => {
    const reportId = await insertReport(database.db);
    await queuePages(database.db, reportId, ["a"]);
    const checks = await lease(reportId);
    const ends = await Promise.all([1, 2, 3].map(() => end(reportId, checks, result(htmlIssue("m", 3)))));
    expect(ends.map((ended) => ended.size).sort()).to.deep.equal([0, 0, 1]);
    expect(await report(reportId)).to.include({ html_errors: 3, html_checked: 1, html_pending: 0 });
    expect((await report(reportId)).last_checked_at).to.deep.equal(now);
    expect(await usage()).to.deep.equal([{ guest_token: "", reserved: 0, charged: 1 }]);
    await expectConsistent(database.db, reportId);
  });

  describe("with notices", () => {
    const notices = [{ code: "css_not_checked", howMany: 2, detail: "Line 3: long." }] as const;
    const said = async (reportId: string) =>
      (await readNotices(database.db, reportId)).map(({ code, how_many, examples }) => [
        code,
        how_many,
        examples[0]?.detail,
      ]);
    const endAgain = async (reportId: string, outcome: CheckOutcome) => {
      const pages = await database.db.selectFrom("web_pages").select("id").where("report_id", "=", reportId).execute();
      for (const { id } of pages) await requeuePage(database.db, reportId, id, now);
      return end(reportId, await lease(reportId, 10, outcome.kind), outcome);
    };

    it("stores them with the result, and replaces those of the same kind when a page is checked again", async () => {
      const reportId = await insertReport(database.db);
      await queuePages(database.db, reportId, ["a", "b"], ["html", "a11y"]);
      const frames = { code: "frames_not_tested", howMany: 1, detail: "/x: never." } as const;
      await endAgain(reportId, { kind: "html", engine, issues: [], notices });
      await endAgain(reportId, { kind: "a11y", engine, issues: [], notices: [frames] });
      const both = [
        ["frames_not_tested", 2, "/x: never."],
        ["css_not_checked", 4, "Line 3: long."],
      ];
      expect(await said(reportId)).to.have.deep.members(both);
      await endAgain(reportId, { kind: "html", engine, issues: [], notices });
      expect(await said(reportId)).to.have.deep.members(both);
      await endAgain(reportId, { kind: "html", engine, issues: [] });
      expect(await said(reportId)).to.deep.equal(both.slice(0, 1));
    });

    it("says that an engine did not end, and no longer when it has", async () => {
      const reportId = await insertReport(database.db);
      await queuePages(database.db, reportId, ["a"]);
      const slow = { code: "engine_error", detail: "It took more than 30 s." } as const;
      await endAgain(reportId, { kind: "html", failure: slow, deadlineExceeded: true });
      expect(await said(reportId)).to.deep.equal([["engine_did_not_end", 1, slow.detail]]);
      await endAgain(reportId, failure);
      expect(await said(reportId)).to.deep.equal([]);
    });

    it("cuts long details, and has none of a page that was deleted", async () => {
      const reportId = await insertReport(database.db);
      const [page = ""] = await queuePages(database.db, reportId, ["a"]);
      const detail = `http://user:s3cret@example.com/${"x".repeat(100_000)}`;
      await endAgain(reportId, {
        kind: "html",
        engine,
        issues: [],
        notices: [{ code: "css_not_checked", howMany: 1, detail }],
      });
      expect((await said(reportId))[0]?.[2])
        .to.have.length(500)
        .and.not.include("s3cret");
      await deletePage(database.db, reportId, page, now);
      expect(await said(reportId)).to.deep.equal([]);
    });
  });

  it("rejects the result of an expired lease that another checker holds", async () => {
    const reportId = await insertReport(database.db);
    await queuePages(database.db, reportId, ["a"]);
    const late = await lease(reportId);
    expect(await lease(reportId)).to.deep.equal([]);
    await sql`update checks set lease_until = now() - interval '1 s'`.execute(database.db);
    const current = await lease(reportId);
    expect(current.map((check) => check.checkId)).to.deep.equal(late.map((check) => check.checkId));
    await renewLeases(database.db, late);
    await releaseLeases(database.db, late);
    expect(await end(reportId, late, result(htmlIssue("late")))).to.have.property("size", 0);
    expect(await end(reportId, current, result(htmlIssue("m")))).to.have.property("size", 1);
    expect(await usage()).to.deep.equal([{ guest_token: "", reserved: 0, charged: 1 }]);
    await expectConsistent(database.db, reportId);
  });

  it("never leases a check to two of many parallel checkers", async () => {
    const reportId = await insertReport(database.db);
    await queuePages(database.db, reportId, new Array(50).fill("a"));
    const leases = await Promise.all(Array.from({ length: 8 }, () => lease(reportId, 10)));
    const ids = leases.flat().map((check) => check.checkId);
    const rest = await lease(reportId, 50);
    expect(new Set([...ids, ...rest.map((check) => check.checkId)]).size).to.equal(50);
    expect(ids.length + rest.length).to.equal(50);
    await expectConsistent(database.db, reportId);
  });

  it("charges results, and releases the credit of a failure", async () => {
    const reportId = await insertReport(database.db);
    await queuePages(database.db, reportId, ["a", "b", "c"]);
    const [a, b, c] = await lease(reportId);
    expect(await usage()).to.deep.equal([{ guest_token: "", reserved: 3, charged: 0 }]);
    if (!a || !b || !c) throw new Error("three were queued");
    await end(reportId, [a], result());
    await end(reportId, [b], failure);
    expect(await usage()).to.deep.equal([{ guest_token: "", reserved: 1, charged: 1 }]);
    await releaseLeases(database.db, [c]);
    expect(await usage()).to.deep.equal([{ guest_token: "", reserved: 0, charged: 1 }]);
    const checks = await database.db
      .selectFrom("checks")
      .select(["status", "attempts", "failure_detail"])
      .orderBy("id")
      .execute();
    expect(checks).to.deep.equal([
      { status: "checked", attempts: 1, failure_detail: null },
      { status: "failed", attempts: 1, failure_detail: "It broke." },
      { status: "queued", attempts: 0, failure_detail: null },
    ]);
    await expectConsistent(database.db, reportId);
  });

  it("charges a guest's check to the guest and to its host, and holds both limits", async () => {
    const accountId = await insertAccount(database.db, { monthly_credits: 5 });
    await database.db
      .insertInto("guest_accounts")
      .values({ token: "g", account_id: accountId, max_usage: 2 })
      .execute();
    const reportId = await insertReport(database.db, { accountId });
    await sql`update reports set guest_token = 'g'`.execute(database.db);
    await queuePages(database.db, reportId, ["a", "b", "c"]);
    const leased = await leaseChecks(database.db, { reportId, kind: "html" }, 10, month);
    expect([leased.checks.length, leased.exhausted]).to.deep.equal([2, true]);
    await end(reportId, leased.checks, result());
    expect(await usage()).to.deep.equal([
      { guest_token: "", reserved: 0, charged: 2 },
      { guest_token: "g", reserved: 0, charged: 2 },
    ]);
    expect(await failUnpaid(database.db, contextOf(reportId), month, now)).to.equal(1);
    expect(await report(reportId)).to.include({ html_checked: 2, html_failed: 1 });
    await expectConsistent(database.db, reportId);
  });

  it("does not fail checks for missing credits when some are free again", async () => {
    const accountId = await insertAccount(database.db, { monthly_credits: 1 });
    const reportId = await insertReport(database.db, { accountId });
    await queuePages(database.db, reportId, ["a", "b"]);
    const checks = await lease(reportId);
    await releaseLeases(database.db, checks);
    expect(await failUnpaid(database.db, contextOf(reportId), month, now)).to.equal(0);
    expect(await report(reportId)).to.include({ html_pending: 2, html_failed: 0 });
  });

  it("replaces an earlier run's findings, numbers and raw result", async () => {
    const reportId = await insertReport(database.db);
    await queuePages(database.db, reportId, ["a", "b"]);
    const raw = {
      ...result(htmlIssue("stays", 2), htmlIssue("goes", 5), htmlIssue("w", 1, "warning")),
      raw: { run: 1 },
    };
    await end(reportId, await lease(reportId), raw);
    expect(await report(reportId)).to.include({ html_errors: 14, html_warnings: 2 });
    await requeue(reportId);
    await expectConsistent(database.db, reportId);
    const [first, second] = await lease(reportId);
    if (!first || !second) throw new Error("two were queued");
    await end(reportId, [first], { ...result(htmlIssue("stays", 1), htmlIssue("new", 1)), raw: { run: 2 } });
    await expectConsistent(database.db, reportId);
    expect(await report(reportId)).to.include({ html_errors: 9, html_warnings: 1 });
    await end(reportId, [second], failure);
    await expectConsistent(database.db, reportId);
    expect(await report(reportId)).to.include({ html_errors: 2, html_warnings: 0, html_checked: 1, html_failed: 1 });
    const common = await database.db
      .selectFrom("common_issues")
      .select(["message", "how_many"])
      .orderBy("message")
      .execute();
    expect(common.map((row) => `${row.message} ${row.how_many}`)).to.deep.equal(["goes 0", "new 1", "stays 1", "w 0"]);
    const [row, ...more] = await database.db.selectFrom("raw_checks").select("web_page_id").execute();
    expect(more).to.deep.equal([]);
    expect(await findRawCheck(database.db, row?.web_page_id ?? "", "html")).to.deep.include({ raw: { run: 2 } });
  });

  it("keeps muted findings out of every count, regardless of case", async () => {
    const accountId = await insertAccount(database.db);
    const mute = (url_match: string, message: string, guest_token: string | null = null) =>
      database.db
        .insertInto("mutings")
        .values({ account_id: accountId, criteria: JSON.stringify({ url_match, message }), guest_token })
        .returning("id")
        .executeTakeFirstOrThrow();
    await database.db
      .insertInto("guest_accounts")
      .values({ token: "g", account_id: accountId, max_usage: 9 })
      .execute();
    await sql`update accounts set muting_revision = 7`.execute(database.db);
    const muting = await mute("EXAMPLE.com/0", "Silent");
    await mute("", "guest's own", "g");
    const reportId = await insertReport(database.db, { accountId });
    await queuePages(database.db, reportId, ["a", "b"]);
    await end(
      reportId,
      await lease(reportId),
      result(htmlIssue("a silent one", 2), htmlIssue("guest's own"), htmlIssue("loud")),
    );
    await expectConsistent(database.db, reportId);
    expect(await report(reportId)).to.include({ html_errors: 6 });
    const issues = await database.db
      .selectFrom("issues")
      .select(["message", "muting_id", "how_many"])
      .orderBy("id")
      .execute();
    expect(issues.filter((issue) => issue.muting_id !== null)).to.deep.equal([
      { message: "a silent one", muting_id: muting.id, how_many: 2 },
    ]);
    expect(await database.db.selectFrom("checks").select("muting_revision").distinct().execute()).to.deep.equal([
      { muting_revision: 7 },
    ]);
    // After a recheck muted and counted findings are still distinct.
    await requeue(reportId);
    await database.db.deleteFrom("mutings").execute();
    await end(reportId, await lease(reportId), result(htmlIssue("a silent one", 2)));
    await expectConsistent(database.db, reportId);
    expect(await report(reportId)).to.include({ html_errors: 4 });
  });

  it("rejects results of a deleted report", async () => {
    const reportId = await insertReport(database.db);
    await queuePages(database.db, reportId, ["a"]);
    const checks = await lease(reportId);
    await sql`update reports set deleted_at = now()`.execute(database.db);
    expect(await end(reportId, checks, result(htmlIssue("m")))).to.have.property("size", 0);
    expect(await database.db.selectFrom("issues").selectAll().execute()).to.deep.equal([]);
    await releaseLeases(database.db, checks);
    expect(await usage()).to.deep.equal([{ guest_token: "", reserved: 0, charged: 0 }]);
    expect(await lease(reportId)).to.deep.equal([]);
  });

  it("stores text with characters that PostgreSQL rejects", async () => {
    const reportId = await insertReport(database.db);
    await queuePages(database.db, reportId, ["a"]);
    const issue = htmlIssue("nul \0 and half \ud83d and \\u0000");
    await end(reportId, await lease(reportId), result(issue));
    const rows = await database.db.selectFrom("issues").select("message").execute();
    expect(rows).to.deep.equal([{ message: "nul \ufffd and half \ufffd and \\u0000" }]);
  });

  it("stores elements as the page has them, whatever would end a text or an object in JSON", async () => {
    const reportId = await insertReport(database.db);
    await queuePages(database.db, reportId, ["a"]);
    const extracts = ['"}],"how_many":9},{"html":[', "\\", '\\"', "\\u0000 \\ud83d", "\u2028 \x01 \x7f", "😀"];
    const issue = htmlIssue("m", extracts.length + 2);
    for (const [index, extract] of [...extracts, "\0", "\ud83d"].entries())
      issue.html[index] = { ...(issue.html[index] ?? expect.fail()), extract };
    await end(reportId, await lease(reportId), result(issue));
    const rows = await database.db.selectFrom("issues").select(["how_many", "html"]).execute();
    expect(rows.map(({ how_many }) => how_many)).to.deep.equal([extracts.length + 2]);
    expect(rows[0]?.html.map(({ extract }) => extract)).to.deep.equal([...extracts, "\ufffd", "\ufffd"]);
    await expectConsistent(database.db, reportId);
  });

  for (const [what, run] of [
    ["storing results", (checks) => end(reportOf, checks, result())],
    ["renewing leases", (checks) => renewLeases(database.db, checks)],
    ["giving checks back", (checks) => releaseLeases(database.db, checks)],
    ["marking what begins", (checks) => markRuns(database.db, checks)],
    ["ending all leases, as a service does that starts", () => expireLeases(database.db)],
  ] as [what: string, run: (checks: readonly LeasedCheck[]) => Promise<unknown>][])
    it(`locks checks in the order of their pages, so that nobody waits in a circle: ${what}`, async () => {
      reportOf = await insertReport(database.db);
      await queuePages(database.db, reportOf, new Array(20).fill("a"));
      const checks = await lease(reportOf, 20);
      const last = checks.at(-1)?.checkId;
      // The first comes after all others now, in the table and in the order of their leases' ends.
      await sql`update checks set lease_until = lease_until + interval '1 h' where id = ${checks[0]?.checkId}`.execute(
        database.db,
      );
      const others = checks.slice(0, -1).map(({ checkId }) => checkId);
      let running: Promise<unknown> | undefined;
      await database.db.transaction().execute(async (trx) => {
        await sql`select from checks where id = ${last} for update`.execute(trx);
        running = run(checks.toReversed());
        await eventually(async () => {
          const { rows } = await sql`select from pg_stat_activity
            where datname = current_database() and wait_event_type = 'Lock'`.execute(database.db);
          return rows.length > 0;
        });
        const { rows: free } = await sql`
          select id from checks where id = any(${others}::bigint[]) for update skip locked`.execute(trx);
        expect(free, "locked before the last one").to.deep.equal([]);
      });
      await running;
    });

  it("never deadlocks: both kinds, rechecks and many writers on the same pages and issues", async () => {
    const reportId = await insertReport(database.db);
    await queuePages(database.db, reportId, new Array(40).fill("a"), ["html", "a11y"]);
    const names = Array.from({ length: 12 }, (_, i) => `message ${i}`);
    const shuffled = (seed: number) => [...names].sort((a, b) => hash(a, seed) - hash(b, seed)).slice(0, 8);
    for (let round = 0; round < 3; round++) {
      const batches: (() => Promise<unknown>)[] = [];
      for (const kind of checkKinds) {
        for (let checks = await lease(reportId, 4, kind); checks.length > 0; checks = await lease(reportId, 4, kind)) {
          const batch = checks;
          const seed = batches.length + round;
          const outcome: CheckOutcome =
            kind === "html"
              ? result(...shuffled(seed).map((name) => htmlIssue(name, 1 + (seed % 3))))
              : { kind, engine, issues: [a11yIssue("minor", 1 + (seed % 2)), a11yIssue("serious", 1)] };
          batches.push(() => end(reportId, seed % 2 ? batch : [...batch].reverse(), outcome));
        }
      }
      await Promise.all(batches.map((batch) => batch()));
      await expectConsistent(database.db, reportId);
      await requeue(reportId);
    }
  });
});

function hash(text: string, seed: number): number {
  let value = seed + 1;
  for (const char of text) value = (value * 31 + (char.codePointAt(0) ?? 0)) % 1_000_003;
  return value;
}
