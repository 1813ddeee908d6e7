import { expect } from "chai";
import { sql } from "kysely";
import type { Page } from "puppeteer-core";
import { accountWithToken, type TestApi } from "../../support/api.ts";
import { insertReport } from "../../support/builders.ts";
import { runReport } from "../../support/compared-sites.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { eventually } from "../../support/wait.ts";
import { openPersonsBrowser, type PersonsBrowser, press } from "../../support/web-browser.ts";
import { startTestPages } from "../../support/web-pages.ts";

describe("The page of a report that is under way", () => {
  let database: TestDatabase;
  let service: TestApi;
  let browser: PersonsBrowser;
  let report: string;
  let page: Page;

  before(async () => {
    database = await createTestDatabase();
    service = await startTestPages(database);
    browser = await openPersonsBrowser();
  });
  after(async () => {
    await browser?.close();
    await service?.close();
    await database?.drop();
  });
  beforeEach(async () => {
    const { accountId, token } = await accountWithToken(database);
    report = await insertReport(database.db, { accountId });
    page = await browser.person();
    await page.goto(`${service.url}/sign-in?next=/reports/${report}`);
    await page.type("#field-token", token);
    await press(page, "button", "Sign in");
    await page.waitForSelector("main[data-live]");
  });

  async function find(pages: number): Promise<void> {
    await database.db
      .updateTable("reports")
      .set({ phase: "Crawling", num_pages: pages, updated_at: new Date() })
      .where("id", "=", report)
      .execute();
  }
  const says = (words: string) =>
    page.waitForFunction((wanted) => document.querySelector("main")?.textContent?.includes(wanted), {}, words);

  it("keeps open what somebody opened", async () => {
    await page.click("details.confirm summary");
    await find(7);
    await says("7 pages");
    expect(await page.$eval("details.confirm", (details) => (details as HTMLDetailsElement).open)).to.equal(true);
  });

  it("says what is found so far, how fast, on which pages, and what came since the page was read", async () => {
    const { db } = database;
    const site = { "/": ["alt img p"], "/two": ["alt img p", "alt img q", "lang html *"], "/gone": { failed: 500 } };
    const { accountId, token } = await accountWithToken(database);
    const live = await runReport(db, accountId, site, { at: new Date() });
    const began = new Date(Date.now() - 30_000);
    const under = { phase: "Checking", completed_at: null, crawl_started_at: began, updated_at: new Date() } as const;
    await db.updateTable("reports").set(under).where("id", "=", live).execute();
    await db.insertInto("web_pages").values({ report_id: live, url: "https://example.com/late" }).execute();
    const person = await browser.person();
    await person.goto(`${service.url}/sign-in?next=/reports/${live}`);
    await person.type("#field-token", token);
    await press(person, "button", "Sign in");
    await person.waitForSelector("main[data-live]");
    const text = (selector: string) => person.$eval(selector, (found) => found.textContent?.replace(/\s+/g, " ") ?? "");
    expect(await text("[aria-labelledby=progress]"))
      .to.include("3 of 3 pages done")
      .and.include("Errors so far4 2.0 per page");
    expect(await text("[aria-labelledby=so-far]")).to.match(/4 errors by 2 rules.*alt ?3.*lang ?1.*Just found.*\/two/);
    expect(await text("[aria-labelledby=rates]")).to.include("Pages a minute");
    expect(await text("[aria-labelledby=last]")).to.match(/\/gone.*\/two.*2|\/two.*3/);
    await sql`update common_issues set how_many = how_many + 5 where report_id = ${live} and rule = 'alt'`.execute(db);
    await db.updateTable("reports").set({ updated_at: new Date(), num_pages: 4 }).where("id", "=", live).execute();
    await person.waitForFunction(() =>
      document.querySelector("[data-since]")?.textContent?.includes("+5 since the last update"),
    );
  });

  it("is followed by the page of one of its pages, until that is checked again", async () => {
    const { db } = database;
    const values = { report_id: report, url: "https://example.com/", http_status: 200, linked_from: null };
    const added = await db.insertInto("web_pages").values(values).returning("id").executeTakeFirstOrThrow();
    await db.insertInto("checks").values({ report_id: report, web_page_id: added.id, kind: "html" }).execute();
    await page.goto(`${service.url}/reports/${report}/pages/${added.id}`);
    await says("waiting");
    await says("updates itself");
    await db.updateTable("checks").set({ status: "checked" }).where("web_page_id", "=", added.id).execute();
    await find(1);
    await says("Nothing wrong was found on this page.");
    expect(await page.$("main[data-live]")).to.equal(null);
  });

  it("keeps what it has while the service is not available, and goes on then", async () => {
    const refused: string[] = [];
    let isAway = true;
    await page.setRequestInterception(true);
    page.on("request", (request) => {
      if (isAway && request.resourceType() === "fetch" && request.url().endsWith(report)) {
        refused.push(request.url());
        void request.respond({ status: 503, contentType: "text/html", body: "<main><h1>Away</h1></main>" });
      } else void request.continue();
    });
    await find(8);
    await eventually(() => refused.length > 0);
    isAway = false;
    await says("8 pages");
    await find(9);
    await says("9 pages");
  });
});
