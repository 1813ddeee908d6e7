import { expect } from "chai";
import { sql } from "kysely";
import { readProgress } from "../../../src/database/reports/progress.ts";
import { listExcludedUrls, listWebPages } from "../../../src/database/reports/web-pages.ts";
import { requeuePage } from "../../../src/transactions/change-pages.ts";
import { abandonChecks, failUnpaid } from "../../../src/transactions/end-checks.ts";
import { abandonCrawl } from "../../../src/transactions/end-report.ts";
import { purgeWorkingRows } from "../../../src/transactions/purge.ts";
import { insertAccount, insertReport, reportSpec } from "../../support/builders.ts";
import { expectConsistent } from "../../support/consistency.ts";
import { fixtureSites, pageOf, readCrawl, runCrawl } from "../../support/crawl.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import type { Routes } from "../../support/site.ts";
import { eventually } from "../../support/wait.ts";

const NOW = new Date("2026-03-04T05:06:07.000Z");
const MONTH = "2026-03-01";

describe("A crawl that continues where another crawler stopped", () => {
  let database: TestDatabase;
  const sites = fixtureSites();

  before(async () => {
    database = await createTestDatabase();
  });
  after(() => database.drop());
  afterEach(() => sites.close());

  /** Stops a crawl that has stored its starting page, and waits for another. */
  async function interrupted(start: Routes[string]): Promise<string> {
    const waits = Promise.withResolvers<void>();
    const stop = new AbortController();
    const site = await sites.serve({
      "/": start,
      "/gone": async (_request, response) => {
        await waits.promise;
        response.writeHead(404).end();
      },
    });
    const accountId = await insertAccount(database.db, { monthly_credits: 0 });
    const spec = { startingUrl: site.url, initialUrls: [`${site.origin}/gone`], rateLimit: 0, performA11yChecks: true };
    const id = await insertReport(database.db, { accountId, spec });
    const crawling = runCrawl(database, id, { signal: stop.signal }).catch(() => undefined);
    await eventually(async () => (await readCrawl(database.db, id)).pages.length === 1);
    stop.abort();
    await crawling;
    waits.resolve();
    return id;
  }
  const contextOf = (reportId: string, kind: "html" | "a11y" = "html") => ({ reportId, kind, spec: reportSpec() });
  const checkAgain = async (id: string): Promise<void> => {
    const { pages } = await readCrawl(database.db, id);
    await requeuePage(database.db, id, pages[0]?.id ?? "", NOW);
    await sql`update checks set attempts = 1 where report_id = ${id}`.execute(database.db);
    for (const kind of ["html", "a11y"] as const)
      await abandonChecks(database.db, contextOf(id, kind), { code: "http_error", detail: "404" }, NOW);
  };

  it("still knows the forms of the start page: one that the whole site has is no sign-in", async () => {
    const gate =
      '<html lang="en"><title>Log in</title><h1>Log in</h1><form action="/s"><input name="user"><input type="password" name="p"><button>Log in</button></form></html>';
    const waits = Promise.withResolvers<void>();
    const stop = new AbortController();
    const site = await sites.serve({
      "/login": gate.replace("</html>", '<a href="/a">a</a></html>'),
      "/a": async (_request, response) => {
        await waits.promise;
        response.writeHead(200, { "content-type": "text/html" }).end(gate);
      },
    });
    const id = await insertReport(database.db, { spec: { startingUrl: `${site.origin}/login`, rateLimit: 0 } });
    const crawling = runCrawl(database, id, { signal: stop.signal }).catch(() => undefined);
    await eventually(async () => (await readCrawl(database.db, id)).pages.length === 1);
    stop.abort();
    await crawling;
    waits.resolve();
    await runCrawl(database, id);
    const { pages } = await readCrawl(database.db, id);
    const stored = await database.db
      .selectFrom("web_pages")
      .select(["url", "fetched", "shows_sign_in"])
      .where("report_id", "=", id)
      .orderBy("id")
      .execute();
    expect(pages).to.have.length(2);
    expect(stored).to.deep.equal(
      ["/login", "/a"].map((path) => ({ url: site.origin + path, fetched: true, shows_sign_in: true })),
    );
  });

  it("still knows how many pages of each template there are: acting looks at the first three, whoever finds them", async () => {
    const waits = Promise.withResolvers<void>();
    const stop = new AbortController();
    const withMain = (main: string) => `${pageOf()}<main class="${main}"></main>`;
    const post = withMain("post");
    const names = ["1", "2", "shop", "3", "4", "5"];
    const site = await sites.serve({
      ...Object.fromEntries(names.map((name) => [`/${name}`, post])),
      "/shop": withMain("shop"),
      "/2": async (_request, response) => {
        await waits.promise;
        response.writeHead(200, { "content-type": "text/html" }).end(post);
      },
      "/": pageOf(...names.map((name) => `/${name}`)),
    });
    const spec = { startingUrl: site.url, rateLimit: 0, performA11yChecks: true, a11yDepth: "acting" } as const;
    const id = await insertReport(database.db, { spec });
    const crawling = runCrawl(database, id, { signal: stop.signal }).catch(() => undefined);
    await eventually(async () => (await readCrawl(database.db, id)).pages.length === 2);
    stop.abort();
    await crawling;
    waits.resolve();
    await runCrawl(database, id);
    const stored = await database.db
      .selectFrom("web_pages")
      .select(["url", "like_others"])
      .where("report_id", "=", id)
      .orderBy("id")
      .execute();
    expect(stored.map(({ url, like_others }) => `${url.slice(site.origin.length)} ${like_others}`)).to.deep.equal([
      ...["/ false", "/1 false", "/2 false", "/shop false", "/3 false"],
      ...["/4 true", "/5 true"],
    ]);
  });

  const reasons: [name: string, fail: (id: string) => Promise<unknown>][] = [
    [
      "no credits were left",
      async (id) => {
        for (const kind of ["html", "a11y"] as const)
          expect(await failUnpaid(database.db, contextOf(id, kind), MONTH, NOW)).to.equal(1);
      },
    ],
    [
      "its checkers were given up",
      async (id) => {
        for (const kind of ["html", "a11y"] as const)
          await abandonChecks(database.db, contextOf(id, kind), { code: "checker_crashed", detail: "It died." }, NOW);
      },
    ],
  ];
  for (const [name, fail] of reasons) {
    it(`does not take a page for one that could not be fetched because ${name}`, async () => {
      const id = await interrupted(pageOf());
      await fail(id);
      expect(await runCrawl(database, id)).to.equal(true);
      const { report, pages } = await readCrawl(database.db, id);
      expect(report).to.deep.include({ crawl_state: "ended", failure_code: null, num_pages: 2 });
      expect(pages.map(({ fetched }) => fetched)).to.deep.equal([true, false]);
      await expectConsistent(database.db, id);
    });
  }

  it("does not take a failed page for one that was fetched because it was checked again in vain", async () => {
    const id = await interrupted({ status: 500 });
    await checkAgain(id);
    expect(await runCrawl(database, id)).to.equal(true);
    expect((await readCrawl(database.db, id)).report).to.deep.include({
      ...{ crawl_state: "failed", failure_code: "http_error", num_pages: 2 },
    });
  });

  it("counts the pages that link to a broken address as one that was not interrupted, each once", async () => {
    const pages = Array.from({ length: 40 }, (_, n) => `/${n}`);
    let held = true;
    const waits = Promise.withResolvers<void>();
    const site = await sites.serve({
      "/": pageOf(...pages, "/old"),
      ...Object.fromEntries(pages.map((path) => [path, pageOf("/gone", "/old", "/gone#x", "https://other.example/")])),
      "/20": async (_request, response) => {
        if (held) await waits.promise;
        response.writeHead(200, { "content-type": "text/html" }).end(pageOf("/gone"));
      },
      "/old": { status: 301, headers: { location: "/lost" } },
    });
    const spec = { startingUrl: site.url, rateLimit: 0, maxPages: 0 };
    const id = await insertReport(database.db, { spec });
    const stop = new AbortController();
    const crawling = runCrawl(database, id, { signal: stop.signal }).catch(() => undefined);
    await eventually(async () => (await readCrawl(database.db, id)).pages.length >= 21);
    stop.abort();
    held = false;
    await crawling;
    waits.resolve();
    expect(await runCrawl(database, id)).to.equal(true);
    const api = await listWebPages(database.db, id, { status: "failed", page: { limit: 100, offset: 0 } });
    const counted = api.rows.map(({ url, inbound }) => [url.replace(site.origin, ""), inbound?.howMany]);
    expect(Object.fromEntries(counted)).to.deep.equal({ "/gone": 40, "/lost": 40 });
    const excluded = await listExcludedUrls(database.db, id, undefined, { limit: 100, offset: 0 });
    const left = excluded.rows.map(({ url, inbound }) => [url.replace(site.origin, ""), inbound]);
    expect(Object.fromEntries(left)).to.deep.equal({
      "/old": { howMany: 40, pages: [site.url, ...pages.slice(0, 9).map((path) => site.origin + path)] },
      "https://other.example/": { howMany: 39, pages: pages.slice(0, 10).map((path) => site.origin + path) },
    });
    const { rows } = await sql`select from seen_links where report_id = ${id}`.execute(database.db);
    expect(rows).to.have.length(0);
  });

  it("has the bytes of its journal counted in the account's storage, until the journal goes", async () => {
    const bytesOf = async (id: string) => {
      const { rows } = await sql<{ stored: string; urls: string; journal: string }>`
        select stored_bytes as stored,
          (select sum(octet_length(url) + coalesce(octet_length(linked_from), 0) + coalesce(octet_length(title), 0)) from (
            select url, linked_from, title from web_pages where report_id = ${id} union all
            select url, linked_from, null from excluded_urls where report_id = ${id}) as rows) as urls,
          (select coalesce(sum(octet_length(body)), 0) from seen_links where report_id = ${id}) as journal
        from reports where id = ${id}`.execute(database.db);
      const [row] = rows;
      return { stored: Number(row?.stored), urls: Number(row?.urls), journal: Number(row?.journal) };
    };
    const links = Array.from({ length: 200 }, (_, n) => `https://other.example/${n}`);
    const ends: ((id: string) => Promise<unknown>)[] = [
      (id) => runCrawl(database, id),
      async (id) => {
        await abandonCrawl(database.db, id, { code: "crawler_crashed", detail: "It died." });
        await purgeWorkingRows(database.db, new AbortController().signal);
      },
    ];
    for (const end of ends) {
      const id = await interrupted(pageOf(...links));
      const before = await bytesOf(id);
      expect(before.journal).to.be.above(1_000);
      expect(before.stored).to.equal(before.urls + before.journal);
      await end(id);
      const after = await bytesOf(id);
      expect(after).to.deep.equal({ stored: after.urls, urls: after.urls, journal: 0 });
    }
  });

  describe("and is given up instead", () => {
    const CRASHED = { code: "crawler_crashed", detail: "It died." } as const;

    it("has failed if no page could be fetched, for the reason that the starting URL gave", async () => {
      const id = await interrupted({ status: 500 });
      await abandonCrawl(database.db, id, CRASHED);
      const row = await readProgress(database.db, id);
      expect([row?.crawlState, row?.failureCode, row?.pages]).to.deep.equal(["failed", "http_error", 1]);
      expect(row?.failureDetail).to.match(/responded with 500 Internal Server Error\.$/);
    });

    it("is cut short if a page was fetched, although its checks have failed for lack of credits", async () => {
      const id = await interrupted(pageOf());
      for (const kind of ["html", "a11y"] as const) await failUnpaid(database.db, contextOf(id, kind), MONTH, NOW);
      await abandonCrawl(database.db, id, CRASHED);
      const row = await readProgress(database.db, id);
      expect([row?.crawlState, row?.failureCode]).to.deep.equal(["ended", "crawler_crashed"]);
    });
  });
});
