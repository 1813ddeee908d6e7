import { expect } from "chai";
import { accountWithToken, type TestApi } from "../../support/api.ts";
import { insertReport } from "../../support/builders.ts";
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
    await database.db.updateTable("reports").set(row).where("id", "=", id).execute();
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

  const running = { phase: "Checking" as const, html_checked: 5, html_pending: 5, a11y_checked: 5, a11y_pending: 5 };

  it("has a rate and the time left while a report runs", async () => {
    const said = await summaryOf({ ...running, inserted_at: new Date(now.getTime() - 60_000) });
    expect(said).to.include("10 checks a minute").and.include("About 60 seconds left");
  });

  it("calls the time left the least that it takes while pages are still being found", async () => {
    const said = await summaryOf({ ...running, phase: "Crawling", inserted_at: new Date(now.getTime() - 60_000) });
    expect(said).to.include("At least 60 seconds left");
  });

  it("has no time left of a report that is days old, of which a page is checked again", async () => {
    const old = { ...running, html_pending: 1, inserted_at: new Date(now.getTime() - 9 * DAY_MS) };
    const said = await summaryOf({
      ...old,
      run_base: JSON.stringify({}),
      completed_at: new Date(now.getTime() - 8 * DAY_MS),
    });
    expect(said).to.not.match(/\d+ (hours|minutes|seconds) left|checks a minute/);
  });

  it("is the comparison that the report ended with: to look at it makes no other", async () => {
    await runReport(database.db, accountId, { "/": ["rule a x"] }, { at: new Date(now.getTime() - DAY_MS) });
    const second = await runReport(database.db, accountId, { "/": ["rule a x", "rule a y"] }, { at: now });
    expect(textOf(await open(client, `/reports/${second}/changes`))).to.include("New findings");
    await database.db.deleteFrom("comparisons").execute();
    expect(textOf(await open(client, `/reports/${second}/changes`))).to.include("There is nothing to compare with");
    expect(await database.db.selectFrom("comparisons").selectAll().execute()).to.deep.equal([]);
  });

  it("has no rate of nothing a minute", async () => {
    const said = await summaryOf({ ...running, inserted_at: new Date(now.getTime() - DAY_MS) });
    expect(said).to.not.include("0 checks a minute.");
  });
});
