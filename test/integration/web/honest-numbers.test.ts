import { expect } from "chai";
import { sql } from "kysely";
import { failRequest } from "../../../src/database/findings/comparison-requests.ts";
import { accountWithToken, type TestApi } from "../../support/api.ts";
import { insertReport } from "../../support/builders.ts";
import { setReport } from "../../support/check-counts.ts";
import { runReport } from "../../support/compared-sites.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { open, startTestPages, textOf } from "../../support/web-pages.ts";
import { signedIn, type WebClient } from "../../support/web-service.ts";

const DAY_MS = 86_400_000;
const now = new Date("2026-05-05T12:00:00Z");

describe("What a report's page says", () => {
  let database: TestDatabase;
  let service: TestApi;
  let accountId: string;
  let client: WebClient;

  before(async () => {
    database = await createTestDatabase();
    service = await startTestPages(database, { now: () => now });
    const owner = await accountWithToken(database);
    accountId = owner.accountId;
    client = await signedIn({ url: service.url, token: owner.token });
  });
  after(async () => {
    await service.close();
    await database.drop();
  });

  async function summaryOf(values: Record<string, unknown>): Promise<string> {
    const spec = { performHtmlChecks: true, performA11yChecks: true };
    const id = await insertReport(database.db, { accountId, spec });
    const row = { phase: "Complete" as const, num_pages: 10, ...values };
    await setReport(database.db, id, row);
    return textOf(await open(client, `/reports/${id}`));
  }

  it("is that nothing is wrong when every page was checked", async () => {
    expect(await summaryOf({ html_checked: 10, a11y_checked: 10 })).to.include("Nothing wrong was found");
  });

  const partly = {
    "pages failed": { html_checked: 3, html_failed: 7, a11y_checked: 3, a11y_failed: 7 },
    "the browser failed on every page": { html_checked: 10, a11y_checked: 0, a11y_failed: 10 },
    "the crawl was cut short": { html_checked: 10, a11y_checked: 10, failure_code: "deadline_exceeded" },
  };
  for (const [why, values] of Object.entries(partly))
    it(`is not that nothing is wrong when ${why}`, async () => {
      const said = await summaryOf(values);
      expect(said).to.not.include("Nothing wrong was found");
      expect(said).to.include("Pages checked");
    });

  const running = {
    phase: "Checking" as const,
    html_checked: 30,
    html_pending: 30,
    a11y_checked: 30,
    a11y_pending: 30,
  };

  /** A report under way, of which pages are found in order: 30 are checked, one every two seconds until then. */
  async function runningSummary(
    values: Record<string, unknown>,
    lastEnd = now,
    meanwhile = async (_report: string): Promise<unknown> => undefined,
  ): Promise<string> {
    const spec = { performHtmlChecks: true, performA11yChecks: true };
    const report = await insertReport(database.db, { accountId, spec });
    const row = { ...running, num_pages: 60, ...values };
    await setReport(database.db, report, row);
    await sql`
      with pages as (
        insert into web_pages (report_id, url)
        select ${report}::uuid, 'https://example.com/' || n from generate_series(1, 60) n returning id
      ), numbered as (select id, row_number() over (order by id) as n from pages)
      insert into checks (report_id, web_page_id, kind, status, finished_at)
      select ${report}::uuid, id, kind, case when n <= 30 then 'checked' else 'queued' end,
        case when n <= 30 then ${lastEnd}::timestamptz - make_interval(secs => 2 * (30 - n)) end
      from numbered, unnest(array['html', 'a11y']) as kind order by n, kind`.execute(database.db);
    await meanwhile(report);
    return textOf(await open(client, `/reports/${report}`));
  }

  it("has a rate and the time left while a report runs, also of one that waited for days", async () => {
    const said = await runningSummary({ inserted_at: new Date(now.getTime() - 2 * DAY_MS) });
    expect(said).to.include("30 pages a minute").and.include("About 60 seconds left");
  });

  it("has the time left also while a page that may have ended its checker waits for all others", async () => {
    const said = await runningSummary({}, now, (report) =>
      sql`update checks set status = 'queued', alone = true, finished_at = null
        where web_page_id = (select min(id) from web_pages where report_id = ${report})`.execute(database.db),
    );
    expect(said).to.include("30 pages a minute").and.include("About 60 seconds left");
  });

  it("calls the time left the least that it takes while pages are still being found", async () => {
    expect(await runningSummary({ phase: "Crawling" })).to.include("At least 60 seconds left");
  });

  it("has a longer time left when nothing has ended for a while", async () => {
    const said = await runningSummary({}, new Date(now.getTime() - 58_000));
    expect(said).to.include("15 pages a minute").and.include("About 2 minutes left");
  });

  it("has no time left of a report that is days old, of which a page is checked again", async () => {
    const values = { inserted_at: new Date(now.getTime() - 9 * DAY_MS), run_base: JSON.stringify({}) };
    const said = await runningSummary(values, new Date(now.getTime() - 8 * DAY_MS));
    expect(said)
      .to.match(/of \d+ pages? done/)
      .and.match(/Rate ?– ?pages a minute/)
      .and.not.match(/left/);
  });

  it("has no time left before some pages are checked", async () => {
    const said = await summaryOf({ phase: "Checking", html_pending: 10, a11y_pending: 10 });
    expect(said)
      .to.match(/of \d+ pages? done/)
      .and.match(/Rate ?– ?pages a minute/)
      .and.not.match(/left/);
  });

  it("is the comparison that the report ended with: to look at it makes no other", async () => {
    await runReport(database.db, accountId, { "/": ["rule a x"] }, { at: new Date(now.getTime() - DAY_MS) });
    const second = await runReport(database.db, accountId, { "/": ["rule a x", "rule a y"] }, { at: now });
    expect(textOf(await open(client, `/reports/${second}/changes`))).to.include("1 error became 2: 0 fixed, 1 new.");
    await database.db.deleteFrom("comparisons").execute();
    expect(textOf(await open(client, `/reports/${second}/changes`))).to.include("There is nothing to compare with");
    expect(await database.db.selectFrom("comparisons").selectAll().execute()).to.deep.equal([]);
  });

  it("says how far a comparison with another run is that is being made, looks again, and says why it failed", async () => {
    const large = await startTestPages(database, { now: () => now, comparedAtOnce: 0 });
    try {
      const { accountId: owner, token } = await accountWithToken(database);
      const reader = await signedIn({ url: large.url, token });
      const base = await runReport(database.db, owner, { "/": ["rule a x"] }, { at: new Date(now.getTime() - DAY_MS) });
      const report = await runReport(database.db, owner, { "/": ["rule a x"] }, { at: now });
      await database.db.deleteFrom("comparisons").execute();
      const address = `/reports/${report}/changes?base=${base}`;
      const waiting = await open(reader, address);
      expect(textOf(waiting)).to.include("they are being compared").and.include("0 %");
      expect(waiting('meta[http-equiv="refresh"]').attr("content")).to.equal("5");
      await sql`update comparison_requests set started_at = now(), percent = 45`.execute(database.db);
      expect((await open(reader, address))("progress").attr("value")).to.equal("45");
      await failRequest(database.db, { reportId: report, baseId: base }, "took_too_long");
      const failed = await open(reader, address);
      expect(textOf(failed)).to.include("They could not be compared").and.include("too many findings");
      expect(failed('meta[http-equiv="refresh"]')).to.have.length(0);
    } finally {
      await large.close();
    }
  });
});
