import { expect } from "chai";
import type { ReportSpec } from "../../../src/schema/report.ts";
import { insertReport } from "../../support/builders.ts";
import { runReport } from "../../support/compared-sites.ts";
import { errorOf, open, type PagesScene, press, signedInToPages, textOf } from "../../support/web-pages.ts";

const DAY_MS = 86_400_000;
/** A time so many days ago. */
const ago = (days: number) => new Date(Date.now() - days * DAY_MS);
const errors = (rule: string, n: number): string[] => Array.from({ length: n }, (_, at) => `${rule} img p${at}`);

describe("The page of a site", () => {
  let scene: PagesScene;
  let path: string;
  let runs: string[];
  signedInToPages((made) => {
    scene = made;
  });

  const run = (found: string[], at: Date, spec: Partial<ReportSpec> = {}) =>
    runReport(scene.database.db, scene.accountId, { "/": found, "/two": [] }, { at, spec });

  beforeEach(async () => {
    runs = [await run(errors("alt", 2), ago(40)), await run(errors("alt", 6), ago(2))];
    const report = await open(scene.client, `/reports/${runs[1]}`);
    path = report("h1 a").attr("href") ?? "";
  });

  it("is where a report's title leads, and says how the newest run differs from thirty days ago", async () => {
    const page = await open(scene.client, path);
    expect(page("h1").text()).to.equal("https://example.com/");
    expect(textOf(page, ".tile")).to.match(/Errors per page 3[.]0 2[.]0 1[.]0 before/);
    expect(textOf(page, ".tile")).to.include("Pages without errors 50% 1 of 2");
  });

  it("draws a bar for each day with a run, marks where settings changed, and has the numbers in a table", async () => {
    await run(errors("alt", 1), ago(1), { maxPages: 7 });
    const page = await open(scene.client, path);
    const chart = page('section[aria-labelledby="density"]');
    expect(chart.find("[role=img] rect").length).to.equal(3);
    expect(chart.find(".break").length).to.equal(1);
    expect(textOf(page)).to.include("A").and.include("other setting: maximum pages");
    expect(page("details table tbody tr").length).to.equal(3);
    expect(page("details table tbody tr").first().find("td").first().text()).to.equal("0.5");
  });

  it("says how each run ended, with which settings the last one did, and when the next one starts", async () => {
    const { db } = scene.database;
    const id = runs[1] ?? "";
    await db.updateTable("report_ends").set({ passed: false }).where("report_id", "=", id).execute();
    await db.updateTable("reports").set({ passed: true }).where("id", "=", id).execute();
    const page = await open(scene.client, path);
    const states = page("[aria-labelledby=runs] tbody td:nth-child(2)").toArray();
    const said = states.map((cell) => page(cell).text().trim());
    expect(said).to.deep.equal(["Not passed (passed with what is muted now)", "No limits set"]);
    expect(textOf(page, "[aria-labelledby=settings]")).to.match(
      /Start ?https:\/\/example[.]com\/.*Next run: No schedule/,
    );
  });

  it("leads to the changes between two runs that are ticked, the older one first", async () => {
    const page = await open(scene.client, path);
    const action = page("form[method=get]").attr("action") ?? "";
    const ticked = page("input[name=run]")
      .toArray()
      .map((box) => `run=${page(box).attr("value")}`);
    const { location } = await scene.client.get(`${action}?${ticked.join("&")}`);
    expect(location).to.equal(`/reports/${runs[1]}/changes?base=${runs[0]}`);
  });

  for (const [what, chosen] of [
    ["one run", (of: string[]) => `run=${of[0]}`],
    ["a run of nobody", (of: string[]) => `run=${of[0]}&run=x`],
    ["nothing", () => ""],
  ] as const)
    it(`compares nothing when ${what} is ticked, and says so`, async () => {
      const page = await open(scene.client, `${path}/compare?${chosen(runs)}`);
      expect(textOf(page, "[role=alert]")).to.equal("Nothing was compared: tick two runs with a result.");
    });

  it("leads to the newest report, and offers another only when that has ended", async () => {
    const ended = await open(scene.client, path);
    expect(ended('a:contains("Last report")').attr("href")).to.equal(`/reports/${runs[1]}`);
    expect(ended(`form[action="/reports/${runs[1]}/again"]`).length).to.equal(1);
    const running = await insertReport(scene.database.db, { accountId: scene.accountId });
    const page = await open(scene.client, path);
    expect(page('a:contains("Last report")').attr("href")).to.equal(`/reports/${running}`);
    expect(page('form[action$="/again"]').length).to.equal(0);
  });

  it("takes a name, an owner and tags, which the overview shows, finds and filters by", async () => {
    const filled = { name: "Market hall shop", owner: "Web team", tags: "shops, live,, shops" };
    const { location } = await press(scene.client, await open(scene.client, path), path, filled);
    expect(location).to.equal(`${path}?done=saved`);
    expect((await open(scene.client, path))("h1").text()).to.equal("Market hall shop");
    const row = "tbody th";
    const shown = "Market hall shophttps://example.com/Web team · shops · live";
    for (const query of ["", "?q=hall", "?tag=live", "?owner=Web%20team", "?show=worse&days=30"])
      expect(textOf(await open(scene.client, `/${query}`), row), query).to.equal(shown);
    for (const query of ["?q=theatre", "?tag=culture", "?show=better"])
      expect(textOf(await open(scene.client, `/${query}`)), query).to.include("No sites match");
    expect(textOf(await open(scene.client, `/reports/${runs[1]}`), "h1")).to.equal("Market hall shop");
  });

  it("keeps what was typed when it is refused", async () => {
    const name = "x".repeat(201);
    const refused = await press(scene.client, await open(scene.client, path), path, { name });
    expect(refused.status).to.equal(422);
    expect(errorOf(refused, "name")).to.include("200");
    expect(refused("[name=name]").attr("value")).to.equal(name);
  });

  it("is counted on the overview when it got worse, with the rule that adds most", async () => {
    const page = await open(scene.client, "/");
    expect(textOf(page, ".counts")).to.include("1 site ").and.include("1 got worse").and.include("0 improved");
    expect(textOf(page, '[aria-labelledby="worst"]')).to.equal(
      "Worst changes+2.0https://example.com/ 1.0 → 3.0 per page, errors in all: +4alt +4",
    );
    const to = page('[aria-labelledby="worst"] a').attr("href");
    expect(to).to.equal(`/reports/${runs[1]}/changes?base=${runs[0]}`);
  });

  it("got worse by errors per page, also where there are no more in all because there are fewer pages", async () => {
    const { db } = scene.database;
    await runReport(db, scene.accountId, { "/": errors("alt", 2) }, { at: ago(0.5) });
    const fewer = await open(scene.client, "/");
    expect(textOf(fewer, '[aria-labelledby="worst"] .verdict.bad')).to.equal("+1.0");
    expect(textOf(fewer, '[aria-labelledby="worst"]')).to.include("1.0 → 2.0 per page, errors in all: 0");
  });
});
