import { expect } from "chai";
import { sql } from "kysely";
import { endReport } from "../../../src/transactions/end-report.ts";
import { insertReport } from "../../support/builders.ts";
import { setReport } from "../../support/check-counts.ts";
import { insertFindings } from "../../support/findings.ts";
import { open, type PagesScene, signedInToPages, textOf } from "../../support/web-pages.ts";

describe("What was not checked in a report", () => {
  let scene: PagesScene;
  let id: string;
  let path: string;
  signedInToPages((made) => {
    scene = made;
  });
  beforeEach(async () => {
    const { db } = scene.database;
    id = await insertReport(db, { accountId: scene.accountId });
    await insertFindings(db, id);
    const left = { report_id: id, linked_from: "https://example.com/" };
    await db
      .insertInto("excluded_urls")
      .values([
        { ...left, url: "https://example.com/cart", reason: "robots" },
        { ...left, url: "https://other.example/two", reason: "off_site" },
      ])
      .execute();
    path = `/reports/${id}/failed`;
  });

  it("is said in a sentence, and grouped by reason, the most frequent first", async () => {
    const page = await open(scene.client, path);
    expect(textOf(page, ".verdict")).to.equal("1 page could not be checked, 3 addresses were left out.");
    const groups = page("details.reason")
      .toArray()
      .map((group) => [page(group).find("summary b").text(), page(group).find("tbody tr").length]);
    expect(groups).to.deep.equal([
      ["1", 1],
      ["2", 2],
      ["1", 1],
    ]);
    expect(textOf(page, "details.reason summary")).to.include("The server responded with an error status.");
  });

  it("has the pages that could not be checked open, with what happened at each", async () => {
    const page = await open(scene.client, path);
    const shown = page("details.reason[open]");
    expect(shown.length).to.equal(1);
    expect(shown.text()).to.include("The server responded with 500 Internal Server Error.");
  });

  it("has all of each reason beside it, however many are listed, and leads to the others", async () => {
    const left = { report_id: id, linked_from: "https://example.com/", reason: "robots" } as const;
    const more = Array.from({ length: 120 }, (_, n) => ({ ...left, url: `https://example.com/cart/${n}` }));
    await scene.database.db.insertInto("excluded_urls").values(more).execute();
    const page = await open(scene.client, path);
    expect(textOf(page, ".verdict")).to.include("123 addresses were left out");
    const robots = page('[aria-labelledby=excluded] details.reason:contains("robots.txt")');
    expect(robots.find("summary b").text()).to.equal("121");
    expect(robots.find("tbody tr").length).to.equal(25);
    const all = robots.find("p a");
    expect(all.text()).to.equal("All 121");
    const listed = await open(scene.client, all.attr("href")?.split("#")[0] ?? "");
    const opened = listed("[aria-labelledby=excluded] details.reason[open]");
    expect(opened.find("tbody tr").length).to.equal(100);
    expect(opened.find('a[rel="next"]').length).to.equal(1);
  });

  it("tells pages that could not be checked from addresses that lead to no page, in all places alike", async () => {
    const { db } = scene.database;
    const spec = { performHtmlChecks: true };
    const report = await insertReport(db, { accountId: scene.accountId, spec });
    await sql`
      with pages as (
        insert into web_pages (report_id, url, http_status, fetched)
        select ${report}::uuid, 'https://example.com/' || n, case when n = 1 then 200 when n < 4 then 404 else 500 end, n = 1
        from generate_series(1, 8) n returning id, http_status
      )
      insert into checks (report_id, web_page_id, kind, status, failure_code, finished_at)
      select ${report}::uuid, id, 'html', case when http_status = 200 then 'checked' else 'failed' end,
        case when http_status <> 200 then 'http_error' end, now() from pages order by id`.execute(db);
    await sql`update reports set crawl_state = 'ended', num_pages = 8 where id = ${report}`.execute(db);
    await setReport(db, report, { html_checked: 1, html_failed: 7 });
    expect(await endReport(db, report, "Complete", new Date())).to.equal(true);
    const summary = await open(scene.client, `/reports/${report}`);
    expect(textOf(summary)).to.include("5 could not be checked · 2 addresses without a page");
    const page = await open(scene.client, `/reports/${report}/failed`);
    const tab = page('nav.tabs li:contains("Not checked")');
    expect(tab.text().replace(/\s+/g, " ").trim()).to.equal("Not checked 5");
    expect(textOf(page, ".verdict")).to.equal(
      "5 pages could not be checked, 2 addresses lead to no page, 0 addresses were left out.",
    );
    expect(textOf(page, "#failed")).to.equal("Could not be checked: 5");
    expect(textOf(page, "#without")).to.equal("Addresses without a page: 2");
    expect(page("[aria-labelledby=failed] tbody tr").length).to.equal(5);
    expect(page("[aria-labelledby=without] tbody tr").length).to.equal(2);
  });
});
