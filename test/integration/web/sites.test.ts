import { expect } from "chai";
import { sql } from "kysely";
import type { ReportSpec } from "../../../src/schema/report.ts";
import { insertReport, reportSpec } from "../../support/builders.ts";
import { setReport } from "../../support/check-counts.ts";
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

  it("is where a report's title leads, and says how the newest run differs from the beginning of the period", async () => {
    const page = await open(scene.client, path);
    expect(page("h1").text()).to.equal("https://example.com/");
    expect(textOf(page, ".tile")).to.match(/Errors per page 3[.]0 .*6 errors/);
    expect(textOf(page, ".tile")).to.include("Pages without errors 50% 1 of 2");
    expect(textOf(page, "main p.verdict")).to.match(
      /^99 of 100[.] 3[.]0 errors per page, after 1[.]0 on \d+ \w+ \d{4}, [\d:]{5} UTC[.]$/,
    );
    const month = await open(scene.client, `${path}?days=30`);
    expect(textOf(month, ".tile")).to.match(/Errors per page 3[.]0 2[.]0 1[.]0 before/);
    expect(textOf(month, "main p.verdict")).to.equal("99 of 100. 3.0 errors per page.");
  });

  it("draws each run at its time, marks where settings changed, and has the numbers in a table", async () => {
    await run(errors("alt", 1), ago(1), { maxPages: 7 });
    await run(errors("alt", 1), ago(0.9), { maxPages: 7 });
    const page = await open(scene.client, path);
    const bars = page('section[aria-labelledby="status"] [role=img] rect.bad').toArray();
    const places = [...new Set(bars.map((bar) => Number.parseFloat(page(bar).attr("x") ?? "")))];
    expect(places, "four runs, two of one day").to.have.length(4);
    // On an axis of 90 days: one 40 days ago, one two days ago, two at the end.
    expect(places[0]).to.be.within(53, 57);
    expect(places[1]).to.be.within(95, 98);
    const areas = page('section[aria-labelledby="density"] polygon').toArray();
    expect(areas, "a line for each series").to.have.length(2);
    expect(page('section[aria-labelledby="density"] .break').length).to.equal(1);
    expect(textOf(page)).to.include("A").and.include("other setting: maximum pages");
    expect(page("details table tbody tr").length).to.equal(4);
    const [score, rate] = page("details table tbody tr").first().find("td").toArray();
    expect([page(score).text(), page(rate).text()]).to.deep.equal(["99", "0.5"]);
    const year = await open(scene.client, `${path}?days=365`);
    expect(year("details table tbody tr").length, "of a year the last run of each day").to.be.within(3, 4);
  });

  it("marks runs without a result in its charts, and lists what each run changed and what started it", async () => {
    const failed = await insertReport(scene.database.db, { accountId: scene.accountId });
    await setReport(scene.database.db, failed, { phase: "Failed", inserted_at: ago(1), last_checked_at: ago(1) });
    const page = await open(scene.client, path);
    expect(textOf(page, 'section[aria-labelledby="density"] .plot')).to.include("✕");
    const rows = page("[aria-labelledby=runs] tbody tr").toArray();
    const said = rows.map((row) =>
      page(row)
        .find("td")
        .toArray()
        .map((cell) => page(cell).text().replace(/\s+/g, " ").trim()),
    );
    expect(said).to.deep.equal([
      ["Failed", "–", "–", "–", "0 pages found", "by hand, or the API"],
      ["No limits set", "99", "6 4", "3.0", "2 of 2", "by hand, or the API"],
      ["No limits set", "99", "2", "1.0", "2 of 2", "by hand, or the API"],
    ]);
    expect(page("[aria-labelledby=runs] tbody input").first().attr("disabled")).to.not.equal(undefined);
  });

  it("is on the overview without a number when all pages of its run were deleted", async () => {
    const { db } = scene.database;
    await sql`update report_ends set pages_now = pages_now || '{"checked": 0}'`.execute(db);
    expect(textOf(await open(scene.client, "/"), "tbody")).to.include("–");
    expect(textOf(await open(scene.client, path))).to.include("No run has a result yet");
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
    const filled = { name: "Market hall shop", tags: "shops, live,, shops" };
    const held = { act: "save", who: "other", assignee: "Web team", path: "" };
    await press(scene.client, await open(scene.client, `${path}/held`), `${path}/held`, held);
    const { location } = await press(scene.client, await open(scene.client, path), path, filled);
    expect(location).to.equal(`${path}?done=saved`);
    expect((await open(scene.client, path))("h1").text()).to.equal("Market hall shop");
    const row = ":not(details) > table tbody tr";
    const shown = /^Market hall shop\s*https:\/\/example[.]com\/\s*shops, live\s*Web team/;
    for (const query of ["", "?q=hall", "?tag=live", "?owner=Web%20team", "?show=worse&days=30"])
      expect(textOf(await open(scene.client, `/${query}`), row), query).to.match(shown);
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
    expect(textOf(page, '[aria-labelledby="all-sites"]')).to.include("3.0 now, 1 site together");
    expect(textOf(page, ".counts")).to.include("1 site ").and.include("1 got worse").and.include("0 improved");
    expect(textOf(page, '[aria-labelledby="worst"]')).to.equal(
      "Worst changes+4https://example.com/ 1.0 → 3.0 per pagealt +4",
    );
    const to = page('[aria-labelledby="worst"] a').attr("href");
    expect(to).to.equal(`/reports/${runs[1]}/changes?base=${runs[0]}`);
  });

  it("counts sites that could not be checked and that run, which are filters, and keeps these in its links", async () => {
    const { db } = scene.database;
    for (const [url, phase] of [
      ["https://failed.example/", "Failed"],
      ["https://running.example/", "Checking"],
    ] as const) {
      const id = await insertReport(db, { accountId: scene.accountId, spec: reportSpec({ startingUrl: url }) });
      await setReport(db, id, { phase });
    }
    const page = await open(scene.client, "/?q=example&sort=name-asc&days=90");
    expect(textOf(page, ".counts")).to.include("1 could not be checked").and.include("1 is running");
    for (const [name, url] of [
      ["could not be checked", "failed"],
      ["is running", "running"],
    ]) {
      const to = page(`.counts a:contains("${name}")`).attr("href") ?? "";
      expect(new URLSearchParams(to.split("?")[1]).get("q")).to.equal("example");
      const filtered = await open(scene.client, to);
      expect(filtered(":not(details) > table tbody tr").length).to.equal(1);
      expect(textOf(filtered, ":not(details) > table tbody")).to.include(`https://${url}.example/`);
    }
  });

  it("got worse by errors per page, also where there are no more in all because there are fewer pages", async () => {
    const { db } = scene.database;
    await runReport(db, scene.accountId, { "/": errors("alt", 2) }, { at: ago(0.5) });
    const fewer = await open(scene.client, "/");
    expect(textOf(fewer, '[aria-labelledby="worst"] .verdict.bad')).to.equal("+1.0");
    expect(textOf(fewer, '[aria-labelledby="worst"]')).to.include("1.0 → 2.0 per page");
  });
});
