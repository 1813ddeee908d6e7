import { expect } from "chai";
import { writeNotices } from "../../../src/database/crawl/notices.ts";
import type { CrawlState } from "../../../src/domain/report-over.ts";
import type { ReportPhase } from "../../../src/schema/status.ts";
import { accountWithToken, type Call, startTestApi, type TestApi } from "../../support/api.ts";
import { insertReport } from "../../support/builders.ts";
import { setReport } from "../../support/check-counts.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";

describe("A report's progress in the API", () => {
  let database: TestDatabase;
  let api: TestApi;
  let call: Call;
  let id: string;

  before(async () => {
    database = await createTestDatabase();
    api = await startTestApi(database);
    const { accountId, token } = await accountWithToken(database);
    call = api.as(token);
    id = await insertReport(database.db, { accountId });
  });
  after(async () => {
    await api.close();
    await database.drop();
  });

  // A phase is written when the controller looks at the report again, so a late one must not contradict the counters.
  const states: [
    name: string,
    phase: ReportPhase,
    crawl: CrawlState,
    pending: number,
    allFound: boolean,
    comparing: boolean,
  ][] = [
    ["waits", "Pending", "pending", 0, false, false],
    ["is being crawled", "Crawling", "crawling", 0, false, false],
    ["is being checked", "Checking", "ended", 2, true, false],
    ["is being checked, although its phase is older", "Crawling", "ended", 2, true, false],
    ["is only being compared", "Checking", "ended", 0, true, true],
    ["is only being compared, although its phase is older", "Crawling", "ended", 0, true, true],
    ["has ended", "Complete", "ended", 0, true, false],
    ["has failed", "Failed", "failed", 0, true, false],
  ];
  for (const [name, phase, crawl, pending, allFound, comparing] of states)
    it(`says that the report ${name}`, async () => {
      await setReport(database.db, id, { phase, crawl_state: crawl, html_pending: pending });
      const { json } = await call("GET", `/reports/${id}/progress`);
      expect(json.data.attributes).to.deep.include({ all_pages_found: allFound, comparing });
    });

  it("counts the pages that are done, and how many ended in each part of the run", async () => {
    const { accountId, token } = await accountWithToken(database);
    const now = Date.now();
    const own = await insertReport(database.db, { accountId });
    await setReport(database.db, own, { phase: "Checking", crawl_started_at: new Date(now - 40_000), num_pages: 4 });
    const ended = [30, 15, 12].map((seconds) => new Date(now - seconds * 1_000));
    for (const [index, at] of [...ended, null].entries()) {
      const url = `https://example.com/${index}`;
      const values = { report_id: own, url };
      const { id: page } = await database.db
        .insertInto("web_pages")
        .values(values)
        .returning("id")
        .executeTakeFirstOrThrow();
      const status = at === null ? "queued" : index === 2 ? "failed" : "checked";
      const check = { report_id: own, web_page_id: page, kind: "html", status, finished_at: at } as const;
      await database.db.insertInto("checks").values(check).execute();
    }
    const { pages, rates } = (await api.as(token)("GET", `/reports/${own}/progress`)).json.data.attributes as {
      pages: object;
      rates: { pages_per_minute: number }[];
    };
    expect(pages).to.deep.equal({ found: 4, checked: 2, failed: 1 });
    // Twelve parts of five seconds: a page that ends in one is twelve a minute.
    expect(rates).to.have.length(12);
    expect(rates.reduce((sum, { pages_per_minute }) => sum + pages_per_minute, 0)).to.equal(36);
    await setReport(database.db, own, { phase: "Complete" });
    const after = (await api.as(token)("GET", `/reports/${own}/progress`)).json.data.attributes;
    expect(after.rates).to.deep.equal([]);
  });

  it("says what is left out while the report runs because it would change something", async () => {
    const url = "https://example.com/posts/7/delete";
    await writeNotices(database.db, id, [
      { code: "acts_left_out", url, howMany: 1, detail: 'It has "delete" in its path.' },
      { code: "same_document", url, howMany: 1, detail: "" },
    ]);
    await setReport(database.db, id, { phase: "Crawling", crawl_state: "crawling" });
    const { notices } = (await call("GET", `/reports/${id}/progress`)).json.data.attributes;
    expect(notices).to.have.length(1);
    expect((notices as object[])[0]).to.deep.include({
      code: "acts_left_out",
      examples: [{ url, detail: 'It has "delete" in its path.' }],
    });
    await setReport(database.db, id, { phase: "Complete", crawl_state: "ended" });
    expect((await call("GET", `/reports/${id}/progress`)).json.data.attributes.notices).to.deep.equal([]);
  });
});
