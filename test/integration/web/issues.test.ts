import { expect } from "chai";
import { insertReport } from "../../support/builders.ts";
import { runReport } from "../../support/compared-sites.ts";
import { insertFindings } from "../../support/findings.ts";
import { open, type PagesScene, signedInToPages, textOf } from "../../support/web-pages.ts";

describe("The issues of a report", () => {
  let scene: PagesScene;
  let report: string;
  signedInToPages((made) => {
    scene = made;
  });
  beforeEach(async () => {
    const { database, accountId } = scene;
    report = await insertReport(database.db, {
      accountId,
      spec: { performHtmlChecks: true, performA11yChecks: true },
    });
    await insertFindings(database.db, report);
    await database.db
      .updateTable("common_issues")
      .set({ tags: ["cat.color", "wcag21aa", "wcag143"] })
      .where("kind", "=", "a11y")
      .execute();
    await database.db.updateTable("common_issues").set({ tags: [] }).where("kind", "=", "html").execute();
  });

  const rules = async (query: string) => {
    const page = await open(scene.client, `/reports/${report}/issues?${query}`);
    return { headings: textOf(page, "h2"), chosen: page("#field-standard option[selected]").val() };
  };

  it("are those that fail a standard, or a version that includes it", async () => {
    for (const standard of ["wcag21aa", "wcag22aa", "en301549"]) {
      const { headings, chosen } = await rules(`standard=${standard}`);
      expect(headings, standard).to.include("1 rule, ").and.not.include("2 rules");
      expect(chosen).to.equal(standard);
    }
  });

  it("are those about a success criterion, to which the report's list of criteria leads", async () => {
    const { headings } = await rules("criterion=1.4.3");
    expect(headings).to.include("1 rule, ").and.not.include("2 rules");
    expect((await rules("criterion=1.1.1")).headings).to.equal("No findings match");
    const page = await open(scene.client, `/reports/${report}/issues?criterion=1.4.3`);
    const chip = page('.chip[aria-current="true"]').filter((_, one) => page(one).text() === "1.4.3");
    expect(chip.attr("href")).to.equal(`/reports/${report}/issues`);
    expect(page('form input[type=hidden][name="criterion"]').attr("value")).to.equal("1.4.3");
  });

  it("are none of a standard that asks for less, and of none at all", async () => {
    for (const standard of ["wcag2aa", "section508", "best-practice"])
      expect((await rules(`standard=${standard}`)).headings, standard).to.equal("No findings match");
  });

  it("of several engines about the same thing are one row with the sum of both, which opens without script", async () => {
    const { database, accountId, client } = scene;
    const site = { "/": ["missing-attribute/alt img p1", "empty-heading h1 p2"], "/two": [] };
    const a11y = { "/": ["image-alt img p1"], "/two": ["image-alt img p1"] };
    const spec = { performHtmlChecks: true, performA11yChecks: true };
    const path = `/reports/${await runReport(database.db, accountId, site, { spec, a11y })}/issues`;
    const page = await open(client, path);
    expect(textOf(page, "#rules")).to.equal("2 rules, 4 findings");
    const row = page("ol.rules > li").first();
    expect(row.find("summary code").text()).to.equal("image-alt, missing-attribute/alt");
    expect(row.find("summary").text()).to.include("An image, or what acts as one, has no text alternative");
    expect(row.find("summary b.n").text()).to.match(/^3 /);
    expect(row.find("summary span.n").text()).to.match(/^2 /);
    const inside = row.find(".inside");
    expect(inside.find(".rows > li").length).to.equal(2);
    expect(inside.find(".fixes > li").length).to.equal(2);
    expect(inside.find('a[href*="/mutings/new?rule=image-alt"]').length).to.equal(1);
    const engine = await open(client, `${path}?kind=html`);
    expect(textOf(engine, "#rules")).to.equal("2 rules, 2 findings");
    expect(textOf(engine, "ol.rules > li:first-child summary code")).to.not.include("image-alt");
  });

  it("are of a part of the site and in an order that a form keeps with the other filters", async () => {
    const { database, accountId, client } = scene;
    const site = {
      "/": ["empty-heading h1 p1", "empty-heading h1 p2", "empty-heading h1 p3"],
      "/docs/": ["img/alt img p1"],
      "/docs/two": ["img/alt img p1"],
    };
    const path = `/reports/${await runReport(database.db, accountId, site)}/issues`;
    const order = async (query: string) => {
      const page = await open(client, path + query);
      return page("ol.rules summary code")
        .toArray()
        .map((code) => page(code).text());
    };
    expect(await order("")).to.deep.equal(["empty-heading", "img/alt"]);
    expect(await order("?sort=pages")).to.deep.equal(["img/alt", "empty-heading"]);
    const part = await open(client, `${path}?path=/docs/&sort=pages&type=error`);
    expect(textOf(part, "#rules")).to.equal("1 rule, 2 errors");
    expect(part("#field-path option[selected]").val()).to.equal("/docs/");
    expect(part("#field-sort option[selected]").val()).to.equal("pages");
    expect(part('form input[type=hidden][name="type"]').val()).to.equal("error");
  });

  it("are all for what is no standard", async () => {
    expect((await rules("standard=x")).headings).to.include("3 rules, ");
  });

  it("lead to pages that lead back to the list as it was, and to no other address", async () => {
    const list = `/reports/${report}/issues?kind=a11y&type=error`;
    const page = await open(scene.client, list);
    const to = page("a[href*='/issues/a11y/']").first().attr("href") ?? "";
    const back = async (address: string) => {
      const rule = await open(scene.client, address);
      return rule("nav[aria-label=Breadcrumb] a").last();
    };
    const found = await back(to);
    expect(found.text()).to.equal("Issues");
    expect(found.attr("href")).to.equal(list);
    for (const from of ["//evil.example/", "/sites/x?y=1", `/reports/${report}/nothing?a=b`])
      expect((await back(`${to.split("?")[0]}?${new URLSearchParams({ from })}`)).text(), from).not.to.equal("Issues");
  });
});
