import { expect } from "chai";
import { sql } from "kysely";
import type { PageFetcher } from "../../../src/crawler/page-fetcher.ts";
import { createStaticFetcher } from "../../../src/crawler/static-fetcher.ts";
import { emptyBatch } from "../../../src/database/crawl/crawl.ts";
import { readNotices } from "../../../src/database/crawl/notices.ts";
import { countSources } from "../../../src/database/crawl/page-sources.ts";
import { BrokenEnvironmentError } from "../../../src/domain/errors.ts";
import { addressPolicy } from "../../../src/net/addresses.ts";
import { createGuardedFetch } from "../../../src/net/guarded-fetch.ts";
import { beginCrawl, endCrawl } from "../../../src/transactions/crawl.ts";
import { insertReport } from "../../support/builders.ts";
import { crawlSite, pageOf, readCrawl, runCrawl } from "../../support/crawl.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { type Route, type Routes, serveSite } from "../../support/site.ts";
import { eventually } from "../../support/wait.ts";

describe("the crawler's limits", () => {
  let database: TestDatabase;

  before(async () => {
    database = await createTestDatabase();
  });
  after(() => database.drop());

  it("gives a page as long as the report says", async () => {
    const site = await serveSite({ "/": pageOf("/silent"), "/silent": () => {} });
    try {
      const { pages, checks } = await crawlSite(database, { startingUrl: site.url, pageTimeoutSeconds: 1 });
      expect(pages.map(({ url, fetched }) => [url, fetched])).to.deep.equal([
        [site.url, true],
        [`${site.origin}/silent`, false],
      ]);
      expect(checks.map(({ failure_code }) => failure_code)).to.deep.equal([null, "timeout"]);
    } finally {
      await site.close();
    }
  });

  it("visits one view of a kind with the documents, and the others after all of these, and says so", async () => {
    const documents = ["b", "c", "d", "e"];
    const views = (id: string) => ["history", "raw"].map((action) => `/wiki?id=${id}&amp;action=${action}`);
    const routes: Routes = { "/": pageOf("/wiki?id=a") };
    routes["/wiki"] = (request, response) => {
      const id = new URL(request.url ?? "", "http://x").searchParams.get("id") ?? "";
      const next = documents[documents.indexOf(id) + 1];
      response.writeHead(200, { "content-type": "text/html" });
      response.end(pageOf(...views(id), ...(next ? [`/wiki?id=${next}`] : [])));
    };
    const site = await serveSite(routes);
    const crawled = async (maxPages: number) => {
      const { pages, report } = await crawlSite(database, { startingUrl: site.url, maxPages });
      const said = await readNotices(database.db, report.id);
      return {
        found: pages.map(({ url }) => url.replace(site.origin, "").replace("/wiki?id=", "")),
        last: said.find(({ code }) => code === "views_last")?.examples.map(({ url }) => url.replace(site.origin, "")),
      };
    };
    const few = await crawled(8);
    expect(few.found).to.have.members(["/", "a", "b", "c", "d", "e", "a&action=history", "a&action=raw"]);
    expect(few.last).to.deep.equal(["/wiki?id=b&action=history", "/wiki?id=b&action=raw"]);
    const all = await crawled(20);
    expect(all.found).to.have.length(16);
    await site.close();
  });

  /** Busy at first, then a page. */
  const busy = (times: number, status: number, headers: Record<string, string>): Route => {
    let asked = 0;
    return (_request, response) => {
      asked += 1;
      response.writeHead(asked > times ? 200 : status, { "content-type": "text/html", ...headers });
      response.end(pageOf());
    };
  };

  it("retries a request to a busy site only when the response says when", async () => {
    const site = await serveSite({
      "/": pageOf("/once", "/twice", "/always", "/silent"),
      "/once": busy(1, 429, { "retry-after": "0" }),
      "/twice": busy(2, 503, { "retry-after": new Date(0).toUTCString() }),
      "/always": busy(9, 429, { "retry-after": "0" }),
      "/silent": busy(1, 429, {}),
    });
    const { pages } = await crawlSite(database, { startingUrl: site.url });
    const statuses = Object.fromEntries(pages.map(({ url, http_status }) => [new URL(url).pathname, http_status]));
    expect(statuses).to.deep.equal({ "/": 200, "/once": 200, "/twice": 200, "/always": 429, "/silent": 429 });
    const asked = (path: string) => site.requests.filter((request) => request.path === path).length;
    expect(["/once", "/twice", "/always", "/silent"].map(asked)).to.deep.equal([2, 3, 3, 1]);
    await site.close();
  });

  it("retries everything with which a report stands or falls", async () => {
    const text = { "content-type": "text/plain" };
    /** Busy twice, then this. */
    const busyBefore = (status: number, answer: { status?: number; headers?: object; body?: string }): Route => {
      let asked = 0;
      return (_request, response) => {
        asked += 1;
        if (asked <= 2) return void response.writeHead(status, { "retry-after": "0" }).end();
        response.writeHead(answer.status ?? 200, { ...answer.headers }).end(answer.body);
      };
    };
    for (const status of [429, 503]) {
      const target = await serveSite({ "/robots.txt": busyBefore(status, { headers: text }), "/home": pageOf("/a") });
      const routes: Routes = {};
      const site = await serveSite(routes);
      const sitemap = (body: string) => ({ headers: { "content-type": "application/xml" }, body });
      Object.assign(routes, {
        "/robots.txt": busyBefore(status, { headers: text, body: "User-agent: *\nDisallow: /private" }),
        "/": busyBefore(status, { headers: { "content-type": "text/html" }, body: pageOf("/private") }),
        "/moved": busyBefore(status, { status: 302, headers: { location: `${target.origin}/home` } }),
        "/index.xml": sitemap(`<sitemapindex><sitemap><loc>${site.url}map.xml</loc></sitemap></sitemapindex>`),
        "/map.xml": busyBefore(status, sitemap(`<urlset><url><loc>${site.url}</loc></url></urlset>`)),
        "/list.txt": busyBefore(status, { headers: text, body: site.url }),
      });
      for (const [start, page] of [
        ["/", site.url],
        ["/moved", `${target.origin}/home`],
        ["/index.xml", site.url],
        ["/list.txt", site.url],
      ]) {
        const crawled = await crawlSite(database, { startingUrl: site.origin + start, respectRobots: true });
        expect(crawled.report, `${status} ${start}`).to.include({ crawl_state: "ended", failure_code: null });
        expect(crawled.pages[0], `${status} ${start}`).to.include({ url: page, http_status: 200 });
        if (start === "/") expect(crawled.reasons).to.deep.equal({ [`${site.origin}/private`]: "robots" });
      }
      await Promise.all([site.close(), target.close()]);
    }
  });

  it("requests nothing of a site whose robots.txt responds with 429 all the time, and says so", async () => {
    for (const [headers, times] of [
      [{ "retry-after": "0" }, 3],
      [{ "retry-after": "3600" }, 1],
      [{}, 1],
    ] as const) {
      const site = await serveSite({ "/robots.txt": { status: 429, headers }, "/": pageOf() });
      const { report } = await crawlSite(database, { startingUrl: site.url, respectRobots: true });
      expect(report).to.include({ crawl_state: "failed", failure_code: "http_error" });
      expect(report.failure_detail).to.match(/robots\.txt could not be read: .*\/robots\.txt responded with 429\.$/);
      expect(site.requests.map(({ path }) => path)).to.deep.equal(Array.from({ length: times }, () => "/robots.txt"));
      await site.close();
    }
  });

  it("gives up a host that no longer responds, and visits the rest when it is back", async () => {
    const paths = Array.from({ length: 300 }, (_, index) => `/${index}`);
    let refused = 0;
    const site = await serveSite({
      "/": pageOf(...paths),
      "*": (request, response) => {
        if (++refused <= 38) request.socket.destroy();
        else response.writeHead(200, { "content-type": "text/html" }).end(pageOf());
      },
    });
    const { pages, checks } = await crawlSite(database, { startingUrl: site.url });
    const codes = checks.map(({ failure_code }) => failure_code ?? "none");
    expect(pages).to.have.length(301);
    expect(codes.filter((code) => code === "unreachable")).to.have.length.within(10, 40);
    expect(codes.filter((code) => code === "host_unresponsive")).to.have.length.within(20, 120);
    expect(codes.slice(-20)).to.deep.equal(Array(20).fill("none"));
    await site.close();
  });

  it("takes an unexpected error of a visit for that page's failure, and only a broken environment for the crawl's", async () => {
    const site = await serveSite({ "/": pageOf("/odd", "/fine"), "/fine": pageOf() });
    let fault: Error = new TypeError("Cannot read properties of undefined");
    const openBrowser = async (): Promise<PageFetcher> => {
      const http = createStaticFetcher(createGuardedFetch(addressPolicy(["127.0.0.0/8"])));
      return {
        ...http,
        fetch: async (url, options) => (url.endsWith("/odd") ? Promise.reject(fault) : http.fetch(url, options)),
      };
    };
    const spec = { startingUrl: site.url, dynamicCrawler: true, maxPages: 0, rateLimit: 0 };
    const first = await insertReport(database.db, { spec });
    await runCrawl(database, first, { openBrowser });
    const { report, checks, urls } = await readCrawl(database.db, first);
    expect(report).to.include({ crawl_state: "ended", failure_code: null });
    expect(urls).to.deep.equal([site.url, `${site.origin}/odd`, `${site.origin}/fine`]);
    expect(checks.map(({ failure_code }) => failure_code)).to.deep.equal([null, "unreadable", null]);

    fault = new BrokenEnvironmentError("no browser can be started");
    const second = await insertReport(database.db, { spec });
    const ended = await runCrawl(database, second, { openBrowser }).catch((error: unknown) => error);
    expect(ended).to.equal(fault);
    expect((await readCrawl(database.db, second)).report.crawl_state).to.equal("crawling");
    await site.close();
  });

  it("waits for the checks while many pages are not checked, and stores no source for a report without HTML checks", async () => {
    const paths = Array.from({ length: 100 }, (_, index) => `/${index}`);
    const site = await serveSite({ "/": pageOf(...paths), "*": pageOf() });
    const reportId = await insertReport(database.db, { spec: { startingUrl: site.url, maxPages: 0, rateLimit: 0 } });
    const crawling = runCrawl(database, reportId, { maxUnchecked: { pages: 20, bytes: 1_000_000 } });
    const stored = async () => (await countSources(database.db, reportId)).pages;
    let most = 0;
    let ended = false;
    void crawling.finally(() => {
      ended = true;
    });
    let checking = false;
    // Like a checker, but slower than the crawl. Once it has begun it checks all that waits: the crawl goes on only well
    // below its limit.
    await eventually(async () => {
      const waiting = await stored();
      most = Math.max(most, waiting);
      if (waiting > 20) checking = true;
      if (waiting === 0) checking = false;
      if (checking || ended)
        await sql`delete from page_sources where web_page_id in (
          select web_page_id from page_sources join web_pages on id = web_page_id
          where report_id = ${reportId} limit 10)`.execute(database.db);
      return ended && waiting === 0;
    });
    expect(await crawling).to.equal(true);
    expect((await readCrawl(database.db, reportId)).pages).to.have.length(101);
    // The limit, and what a batch holds.
    expect(most).to.be.within(21, 80);
    const { sources } = await crawlSite(database, { startingUrl: site.url, performHtmlChecks: false });
    expect(sources).to.deep.equal({});
    await site.close();
  });

  it("reads few more sitemaps than pages are wanted, says which are left out, and finds the pages beside them", async () => {
    const xml = { "content-type": "application/xml" };
    const index = (urls: string[]) =>
      `<sitemapindex>${urls.map((url) => `<sitemap><loc>${url}</loc></sitemap>`).join("")}</sitemapindex>`;
    const site = await serveSite({
      "/": pageOf("/a", "/b"),
      "/a": pageOf(),
      "/b": pageOf(),
      "*": ({ url = "", headers }, response) => {
        const urls = Array.from({ length: 200 }, (_, number) => `http://${headers.host}${url}${number}`);
        response.writeHead(200, xml).end(index(urls));
      },
    });
    const { urls, excluded, waiting } = await crawlSite(database, {
      ...{ startingUrl: site.url, initialUrls: [`${site.origin}/maps/`], maxPages: 20 },
    });
    expect(urls).to.deep.equal([site.url, `${site.origin}/a`, `${site.origin}/b`]);
    expect(site.requests.length).to.be.lessThan(80);
    const reasons = excluded.map(({ reason }) => reason);
    expect(reasons.filter((reason) => reason === "sitemap_limit")).to.have.length.greaterThan(1_000);
    expect(waiting).to.equal(0);
    await site.close();
  });

  for (const [left, expected] of [
    [2, ["page_limit", "page_limit"]],
    [3, ["page_limit", "page_limit", "page_limit"]],
    [5, ["page_limit", "page_limit", "list_limit"]],
  ] as const)
    it(`lists ${left} URLs that were not visited${left > 3 ? ", up to the limit of the list, and says so" : ""}`, async () => {
      const reportId = await insertReport(database.db);
      await beginCrawl(database.db, reportId);
      const frontier = Array.from({ length: left }, (_, position) => ({
        ...{ report_id: reportId, url: `https://example.com/${position}`, position, depth: 1 },
        ...{ linked_from: null, done: false },
      }));
      await database.db.insertInto("frontier").values(frontier).execute();
      const batch = emptyBatch();
      const end = { state: "ended", failure: undefined, maxExcluded: 3 } as const;
      await endCrawl(database.db, reportId, ["html"], batch, end);
      const { excluded } = await readCrawl(database.db, reportId);
      expect(excluded.map(({ reason }) => reason)).to.deep.equal(expected);
    });
});
