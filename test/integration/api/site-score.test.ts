import { expect } from "chai";
import type { One } from "../../../src/api/documents.ts";
import { accountWithToken, type Call, type TestApi } from "../../support/api.ts";
import { runReport, type Site } from "../../support/compared-sites.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { addMuting, mutingOf, recountAll } from "../../support/mutings.ts";
import { open, startTestPages } from "../../support/web-pages.ts";
import { signedIn } from "../../support/web-service.ts";

const ago = (days: number) => new Date(Date.now() - days * 86_400_000);

describe("the score of a site", () => {
  let database: TestDatabase;
  let api: TestApi;
  before(async () => {
    database = await createTestDatabase();
    api = await startTestPages(database);
  });
  after(async () => {
    await api.close();
    await database.drop();
  });

  const siteOf = async (runs: { site: Site; days: number }[]) => {
    const { accountId, token } = await accountWithToken(database);
    const call: Call = api.as(token);
    const spec = { performHtmlChecks: false, performA11yChecks: true };
    for (const { site, days } of runs)
      await runReport(database.db, accountId, site, { at: ago(days), spec, a11y: site });
    const [found] = (await call("GET", "/sites")).json.data;
    const path = `/sites/${found?.id}`;
    const score = async () =>
      ((await call("GET", `${path}/score?period=90`)).json as unknown as One<"site_score">).data.attributes;
    return { accountId, token, call, path, score };
  };

  it("loses for each cause of a page once, by its impact, as the numbers of the site and its runs say", async () => {
    // Serious: 5 of a page, however many elements have the fault.
    const page = ["alt img one", "alt img one", "label input two"];
    const { call, path, score } = await siteOf([{ site: { "/": page, "/a": ["alt img one"], "/b": [] }, days: 1 }]);
    const { points, ...found } = await score();
    expect(found.score).to.equal(95);
    expect(points).to.equal(5);
    const { json } = await call("GET", path);
    expect(json.data.attributes.numbers).to.include({ score: 95 });
    const [run] = (await call("GET", `${path}/runs`)).json.data;
    expect(run?.attributes.numbers).to.include({ score: 95 });
  });

  it("rises at once with what is muted", async () => {
    const { accountId, score } = await siteOf([{ site: { "/": ["alt img one"], "/a": [] }, days: 1 }]);
    expect((await score()).score).to.equal(97);
    await addMuting(database.db, { accountId, guestToken: null }, mutingOf({ rule: "alt" }));
    await recountAll(database.db);
    expect(await score()).to.deep.include({ score: 100, points: 0 });
  });

  it("is also that of the pages that both runs have, which pages that are added do not move", async () => {
    const { score } = await siteOf([
      { site: { "/": ["alt img one"] }, days: 20 },
      { site: { "/": ["alt img one"], "/bad": ["alt img one", "label input two", "lang html *"] }, days: 1 },
    ]);
    const { same_pages, score: now } = await score();
    expect(same_pages).to.include({ pages: 1, before: 95, now: 95 });
    expect(now).to.equal(90);
  });

  it("has a target with the day on which it is reached at the pace of the period", async () => {
    const two = ["alt img one", "label input two"];
    const { call, path, score, token } = await siteOf([
      { site: { "/": two }, days: 20 },
      { site: { "/": two }, days: 17 },
      { site: { "/": two }, days: 14 },
      { site: { "/": ["alt img one"] }, days: 10 },
    ]);
    expect((await score()).target).to.equal(null);
    expect((await call("PATCH", path, { attributes: { target_score: 100, target_on: "2999-02-30" } })).status).to.equal(
      422,
    );
    expect((await call("PATCH", path, { attributes: { target_score: 100, target_on: "2999-01-31" } })).status).to.equal(
      200,
    );
    const { target } = await score();
    // Five points in ten days: the last five are there today.
    expect(target?.expected_at?.slice(0, 10)).to.equal(ago(0).toISOString().slice(0, 10));
    const client = await signedIn({ url: api.url, token });
    const page = await open(client, path);
    expect(page(".verdict").text()).to.match(/95 of 100\..*target of 100 is reached on/s);
    expect(page("[name=target_score]").attr("value")).to.equal("100");
  });

  it("says why no day is told, and what would be enough", async () => {
    const [one, two] = [["alt img one"], ["alt img one", "label input two"]];
    const said = async (runs: readonly string[][], target: object) => {
      const scene = await siteOf(runs.map((page, index) => ({ site: { "/": page }, days: 20 - 4 * index })));
      const patched = await scene.call("PATCH", scene.path, { attributes: { target_score: 100, ...target } });
      expect(patched.status).to.equal(200);
      const page = await open(await signedIn({ url: api.url, token: scene.token }), scene.path);
      return { verdict: page(".verdict").text().replace(/\s+/g, " "), score: await scene.score() };
    };
    const few = await said([two, one], {});
    expect(few.verdict).to.include("Too little is known: only 2 runs in 90 days that can be compared.");
    expect(few.score.target).to.include({ expected_at: null, reached_at: null, num_runs: 2 });
    const late = await said([two, two, two, one], { target_on: "2026-01-01" });
    expect(late.verdict).to.match(
      /Not by then\. At this pace the target of 100 is reached on .*, \d+ days late\. The change in Fix first would be enough\./,
    );
    const down = await said([one, one, one, two], {});
    expect(down.verdict).to.match(
      /It goes down: 90, after 95 on .*: the target of 100 is not reached\. All of the 2 changes/,
    );
    expect(down.score.after.first).to.deep.equal([95, 100]);
    const there = await said([two, one, [], []], { target_on: "2999-01-01" });
    expect(there.verdict).to.match(
      /100 of 100\. The target of 100 is reached since .*, [\d,]+ days early\. Choose the next target\./,
    );
  });

  it("is also told without what people mend", async () => {
    const { call, path, score, token } = await siteOf([{ site: { "/": ["alt img one", "label input two"] }, days: 1 }]);
    const { id: report } = (await call("GET", "/reports")).json.data[0] ?? {};
    const [cause] = (await call("GET", `/reports/${report}/causes`)).json.data;
    const due_on = "2999-12-10";
    await call("PATCH", `/reports/${report}/causes/${cause?.id}`, { attributes: { assignee: "Agency South", due_on } });
    expect((await score()).after.assigned).to.deep.equal([{ assignee: "Agency South", due_on, score: 95 }]);
    const page = await open(await signedIn({ url: api.url, token }), path);
    const said = page('[aria-label="Target"]').text().replace(/\s+/g, " ");
    expect(said)
      .to.match(/What Agency South has until .*: 95/)
      .and.include("Fix first, all 2: 100");
  });

  it("is not there before a report of the whole site has ended", async () => {
    const { score } = await siteOf([{ site: { "/": { failed: 500 } }, days: 1 }]);
    expect(await score()).to.include({ score: null, points: 0 });
  });
});
