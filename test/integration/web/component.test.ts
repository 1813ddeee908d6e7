import { expect } from "chai";
import { runReport } from "../../support/compared-sites.ts";
import { open, type PagesScene, signedInToPages, textOf } from "../../support/web-pages.ts";

describe("The page of a component", () => {
  let scene: PagesScene;
  signedInToPages((made) => {
    scene = made;
  });

  it("says what is wrong, how bad that is, how it is mended by the guide, and where it is", async () => {
    const pages = { "/": ["img/alt img p1"], "/two": ["img/alt img p1"] };
    const report = await runReport(scene.database.db, scene.accountId, pages);
    const { json } = await scene.service.as(scene.token)("GET", `/reports/${report}/components`);
    const page = await open(scene.client, `/reports/${report}/components/${json.data[0]?.id}`);
    expect(textOf(page, "h1")).to.equal("An image has no text alternative");
    expect(textOf(page, "ul.line:not(nav *)")).to.include("error").and.include("HTML only").and.include("img/alt");
    expect(textOf(page, '[aria-labelledby="fix"]')).to.include("Before").and.include("After");
    expect(page('[aria-labelledby="fix"] a[href="/guides/html/img/alt"]').length).to.equal(1);
    expect(textOf(page, ".rows")).to.include("https://example.com/two");
  });

  it("checks all of its listed pages again, by one button", async () => {
    const { client, database, accountId, service, token } = scene;
    const pages = { "/": ["img/alt img p1"], "/two": ["img/alt img p1"], "/three": [] };
    const report = await runReport(database.db, accountId, pages);
    const { json } = await service.as(token)("GET", `/reports/${report}/components`);
    const page = await open(client, `/reports/${report}/components/${json.data[0]?.id}`);
    const form = page('form[action$="/pages/selected"]');
    expect(form.find("button").text().trim()).to.equal("Check these 2 pages again");
    const fields = form
      .find("input")
      .toArray()
      .map((input): [string, string] => [String(page(input).attr("name")), String(page(input).val())]);
    const sent = await fetch(service.url + form.attr("action"), {
      ...{ method: "POST", redirect: "manual", headers: { cookie: client.cookie() } },
      body: new URLSearchParams(fields),
    });
    const to = new URL(sent.headers.get("location") ?? "", service.url);
    expect([to.pathname, to.searchParams.get("done")]).to.deep.equal([`/reports/${report}/pages`, "queuedAll"]);
    const waiting = await database.db
      .selectFrom("checks")
      .innerJoin("web_pages as p", "p.id", "checks.web_page_id")
      .select("p.url")
      .where("checks.status", "=", "queued")
      .orderBy("p.url")
      .execute();
    expect(waiting.map(({ url }) => url)).to.deep.equal(["https://example.com/", "https://example.com/two"]);
  });
});
