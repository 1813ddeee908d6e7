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
