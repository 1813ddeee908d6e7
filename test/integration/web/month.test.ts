// More than ten seconds of processor time: made sites are checked over three months, and their pages are read.
import { expect } from "chai";
import type { One } from "../../../src/api/documents.ts";
import { markDeleted } from "../../../src/database/reports/reports.ts";
import { keepNumbers } from "../../../src/database/retention/past-runs.ts";
import { accountWithToken, type TestApi } from "../../support/api.ts";
import { runReport, type Site } from "../../support/compared-sites.ts";
import { createTestDatabase, emptyDatabase, type TestDatabase } from "../../support/database.ts";
import { addMuting, mutingOf, recountAll } from "../../support/mutings.ts";
import { open, startTestPages } from "../../support/web-pages.ts";
import { signedIn, type WebClient } from "../../support/web-service.ts";

const now = new Date("2026-12-01T09:00:00Z");
const SHOP = "https://shop.example.com/";
const LIBRARY = "https://library.example.com/";
const ZOO = "https://zoo.example.com/";

describe("The page of a month", () => {
  let database: TestDatabase;
  let service: TestApi;
  let accountId: string;
  let token: string;
  let client: WebClient;

  before(async () => {
    database = await createTestDatabase();
    service = await startTestPages(database, { now: () => now });
  });
  after(async () => {
    await service?.close();
    await database?.drop();
  });
  beforeEach(async () => {
    await emptyDatabase(database.db);
    ({ accountId, token } = await accountWithToken(database));
    client = await signedIn({ url: service.url, token });
  });

  const run = (startingUrl: string, day: string, site: Site, spec: object = {}) =>
    runReport(database.db, accountId, site, { at: new Date(`${day}T12:00:00Z`), spec: { startingUrl, ...spec } });
  const month = async (of = "2026-11") =>
    ((await service.as(token)("GET", `/months/${of}`)).json as unknown as One<"month_report">).data.attributes;
  const textOf = async (path: string) => (await open(client, path))("main").text().replace(/\s+/g, " ");

  /** The shop gets better, the library worse, and the zoo was checked in October alone. */
  async function threeSites() {
    const two: Site = { "/": ["alt img one", "alt img two", "id p one"], "/a": ["alt img one"] };
    await run(SHOP, "2026-10-20", two, { gate: { maxErrors: 2 } });
    await run(SHOP, "2026-11-03", two, { gate: { maxErrors: 2 } });
    await run(SHOP, "2026-11-20", { "/": ["alt img one"], "/a": ["id p one"] }, { gate: { maxErrors: 2 } });
    await run(LIBRARY, "2026-10-02", { "/": ["alt img one"] });
    await run(LIBRARY, "2026-11-02", { "/": ["alt img one", "id p one", "id p two"] });
    await run(ZOO, "2026-10-30", { "/": ["alt img one"], "/b": [] });
  }

  it("adds up the last run of each site in the month, and compares it with that of the month before", async () => {
    await threeSites();
    const found = await month();
    expect(found.totals).to.include({ sites: 2, errors: 5, pages: 3 });
    expect(found.before).to.include({ sites: 3, errors: 6, pages: 5 });
    expect(found).to.include({ ended: true, previous: "2026-10", next: "2026-12", num_sites: 3, num_runs: 3 });
    expect(found.turns).to.deep.equal({ better: 1, worse: 1, as_before: 0, not_compared: 1 });
    // Of the shop two of alt; of the library two of id. The zoo's error is not compared.
    expect([found.away.errors, found.came.errors]).to.deep.equal([2, 2]);
    expect(found.away.rules.map(({ rule, errors, sites }) => [rule, errors, sites])).to.deep.equal([
      ["alt", 2, [SHOP]],
    ]);
    expect(found.not_compared).to.deep.equal({ before: 1, now: 0 });
    const { before, away, not_compared: other, came, totals } = found;
    expect(before.errors - away.errors - other.before + came.errors + other.now).to.equal(totals.errors);
    expect(found.limits).to.deep.equal({ met: 1, not_met: 0, none: 1, unknown: 0 });
    expect(found.num_not_checked).to.equal(1);
    expect(found.months.map((one) => [one.month, one.errors, one.pages, one.sites])).to.deep.equal([
      ["2026-10", 6, 5, 3],
      ["2026-11", 5, 3, 2],
    ]);
  });

  it("shows these numbers, what moved, and the sites with their weeks", async () => {
    await threeSites();
    const text = await textOf("/months/2026-11");
    expect(text).to.include("Worse: 39 % more errors on each page, and 1 of 3 sites meets its limits. 1 got worse.");
    expect(text).to.include(
      "1.7 errors per page, after 1.2 in October: 2 went away, 2 came. 1 site could not be checked.",
    );
    expect(text).to.include(`${SHOP} 2.0 → 1.0`);
    expect(text).to.include(`${LIBRARY} 1.0 → 3.0`);
    expect(text).to.include("6 − 2 − 1 + 2 + 0 = 5");
    expect(text).to.match(/zoo\.example\.com\/ ?– ?.*not checked ?– ?0\.5 on 30 Oct/);
    const page = await open(client, "/months/2026-11");
    expect(page('a[rel="prev"]').attr("href")).to.equal("/months/2026-10");
    expect(page('a[rel="next"]').attr("href")).to.equal("/months/2026-12");
    expect((await open(client, "/months/2026-10"))('a[rel="prev"]')).to.have.length(0);
  });

  it("is that of today: what is muted since counts neither in this month nor in the one before", async () => {
    await threeSites();
    await addMuting(database.db, { accountId, guestToken: null }, mutingOf({ rule: "alt" }));
    await recountAll(database.db);
    const found = await month();
    expect([found.totals.errors, found.before.errors, found.away.errors, found.came.errors]).to.deep.equal([
      3, 1, 0, 2,
    ]);
  });

  it("does not compare runs with other settings, and says how many sites that are", async () => {
    await run(SHOP, "2026-10-20", { "/": ["alt img one"] });
    await run(SHOP, "2026-11-20", { "/": [] }, { maxPages: 7 });
    const found = await month();
    expect(found.turns.not_compared).to.equal(1);
    expect([found.away.errors, found.not_compared]).to.deep.equal([0, { before: 1, now: 0 }]);
    expect(await textOf("/months/2026-11")).to.match(/Not compared ?1 site/);
  });

  it("keeps the numbers of reports that are deleted, by kind where their rules are not known any more", async () => {
    const gone = await run(SHOP, "2026-10-20", { "/": ["alt img one", "alt img two"] });
    await run(SHOP, "2026-11-20", { "/": ["alt img one"] });
    const { away } = await month();
    await database.db.transaction().execute(async (trx) => {
      await keepNumbers(trx, gone);
      await markDeleted(trx, gone, now);
    });
    const found = await month();
    expect(found.before).to.include({ errors: 2, pages: 1 });
    expect([found.away.errors, away.errors]).to.deep.equal([1, 1]);
    expect(found.away.rules.map(({ kind, rule }) => [kind, rule])).to.deep.equal([["html", null]]);
    expect(await textOf("/months/2026-11")).to.include("rules are not known, since reports are deleted");
  });

  it("says of a month without a run that nothing was checked, and of one that runs until when it is", async () => {
    await run(SHOP, "2026-10-20", { "/": ["alt img one"] });
    expect(await textOf("/months/2026-11")).to.include("Nothing was checked in November.");
    const text = await textOf("/months/2026-12");
    expect(text).to.include("Nothing was checked in December until now.");
    expect(text).to.include("The month still runs");
  });

  it("is reached from the list of sites", async () => {
    await run(SHOP, "2026-11-20", { "/": [] });
    expect((await open(client, "/"))('main a[href="/months/2026-12"]').text()).to.equal("This month");
  });

  it("does not exist for what is no month or has not begun, and has nothing of another account", async () => {
    await threeSites();
    for (const wrong of ["9999-99", "2026-13", "2026-1", "2998-01", "0000-00", "2026-11'--", "1999-01", "%00"])
      expect((await service.as(token)("GET", `/months/${wrong}`)).status, wrong).to.equal(404);
    const other = await accountWithToken(database);
    const { json } = await service.as(other.token)("GET", "/months/2026-11");
    expect((json as unknown as One<"month_report">).data.attributes).to.deep.include({ num_sites: 0, sites: [] });
  });
});
