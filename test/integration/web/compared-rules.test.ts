import { expect } from "chai";
import { runReport } from "../../support/compared-sites.ts";
import { open, type Page, type PagesScene, signedInToPages, textOf } from "../../support/web-pages.ts";

/** More rules than one page of a list has. */
const MANY = 101;
const ago = (days: number) => new Date(Date.now() - days * 86_400_000);
/** Findings of so many rules, each with so many elements. */
const rules = (name: string, count: number, elements = 1): string[] =>
  Array.from({ length: count }, (_, n) =>
    Array.from({ length: elements }, (__, at) => `${name}-${String(n).padStart(3, "0")} img ${name}${n}-${at}`),
  ).flat();

describe("The changed rules on the page of changes", () => {
  let scene: PagesScene;
  signedInToPages((made) => {
    scene = made;
  });

  const changes = async (before: string[], after: string[]) => {
    const { db } = scene.database;
    await runReport(db, scene.accountId, { "/": before }, { at: ago(2) });
    return `/reports/${await runReport(db, scene.accountId, { "/": after }, { at: ago(1) })}/changes`;
  };
  const listed = (page: Page) => page("ol.rules > li").length;

  it("are there however many rules are as before", async () => {
    const before = rules("same", MANY, 2);
    const page = await open(
      scene.client,
      await changes([...before, ...rules("old", 1)], [...before, ...rules("new", 1)]),
    );
    expect(
      page("ol.rules h4")
        .toArray()
        .map((one) => page(one).text()),
    ).to.deep.equal(["new-000", "old-000"]);
    expect(textOf(page, "[aria-labelledby=rules]")).to.not.include("There are none");
  });

  it("lead to all of a state where not all are shown, and stay on the part of the list when one is opened", async () => {
    const path = await changes([], rules("new", MANY));
    const first = await open(scene.client, path);
    expect(listed(first)).to.equal(100);
    const all = first('a:contains("All 101 rules")').attr("href");
    expect(all).to.equal(`${path}?state=new`);
    const second = await open(scene.client, `${path}?state=new&page=2`);
    expect(listed(second)).to.equal(1);
    const to = second("ol.rules h4 a").attr("href")?.split("#")[0] ?? "";
    const opened = await open(scene.client, to);
    expect(listed(opened)).to.equal(1);
    expect(opened("ol.rules h4 a[aria-current]").length).to.equal(1);
    expect(opened('a[rel="prev"]').attr("href")).to.equal(`${path}?state=new`);
  });
});
