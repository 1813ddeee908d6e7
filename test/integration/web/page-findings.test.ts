import { expect } from "chai";
import { storeComponents } from "../../../src/transactions/store-components.ts";
import { runReport } from "../../support/compared-sites.ts";
import { open, type Page, type PagesScene, signedInToPages, textOf } from "../../support/web-pages.ts";

/** More than one part of the list has. */
const MANY = 130;
const ruleOf = (n: number) => `rule-${String(n).padStart(3, "0")}`;

describe("The findings of a page, on its page,", () => {
  let scene: PagesScene;
  let path: string;
  signedInToPages((made) => {
    scene = made;
  });

  const start = async (number: number, more: readonly string[] = []) => {
    const found = Array.from({ length: number }, (_, n) => `${ruleOf(n)} img p${n}`);
    const id = await runReport(scene.database.db, scene.accountId, { "/": [...more, ...found] });
    await storeComponents(scene.database.db, id, null);
    const pages = await open(scene.client, `/reports/${id}/pages`);
    path = (pages("tbody th a").attr("href") ?? "").split("?")[0] ?? "";
    return id;
  };
  const selected = (page: Page) => textOf(page, ".found [aria-current]");
  const notice = (page: Page) => textOf(page, ".problems[role=status]");

  it("begin with the one that an address names, where it is beyond the first part", async () => {
    await start(MANY);
    const page = await open(scene.client, `${path}?rule=${ruleOf(120)}`);
    expect(selected(page)).to.match(new RegExp(`^1${ruleOf(120)}`));
    expect(textOf(page, "#how")).to.include(ruleOf(120));
    expect(notice(page)).to.equal("");
    const next = page('a[rel="next"][aria-label]').attr("href")?.replace("#how", "") ?? "";
    expect(selected(await open(scene.client, next))).to.match(new RegExp(`^2${ruleOf(0)}`));
    const part = page('main p a:contains("Next")').attr("href") ?? "";
    expect(selected(await open(scene.client, part))).to.match(new RegExp(`^1${ruleOf(100)}`));
  });

  it("begin with one of a component that an address names", async () => {
    const id = await start(MANY);
    const { data } = (await scene.service.as(scene.token)("GET", `/reports/${id}/findings?filter[rule]=${ruleOf(125)}`))
      .json;
    const page = await open(scene.client, `${path}?component=${data[0]?.attributes.component}`);
    expect(selected(page)).to.match(new RegExp(`^1${ruleOf(125)}`));
  });

  it("say when the one that an address names is not among them", async () => {
    await start(2);
    expect(notice(await open(scene.client, `${path}?rule=${ruleOf(1)}`))).to.equal("");
    for (const query of ["rule=of-nothing", "finding=3", "component=0123456789abcdef0123"])
      expect(notice(await open(scene.client, `${path}?${query}`)), query).to.match(
        /^The finding .* is not among these/,
      );
  });

  it("are those of a role on all of the page, and counted by role however many are listed", async () => {
    await start(MANY, ["target-size p d"]);
    const page = await open(scene.client, path);
    expect(textOf(page, ".seg[aria-label]")).to.equal("all 131content 130design 1");
    const content = await open(scene.client, `${path}?role=content`);
    expect(content(".found li").length).to.equal(100);
    expect(textOf(content, ".seg [aria-current]")).to.equal("content 130");
    expect(textOf(content, "#findings")).to.equal("130 findings");
    const design = await open(scene.client, `${path}?role=design`);
    expect(textOf(design, ".found li")).to.match(/^1target-size/);
    await start(2, ["target-size p d"]);
    expect(textOf(await open(scene.client, path), ".seg[aria-label]")).to.equal("all 3content 2design 1");
  });

  it("are below the name of its state, where it is in one, and its address leads there all the same", async () => {
    const url = "https://example.com/#:~:state=menu-open";
    const shown = "https://example.com/ · menu-open";
    const id = await runReport(scene.database.db, scene.accountId, { "/#:~:state=menu-open": ["alt img a"] });
    const pages = await open(scene.client, `/reports/${id}/pages`);
    expect(textOf(pages, "tbody th")).to.equal("/ · menu-open");
    const page = await open(scene.client, pages("tbody th a").attr("href") ?? "");
    expect(page("title").text()).to.include(shown).and.not.include(":~:");
    expect(textOf(page, `h2 a[href="${url}"]`)).to.include(shown);
    expect(page("#field-markdown").text()).to.include(url);
    const site = await open(scene.client, pages("h1 a").attr("href") ?? "");
    expect(textOf(site, "[aria-labelledby=affected] .url")).to.equal("/ · menu-open");
  });
});
