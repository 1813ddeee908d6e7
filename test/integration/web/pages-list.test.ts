import { expect } from "chai";
import { sql } from "kysely";
import { insertReport } from "../../support/builders.ts";
import { runReport } from "../../support/compared-sites.ts";
import { open, type PagesScene, press, signedInToPages, textOf } from "../../support/web-pages.ts";

const site = {
  "/": ["alt img p1", "alt img p2"],
  "/bread": ["alt img p1"],
  "/cheese": [],
  "/account": { failed: 500 },
};

describe("The list of a report's pages", () => {
  let scene: PagesScene;
  let report: string;
  let list: string;
  signedInToPages((made) => {
    scene = made;
  });

  beforeEach(async () => {
    const { db } = scene.database;
    await runReport(db, scene.accountId, { "/": ["alt img p1"], "/bread": ["alt img p1"] }, { at: new Date(0) });
    report = await runReport(db, scene.accountId, site);
    list = `/reports/${report}/pages`;
    await sql`update web_pages set title = 'Rye & spelt' where url like '%/bread'`.execute(db);
  });

  const names = async (query = "") => {
    const page = await open(scene.client, `${list}${query}`);
    return page("tbody th")
      .toArray()
      .map((cell) => page(cell).text().replace(/\s+/g, " ").trim());
  };
  const boxes = async () => {
    const page = await open(scene.client, list);
    return new Map(
      page("tbody tr")
        .toArray()
        .map((row) => [page(row).find(".url").text(), page(row).find("input[name=page]").attr("value") ?? ""]),
    );
  };
  const send = (fields: string) =>
    scene.client.get(list).then(({ html }) => {
      const csrf = /name="csrf" value="([^"]+)"/.exec(html)?.[1] ?? "";
      return fetch(`${scene.service.url}${list}/selected`, {
        method: "POST",
        headers: { cookie: scene.client.cookie(), "content-type": "application/x-www-form-urlencoded" },
        body: `csrf=${encodeURIComponent(csrf)}&${fields}`,
        redirect: "manual",
      });
    });
  const api = (path: string) => scene.service.as(scene.token)("GET", `/reports/${report}${path}`);

  it("has titles with their paths, the pages with most errors first, and those that could not be checked without a number", async () => {
    expect(await names()).to.deep.equal(["/", "Rye & spelt /bread", "/cheese", "/account"]);
  });

  it("counts pages by how their checks ended: the counts add up, and each filters", async () => {
    const page = await open(scene.client, list);
    const chips = page("[aria-label=Status] a").toArray();
    const counted = chips.map((chip) => Number(page(chip).find(".quiet").text()));
    expect(counted[0]).to.equal(4);
    expect(counted.slice(1).reduce((sum, count) => sum + count, 0)).to.equal(4);
    for (const [index, chip] of chips.entries())
      expect(await names(new URL(page(chip).attr("href") ?? "", "http://x").search)).to.have.length(
        counted[index] ?? 0,
      );
    expect(textOf(page)).to.include("4 pages, 3 errors, 1 new");
    expect(await names("?state=new")).to.deep.equal(["/"]);
  });

  it("is searched by title and address", async () => {
    expect(await names("?url=spelt")).to.deep.equal(["Rye & spelt /bread"]);
    expect(await names("?url=CHEE")).to.deep.equal(["/cheese"]);
  });

  it("leads from page to page in its order, with its filters", async () => {
    const page = await open(scene.client, `${list}?result=errors&sort=url-asc`);
    const first = page("tbody th a").first().attr("href") ?? "";
    const shown = await open(scene.client, first);
    expect(textOf(shown)).to.include("1 of 2");
    expect(shown("a[rel=prev]").length).to.equal(0);
    const next = await open(scene.client, shown('nav[aria-label="Pages"] a[rel=next]').attr("href") ?? "");
    expect(textOf(next, "h2")).to.include("Rye & spelt");
    expect(textOf(next)).to.include("2 of 2");
    expect(next('nav[aria-label="Pages"] a[rel=prev]').attr("href")).to.equal(first);
  });

  it("checks ticked pages again, also those that could not be checked, and says how many wait", async () => {
    const ids = await boxes();
    const response = await send(`act=again&page=${ids.get("/account")}&page=${ids.get("/cheese")}`);
    const location = response.headers.get("location") ?? "";
    expect(location).to.match(/[?]done=queuedAll&again=/);
    const page = await open(scene.client, location);
    expect(textOf(page)).to.include("2 pages are being checked again, none are done.");
    expect(page("main").attr("data-live")).to.include("/events");
    expect(textOf(await open(scene.client, list))).to.include("2 pages are waiting to be checked.");
  });

  it("says what has become of pages that were checked again, and shows them", async () => {
    const ids = await boxes();
    const names = ["/", "/cheese", "/account"];
    const response = await send(`act=again&${names.map((name) => `page=${ids.get(name)}`).join("&")}`);
    const { db } = scene.database;
    await sql`update checks set status = 'checked', errors = case when web_page_id = ${ids.get("/")} then 1 else 0 end
      where report_id = ${report} and status = 'queued' and web_page_id <> ${ids.get("/account")}`.execute(db);
    const address = response.headers.get("location") ?? "";
    expect(textOf(await open(scene.client, address))).to.include("3 pages are being checked again, 2 are done.");
    await sql`update checks set status = 'failed', failure_code = 'http_error' where report_id = ${report} and status = 'queued'`.execute(
      db,
    );
    const page = await open(scene.client, address);
    const said = textOf(page, "[role=status].line");
    expect(said)
      .to.include("3 pages were checked again:")
      .and.include("/ 2 → 1 error")
      .and.include("/cheese 0 as before");
    expect(said)
      .to.include("/account still not checked")
      .and.match(/Report: 3 → \d/);
    const shown = await open(scene.client, page("[role=status].line a").attr("href") ?? "");
    expect(shown("tbody tr").length).to.equal(3);
    expect(textOf(shown)).to.include("3 pages chosen");
  });

  it("ticks all that are shown, and none", async () => {
    const all = await open(scene.client, (await open(scene.client, list))('a:contains("Tick all")').attr("href") ?? "");
    expect(all("tbody input:checked").length).to.equal(4);
    const none = await open(scene.client, all('a:contains("none")').attr("href") ?? "");
    expect(none("tbody input:checked").length).to.equal(0);
  });

  describe("says why it has nothing, and what is nearest:", () => {
    it("a text that is nowhere, also in a part of the site", async () => {
      const page = await open(scene.client, `${list}?url=ticket&path=/`);
      expect(textOf(page, "section.card")).to.include(
        "No page matches “ticket”. Titles and addresses were searched, in / only.",
      );
      const links = page("section.card p:last-child a").toArray();
      expect(links.map((link) => page(link).text())).to.deep.equal(["Search the whole site", "All 4 pages"]);
      expect(textOf(await open(scene.client, `${list}?url=ticket`))).to.not.include("Search the whole site");
    });

    it("no page without findings", async () => {
      await sql`update checks set errors = 3 where report_id = ${report} and errors = 0 and status = 'checked'`.execute(
        scene.database.db,
      );
      const page = await open(scene.client, `${list}?result=nothing`);
      expect(textOf(page, "section.card")).to.include(
        "No page is without findings yet. The nearest is Rye & spelt, with 1 error.",
      );
      const fewest = page('a:contains("fewest errors")').attr("href") ?? "";
      expect((await open(scene.client, fewest))("tbody th a").first().text()).to.equal("Rye & spelt");
    });

    it("a run that has just begun", async () => {
      const id = await insertReport(scene.database.db, { accountId: scene.accountId });
      const page = await open(scene.client, `/reports/${id}/pages`);
      expect(textOf(page, "section.card")).to.include("Pages come as they are checked. The run began now.");
    });

    it("a run in which no page could be checked", async () => {
      const failed = { "/": { failed: 500 } };
      const id = await runReport(scene.database.db, scene.accountId, failed);
      const page = await open(scene.client, `/reports/${id}/pages`);
      expect(textOf(page, ".strip")).to.include("No page could be checked.");
      expect(textOf(await open(scene.client, list))).to.not.include("No page could be checked.");
    });
  });

  it("says what becomes of the numbers before it deletes ticked pages", async () => {
    const ids = await boxes();
    const asked = await send(`act=ask&page=${ids.get("/")}`);
    const address = asked.headers.get("location") ?? "";
    const page = await open(scene.client, address);
    expect(textOf(page))
      .to.include("Delete 1 page from this report?")
      .and.include("Errors: 3 → 1, pages: 4 → 3, of them checked: 3 → 2");
    expect((await api("/web_pages")).json.meta.total, "nothing is deleted yet").to.equal(4);
    const { location } = await press(scene.client, page, `${list}/selected`, { act: "delete" });
    expect(location).to.equal(`${list}?done=deletedAll`);
    expect((await api("/web_pages")).json.meta.total).to.equal(3);
    expect(textOf(await open(scene.client, list))).to.include("3 pages, 1 error");
  });

  for (const act of ["again", "ask", "delete"])
    it(`does nothing without a ticked page, and says so: ${act}`, async () => {
      expect((await send(`act=${act}&page=x`)).headers.get("location")).to.equal(`${list}?done=noneTicked`);
      expect((await api("/web_pages")).json.meta.total).to.equal(4);
    });

  it("offers nothing of that to those who only read", async () => {
    await scene.service.as(scene.token)("PATCH", `/reports/${report}`, { attributes: { shared: true } });
    const page = await open(scene.client, `/r/${report}/pages`);
    expect(page("tbody tr").length).to.equal(4);
    expect(page("input[type=checkbox], .dock").length).to.equal(0);
  });
});
