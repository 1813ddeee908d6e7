import { gzipSync } from "node:zlib";
import { expect } from "chai";
import { sql } from "kysely";
import { subscribe } from "../../../src/database/connection/client.ts";
import { openCrawlSession } from "../../../src/database/crawl/session.ts";
import { insertReport } from "../../support/builders.ts";
import { type CrawlRoutes, crawlSite, fixtureSites, pageOf as page, readCrawl, runCrawl } from "../../support/crawl.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { faultProxy } from "../../support/fault-proxy.ts";
import { type Routes, serveSite } from "../../support/site.ts";
import { eventually } from "../../support/wait.ts";

describe("a crawl", () => {
  let database: TestDatabase;
  const sites = fixtureSites();
  const crawl: CrawlRoutes = (routes, spec) => sites.crawl(database, routes, spec);

  before(async () => {
    database = await createTestDatabase();
  });
  after(() => database.drop());
  afterEach(() => sites.close());

  describe("says why a report failed", () => {
    const fails: [name: string, routes: Routes, code: string, detail: string, pages: number][] = [
      ["404", {}, "http_error", "responded with 404 Not Found.", 1],
      ["500", { "/": { status: 500 } }, "http_error", "responded with 500 Internal Server Error.", 1],
      [
        "not HTML",
        { "/": { headers: { "content-type": "application/pdf" }, body: "%PDF" } },
        "not_html",
        'it responded with 200 and Content-Type "application/pdf".',
        0,
      ],
      [
        "text without URLs",
        { "/": { headers: { "content-type": "text/plain" }, body: "hello" } },
        "not_html",
        '"text/plain"',
        0,
      ],
      ["other XML", { "/": { headers: { "content-type": "text/xml" }, body: "<rss/>" } }, "not_html", '"text/xml"', 0],
      ["an empty page", { "/": "" }, "empty", "responded with 200 and an empty document (0 characters).", 1],
      [
        "an empty sitemap",
        { "/": { headers: { "content-type": "text/xml" }, body: "<urlset/>" } },
        "empty",
        "is a sitemap without any URLs.",
        0,
      ],
      [
        "a redirect loop",
        { "/": { status: 302, headers: { location: "/" } } },
        "too_many_redirects",
        "redirects in a loop:",
        1,
      ],
      [
        "a redirect to a missing page",
        { "/": { status: 302, headers: { location: "/x" } } },
        "http_error",
        "/x responded with 404 Not Found.",
        1,
      ],
      [
        "an address with a secret, which is not shown",
        { "/": { status: 302, headers: { location: "/x?token=s3cret&a=1" } } },
        "http_error",
        "/x?token=…&a=1 responded with 404 Not Found.",
        1,
      ],
    ];
    for (const [name, routes, code, detail, pages] of fails)
      it(`${name}: ${code}`, async () => {
        const crawled = await crawl(routes);
        expect(crawled.report).to.include({ crawl_state: "failed", failure_code: code, num_pages: pages });
        expect(crawled.report.failure_detail).to.include(crawled.site.origin).and.include(detail);
        expect(crawled.pages).to.have.length(pages);
        expect(crawled.report).to.include({ html_pending: 0, html_failed: pages });
        expect(crawled.checks.map((check) => [check.status, check.failure_code])).to.deep.equal(
          Array.from({ length: pages }, () => ["failed", code]),
        );
        expect(crawled.waiting).to.equal(0);
      });

    it("no server, no such host, an address that is not allowed", async () => {
      const site = await serveSite({});
      await site.close();
      const unreachable = await crawlSite(database, { startingUrl: site.url });
      expect(unreachable.report).to.include({ crawl_state: "failed", failure_code: "unreachable" });
      expect(unreachable.report.failure_detail).to.include(site.url).and.include("ECONNREFUSED");
      const unknown = await crawlSite(database, { startingUrl: "http://no-such-host.invalid/" });
      expect(unknown.report).to.include({ crawl_state: "failed", failure_code: "dns_error", num_pages: 1 });
      const live = await sites.serve({ "/": page() });
      const blocked = await crawlSite(database, { startingUrl: live.url }, []);
      expect(blocked.report).to.include({ crawl_state: "failed", failure_code: "blocked_address", num_pages: 1 });
      expect(live.requests).to.deep.equal([]);
    });

    it("the report's own exclusions, or robots.txt", async () => {
      const excluded = await crawl({ "/": page() }, { exclusions: ["http"] });
      expect(excluded.report).to.include({ crawl_state: "failed", failure_code: "excluded", num_pages: 0 });
      expect(excluded.report.failure_detail).to.include("exclusions").and.include(excluded.site.url);
      expect(excluded.left).to.deep.equal({ "/": "exclusion" });
      const robots = await crawl({ "/": page(), "/robots.txt": "User-agent: *\nDisallow: /" }, { respectRobots: true });
      expect(robots.report).to.include({ crawl_state: "failed", failure_code: "excluded" });
      expect(robots.report.failure_detail).to.include("robots.txt");
    });

    it("a robots.txt that cannot be read, and says why", async () => {
      const respectRobots = true;
      const busy = await crawl({ "/": page(), "/robots.txt": { status: 503 } }, { respectRobots });
      expect(busy.report).to.include({ crawl_state: "failed", failure_code: "http_error" });
      expect(busy.report.failure_detail).to.match(
        /robots\.txt could not be read: .*\/robots\.txt responded with 503\.$/,
      );
      const broken = await crawl(
        { "/": page(), "/robots.txt": (request) => void request.socket.destroy() },
        { respectRobots },
      );
      expect(broken.report).to.include({ crawl_state: "failed", failure_code: "unreachable" });
      expect(broken.requested).not.to.include("/");
    });

    it("a sitemap without any page that can be fetched", async () => {
      const crawled = await crawl({
        "/": {
          headers: { "content-type": "text/xml" },
          body: "<urlset><url><loc>https://example.com/</loc></url></urlset>",
        },
      });
      expect(crawled.report).to.include({ crawl_state: "failed", failure_code: "empty" });
      expect(crawled.report.failure_detail).to.include(crawled.site.url).and.include("1 were excluded");
    });

    it("but continues with the initial URLs", async () => {
      const site = await sites.serve({ "/ok": page() });
      const crawled = await crawlSite(database, { startingUrl: site.url, initialUrls: [`${site.origin}/ok`] });
      expect(crawled.report).to.include({ crawl_state: "ended", failure_code: null, html_pending: 1, html_failed: 1 });
      expect(crawled.checks.map(({ failure_code }) => failure_code)).to.deep.equal(["http_error", null]);
    });
  });

  it("stores a failed page with the reason, and continues", async () => {
    const crawled = await crawl({
      "/": page("/404", "/big", "/loop", "/cut", "/fine"),
      "/big": { headers: { "content-encoding": "gzip" }, body: gzipSync(Buffer.alloc(11_000_000)) },
      "/loop": { status: 302, headers: { location: "/loop2" } },
      "/loop2": { status: 302, headers: { location: "/loop" } },
      "/cut": (_request, response) => {
        response.destroy();
      },
      "/fine": page(),
    });
    expect(crawled.report).to.include({ crawl_state: "ended", num_pages: 6, html_pending: 2, html_failed: 4 });
    expect(crawled.report.last_checked_at).to.be.an.instanceOf(Date);
    const failures = crawled.checks.map(({ failure_code }) => failure_code);
    expect(failures).to.deep.equal([null, "http_error", "too_large", "too_many_redirects", "unreachable", null]);
    expect(crawled.pages.map(({ http_status }) => http_status)).to.deep.equal([200, 404, null, null, null, 200]);
    const failed = crawled.pages.filter(({ last_checked_at }) => last_checked_at !== null);
    expect(failed).to.have.length(4);
    expect(
      crawled.checks.every(({ status, finished_at }) => (status === "failed") === (finished_at !== null)),
    ).to.equal(true);
  });

  it("reserves a slot of the report's rate limit for every request, including redirects", async () => {
    const before = new Date();
    const crawled = await crawl(
      { "/": page("/a", "/b", "/r"), "/r": { status: 302, headers: { location: "/c" } }, "*": page() },
      { rateLimit: 200 },
    );
    const { next_slot } = await database.db
      .selectFrom("rate_limits")
      .select("next_slot")
      .where("report_id", "=", crawled.reportId)
      .executeTakeFirstOrThrow();
    expect(crawled.requested).to.have.length(5);
    expect(next_slot.getTime()).to.be.at.least(before.getTime() + 5 * 5 - 1);
  });

  it("waits for the report's next slot, which a checker may have moved", async () => {
    const routes = { "/": page("/a"), "/a": page() };
    const site = await sites.serve(routes);
    const reportId = await insertReport(database.db, { spec: { startingUrl: site.url, rateLimit: 1_000 } });
    const moveSlot = (at: number) =>
      database.db
        .updateTable("rate_limits")
        .set({ next_slot: new Date(at) })
        .where("report_id", "=", reportId)
        .execute();
    const isRefused = async (): Promise<boolean> => {
      const { rows } = await sql`select from pg_stat_activity where datname = current_database()
        and application_name = 'site-validator crawler' and query like '%next_slot%' and state = 'idle'`.execute(
        database.db,
      );
      return rows.length > 0;
    };
    // Farther away than this test takes. A slot after more than 30 s would count as a mistake of a clock.
    await moveSlot(Date.now() + 25_000);
    const stop = new AbortController();
    const crawling = runCrawl(database, reportId, { signal: stop.signal }).catch((reason: unknown) => reason);
    await eventually(isRefused);
    // Another report's crawl begins and ends meanwhile: that takes longer than a request.
    expect((await crawl(routes)).requested).to.have.length(2);
    expect(site.requests).to.deep.equal([]);
    stop.abort("stopped");
    expect(await crawling).to.equal("stopped");
    await moveSlot(Date.now());
    await runCrawl(database, reportId);
    expect(site.requests).to.have.length(2);
  });

  it("notifies after every batch and at the end", async () => {
    const heard: string[] = [];
    const stop = new AbortController();
    const { promise: connected, resolve, reject } = Promise.withResolvers<void>();
    const subscribed = subscribe(["site_validator"], {
      ...{ url: database.url, applicationName: "test", signal: stop.signal },
      onNotification: (payload) => heard.push(payload),
      onConnected: resolve,
      onLoss: reject,
    });
    await connected;
    const { reportId } = await crawl({ "/": page() });
    await sql`select pg_notify('site_validator', 'over')`.execute(database.db);
    while (!heard.includes("over")) await new Promise((resolve) => setTimeout(resolve, 5));
    stop.abort();
    await subscribed;
    expect(heard.filter((payload) => payload === reportId).length).to.be.at.least(2);
  });

  describe("with other processes", () => {
    it("writes nothing more once the report is deleted", async () => {
      let stopped = 0;
      const site = await sites.serve({
        "/": page("/a"),
        "/a": async (_request, response) => {
          await database.db.updateTable("reports").set({ deleted_at: new Date() }).execute();
          stopped++;
          response.writeHead(200, { "content-type": "text/html" }).end(page("/b"));
        },
        "*": page(),
      });
      const { reportId, report, urls } = await crawlSite(database, { startingUrl: site.url });
      expect(stopped).to.equal(1);
      expect(urls).not.to.include(`${site.origin}/a`);
      expect(report).to.include({ crawl_state: "crawling" });
      expect(await runCrawl(database, reportId)).to.equal(false);
    });

    it("does nothing for a report that is already crawled or does not exist", async () => {
      const { reportId, site, requested } = await crawl({ "/": page() });
      expect(await runCrawl(database, reportId)).to.equal(false);
      expect(site.requests).to.have.length(requested.length);
      expect(await runCrawl(database, "00000000-0000-4000-8000-000000000000")).to.equal(false);
    });

    it("writes nothing more once another crawler has taken over, and the next crawler does the rest", async () => {
      const proxy = await faultProxy(database.url);
      let cuts = 0;
      const site = await sites.serve({
        "/": page("/a"),
        "/a": async (_request, response) => {
          if (cuts++ === 0) {
            await eventually(async () => (await readCrawl(database.db, reportId)).urls.length === 1);
            await proxy.cut();
            const other = openCrawlSession({
              ...{ url: database.url, reportId, signal: new AbortController().signal },
              onLoss: () => {},
            });
            await other.run((db) => sql`select 1`.execute(db));
            await other.close();
            await proxy.mend();
          }
          response.writeHead(200, { "content-type": "text/html" }).end(page("/b"));
        },
        "*": page(),
      });
      const reportId = await insertReport(database.db, { spec: { startingUrl: site.url, rateLimit: 0 } });
      expect(await runCrawl({ ...database, url: proxy.url }, reportId)).to.equal(false);
      await proxy.cut();
      const left = await readCrawl(database.db, reportId);
      expect([left.urls, left.report.crawl_state]).to.deep.equal([[site.url], "crawling"]);
      expect(await runCrawl(database, reportId)).to.equal(true);
      expect((await readCrawl(database.db, reportId)).urls).to.deep.equal(
        ["/", "/a", "/b"].map((path) => site.origin + path),
      );
    });

    it("continues after a lost connection when no other crawler has taken over", async () => {
      const proxy = await faultProxy(database.url);
      const site = await sites.serve({
        "/": page("/a"),
        "/a": async (_request, response) => {
          await proxy.cut();
          await proxy.mend();
          response.writeHead(200, { "content-type": "text/html" }).end(page("/b"));
        },
        "*": page(),
      });
      const reportId = await insertReport(database.db, { spec: { startingUrl: site.url, rateLimit: 0 } });
      expect(await runCrawl({ ...database, url: proxy.url }, reportId)).to.equal(true);
      await proxy.cut();
      expect((await readCrawl(database.db, reportId)).report).to.include({ crawl_state: "ended", num_pages: 3 });
    });

    it("waits for another crawler of the same report", async () => {
      const site = await sites.serve({ "/": page() });
      const reportId = await insertReport(database.db, { spec: { startingUrl: site.url, rateLimit: 0 } });
      const session = openCrawlSession({
        ...{ url: database.url, reportId, signal: new AbortController().signal },
        onLoss: () => {},
      });
      await session.run(async (db) => sql`select 1`.execute(db));
      const crawled = runCrawl(database, reportId);
      const waiting = sql<{ count: number }>`
        select count(*)::int as count from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid() and query like '%pg_try_advisory_lock%'`;
      while (((await waiting.execute(database.db)).rows[0]?.count ?? 0) < 1)
        await new Promise((resolve) => setTimeout(resolve, 5));
      expect(site.requests).to.deep.equal([]);
      await session.close();
      expect(await crawled).to.equal(true);
      expect((await readCrawl(database.db, reportId)).report.num_pages).to.equal(1);
    });
  });
});
