import { expect } from "chai";
import { sql } from "kysely";
import { recountComparisons } from "../../../src/transactions/compare.ts";
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

  it("are called what their guides call them, however many things the engine says of them", async () => {
    const { db } = scene.database;
    const path = await changes(
      ["img/alt img a"],
      ["img/alt img a", "obsolete-element center c", "obsolete-element font f"],
    );
    // As of the engine: each element has a message of its own.
    await sql`update issues set message = '<center> is obsolete.' where rule = 'obsolete-element'`.execute(db);
    const page = await open(scene.client, `${path}?state=new`);
    expect(page("ol.rules h4").text()).to.equal("An element is obsolete");
    expect(page("ol.rules > li > b.n").text()).to.include("2");
    const found = page("ol.rules .inside tbody th");
    expect(found.length).to.equal(2);
  });

  it("are errors, and warnings where somebody asks for them: the numbers of each are those of its list", async () => {
    const { db } = scene.database;
    const path = await changes(["same img a", "kept img k"], ["same img a", "kept img k", "fresh img f"]);
    await sql`update findings set issue_type = 'warning' where rule = 'kept'`.execute(db);
    await sql`update common_issues set issue_type = 'warning' where rule = 'kept'`.execute(db);
    const report = path.split("/")[2] ?? "";
    await recountComparisons(db, report);
    const chip = (shown: Page, name: string) => textOf(shown, `a.chip:contains("${name}")`);
    const page = await open(scene.client, path);
    expect(textOf(page)).to.include("1 error is as before");
    expect(chip(page, "as before")).to.equal("as before 1");
    const warnings = await open(scene.client, `${path}?state=persisting&type=warning`);
    expect(chip(warnings, "as before")).to.equal("as before 1");
    expect(warnings("ol.rules h4").text()).to.equal("kept");
  });

  it("can be of a run that is older than the last twenty", async () => {
    const { db } = scene.database;
    const runs: string[] = [];
    for (let days = 24; days > 0; days--)
      runs.push(await runReport(db, scene.accountId, { "/": rules("same", 1) }, { at: ago(days) }));
    const page = await open(scene.client, `/reports/${runs.at(-1)}/changes`);
    const values = (name: string) =>
      page(`select[name=${name}] option`)
        .toArray()
        .map((option) => page(option).attr("value"));
    expect(values("to")).to.have.members(runs);
    expect(values("base")).to.include(runs[0]).and.not.include(runs.at(-1));
  });
});
