import { expect } from "chai";
import { sql } from "kysely";
import { listUnfinished, readProgress, setPhase } from "../../../src/database/reports/progress.ts";
import { markReportDeleted } from "../../../src/database/reports/reports.ts";
import { abandonChecks } from "../../../src/transactions/end-checks.ts";
import { abandonCrawl, endReport } from "../../../src/transactions/end-report.ts";
import { insertAccount, insertReport, reportSpec } from "../../support/builders.ts";
import { expectConsistent } from "../../support/consistency.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { htmlPage, queuePages } from "../../support/queue-pages.ts";

const CRASHED = { code: "checker_crashed", detail: "It died." } as const;
const NOW = new Date("2026-01-02T03:04:05.000Z");

describe("a report's progress", () => {
  let database: TestDatabase;
  let account: string;
  let id: string;

  before(async () => {
    database = await createTestDatabase();
  });
  after(() => database.drop());
  beforeEach(async () => {
    account = await insertAccount(database.db);
    id = await insertReport(database.db, { accountId: account, spec: { performA11yChecks: true } });
  });

  const row = async () => {
    const found = await readProgress(database.db, id);
    if (!found) throw new Error("no row");
    return found;
  };
  const pages = (count: number, state: "crawling" | "ended" = "ended") =>
    queuePages(database.db, id, Array(count).fill(htmlPage("")), ["html", "a11y"], state);

  describe("abandonChecks", () => {
    it("fails waiting and leased checks, of one kind only, and releases their credits", async () => {
      await pages(3);
      await sql`update checks set status = 'leased', lease_token = 7, reserved_month = '2026-01-01'
        where report_id = ${id} and id in (select id from checks where report_id = ${id} and kind = 'html' limit 2)`.execute(
        database.db,
      );
      await database.db
        .insertInto("credit_usage")
        .values({ account_id: account, month: "2026-01-01", reserved: 2, charged: 1 })
        .execute();
      const context = { reportId: id, kind: "html", spec: reportSpec() } as const;
      expect(await abandonChecks(database.db, context, CRASHED, NOW)).to.equal(3);
      expect((await row()).checks).to.deep.equal({
        html: { pending: 0, checked: 0, failed: 3 },
        a11y: { pending: 3, checked: 0, failed: 0 },
        links: { pending: 0, checked: 0, failed: 0 },
      });
      const failures = await database.db
        .selectFrom("checks")
        .select(["failure_code", "failure_detail"])
        .distinct()
        .where("report_id", "=", id)
        .where("kind", "=", "html")
        .execute();
      expect(failures).to.deep.equal([{ failure_code: "checker_crashed", failure_detail: "It died." }]);
      const credits = await database.db
        .selectFrom("credit_usage")
        .select(["reserved", "charged"])
        .where("account_id", "=", account)
        .execute();
      expect(credits).to.deep.equal([{ reserved: 0, charged: 1 }]);
      await expectConsistent(database.db, id);
      expect(await abandonChecks(database.db, context, CRASHED, NOW)).to.equal(0);
    });

    it("does nothing to a deleted report", async () => {
      await pages(1);
      await markReportDeleted(database.db, id, NOW);
      const context = { reportId: id, kind: "html", spec: reportSpec() } as const;
      expect(await abandonChecks(database.db, context, CRASHED, NOW)).to.equal(0);
      expect((await row()).checks.html.pending).to.equal(1);
    });
  });

  describe("abandonCrawl", () => {
    it("ends the crawl with what it found, and says that pages are missing", async () => {
      await pages(1, "crawling");
      await abandonCrawl(database.db, id, { code: "crawler_crashed", detail: "It died." });
      expect(await row()).to.deep.include({
        crawlState: "ended",
        failureCode: "crawler_crashed",
        failureDetail: "The crawl was cut short: pages are missing. It died.",
      });
    });

    it("fails it when it found nothing, and keeps a reason that the crawler gave itself", async () => {
      await abandonCrawl(database.db, id, { code: "crawler_crashed", detail: "It died." });
      expect(await row()).to.deep.include({
        crawlState: "failed",
        failureCode: "crawler_crashed",
        failureDetail: "It died.",
      });
      await abandonCrawl(database.db, id, { code: "crawler_crashed", detail: "It died again." });
      expect((await row()).failureDetail).to.equal("It died.");
    });
  });

  describe("endReport", () => {
    it("refuses while the report is being crawled or a check is left", async () => {
      expect(await endReport(database.db, id, "Complete", NOW)).to.equal(false);
      await pages(1);
      expect(await endReport(database.db, id, "Complete", NOW)).to.equal(false);
      expect((await row()).phase).to.equal("Pending");
    });

    it("ends a report once, at the time of the first call, and is not undone by a late phase", async () => {
      await sql`update reports set crawl_state = 'ended' where id = ${id}`.execute(database.db);
      expect(await endReport(database.db, id, "Complete", NOW)).to.equal(true);
      expect(await endReport(database.db, id, "Complete", new Date())).to.equal(true);
      await setPhase(database.db, id, "Checking");
      expect(await row()).to.deep.include({ phase: "Complete" });
      expect((await row()).completedAt).to.deep.equal(NOW);
    });
  });

  it("lists reports that have neither ended nor been deleted, oldest first", async () => {
    const other = await insertReport(database.db, { accountId: account });
    const deleted = await insertReport(database.db, { accountId: account });
    await markReportDeleted(database.db, deleted, NOW);
    await setPhase(database.db, other, "Crawling");
    const mine = (await listUnfinished(database.db)).filter((report) => report.accountId === account);
    expect(mine.map((report) => [report.id, report.waiting, "a11y" in report.pending])).to.deep.equal([
      [id, true, true],
      [other, false, false],
    ]);
  });
});
