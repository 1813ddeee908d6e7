import { gzipSync } from "node:zlib";
import { expect } from "chai";
import { sql } from "kysely";
import { openCrawlSession } from "../../src/database/crawl-session.ts";
import { listen } from "../../src/database/listen.ts";
import type { ReportSpec } from "../../src/schema/report.ts";
import { insertReport } from "../support/builders.ts";
import { crawlSite, readCrawl, runCrawl } from "../support/crawl.ts";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";
import { type Routes, type Site, serveSite } from "../support/site.ts";

const page = (...links: string[]): string =>
  `<!DOCTYPE html><title>A page</title>${links.map((link) => `<a href="${link}">x</a>`).join("")}`;

describe("the Spider", () => {
  let database: TestDatabase;
  const sites: Site[] = [];

  before(async () => {
    database = await createTestDatabase();
  });
  after(() => database.drop());
  afterEach(async () => {
    for (const site of sites.splice(0)) await site.close();
  });

  async function serve(routes: Routes): Promise<Site> {
    const site = await serveSite(routes);
    sites.push(site);
    return site;
  }

  /** Serves the routes, crawls them, and shortens the site's URLs to paths. */
  async function crawl(routes: Routes, spec: Partial<ReportSpec> & { start?: string } = {}) {
    const site = await serve(routes);
    const { start = "/", ...rest } = spec;
    const crawled = await crawlSite(database, { startingUrl: `${site.origin}${start}`, ...rest });
    const path = (url: string | null) => (url ?? "").replace(site.origin, "");
    return {
      ...crawled,
      site,
      paths: crawled.urls.map(path),
      left: Object.fromEntries(crawled.excluded.map(({ url, reason }) => [path(url), reason])),
      from: Object.fromEntries(
        [...crawled.pages, ...crawled.excluded].map((row) => [path(row.url), path(row.linked_from)]),
      ),
      requested: site.requests.map((request) => request.path),
    };
  }

  describe("follows links", () => {
    it("finds every page once, breadth first, and says where each was linked", async () => {
      const crawled = await crawl({
        "/": page("/a", "/b", "/a#again", "mailto:x@example.com"),
        "/a": page("/c", "/"),
        "/b": page("/d", "/c"),
        "/c": page("/e"),
        "/d": page(),
        "/e": page("/"),
      });
      expect(crawled.paths).to.deep.equal(["/", "/a", "/b", "/c", "/d", "/e"]);
      expect(crawled.from).to.deep.equal({ "/": "", "/a": "/", "/b": "/", "/c": "/a", "/d": "/b", "/e": "/c" });
      expect(crawled.requested).to.have.members(crawled.paths);
      expect(crawled.excluded).to.deep.equal([]);
      expect(crawled.waiting).to.equal(0);
      expect(crawled.report).to.include({ crawl_state: "ended", num_pages: 6, html_pending: 6, html_failed: 0 });
      expect(crawled.report).to.include({ a11y_pending: 0, failure_code: null });
      expect(crawled.pages.map((row) => row.http_status)).to.deep.equal(Array(6).fill(200));
    });

    it("queues a check of each engine asked for, and keeps sources for the HTML check only", async () => {
      const routes = { "/": page("/a"), "/a": page() };
      const both = await crawl(routes, { performA11yChecks: true });
      expect(both.checks.map(({ kind, status }) => `${kind} ${status}`).sort()).to.deep.equal([
        ...["a11y queued", "a11y queued", "html queued", "html queued"],
      ]);
      expect(Object.values(both.sources)).to.have.members([page("/a"), page()]);
      expect(both.report).to.include({ html_pending: 2, a11y_pending: 2 });
      const a11y = await crawl(routes, { performHtmlChecks: false, performA11yChecks: true });
      expect(a11y.checks.map(({ kind }) => kind)).to.deep.equal(["a11y", "a11y"]);
      expect(a11y.sources).to.deep.equal({});
      expect(a11y.report).to.include({ html_pending: 0, a11y_pending: 2 });
    });

    it("finds the same pages in the same order, whichever server is quick", async () => {
      const names = Array.from({ length: 30 }, (_, n) => `/${n}`);
      const routes = (delay: (n: number) => number): Routes => ({
        "/": page(...names),
        ...Object.fromEntries(
          names.map((name, n) => [name, { body: page(`/x${n % 7}`, `/y${n}`), delayMs: delay(n) }]),
        ),
        "*": page(),
      });
      const [one, other] = await Promise.all([
        crawl(
          routes((n) => (n % 3) * 15),
          { maxPages: 47 },
        ),
        crawl(
          routes((n) => ((n + 2) % 5) * 10),
          { maxPages: 47 },
        ),
      ]);
      expect(one.paths).to.have.length(47);
      expect(one.paths).to.deep.equal(other.paths);
      expect(one.left).to.deep.equal(other.left);
    });

    it("stops at the page, not one request later, and lists what it left", async () => {
      const names = Array.from({ length: 40 }, (_, n) => `/${n}`);
      const crawled = await crawl({ "/": page(...names), "*": page("/more") }, { maxPages: 10 });
      expect(crawled.paths).to.deep.equal(["/", ...names.slice(0, 9)]);
      expect(crawled.requested).to.have.length(10);
      expect(Object.keys(crawled.left)).to.deep.equal([...names.slice(9), "/more"]);
      expect(new Set(Object.values(crawled.left))).to.deep.equal(new Set(["page_limit"]));
      expect(crawled.from["/20"]).to.equal("/");
      expect(crawled.report.num_pages).to.equal(10);
    });

    it("fills max_pages though some of what is linked are no pages", async () => {
      const crawled = await crawl(
        {
          "/": page("/1.pdf", "/a", "/2.pdf", "/b", "/3.pdf", "/c"),
          "*": (request, response) => {
            const type = request.url?.endsWith(".pdf") ? "application/pdf" : "text/html";
            response.writeHead(200, { "content-type": type }).end(page());
          },
        },
        { maxPages: 3 },
      );
      expect(crawled.paths).to.deep.equal(["/", "/a", "/b"]);
      expect(crawled.left).to.include({ "/1.pdf": "not_html", "/2.pdf": "not_html" });
    });

    it("stays with the links of the starting and initial URLs unless it is to go deep", async () => {
      const routes = {
        "/": page("/a"),
        "/a": page("/deep"),
        "/initial": page("/b"),
        "/b": page("/deep"),
      };
      const site = await serve({});
      const crawled = await crawl(routes, { deepCrawl: false, initialUrls: ["http://127.0.0.1:1/", "no url at all"] });
      expect(crawled.paths).to.deep.equal(["/", "/a"]);
      expect(crawled.left).to.deep.equal({ "http://127.0.0.1:1/": "off_site", "no url at all": "invalid_url" });
      const own = await serve(routes);
      const { urls } = await crawlSite(database, {
        startingUrl: own.url,
        deepCrawl: false,
        initialUrls: [`${own.origin}/initial`, site.url],
      });
      expect(urls).to.deep.equal(["", "initial", "a", "b"].map((name) => own.url + name));
    });

    it("resolves against the base, and reads charsets as browsers do", async () => {
      const crawled = await crawl({
        "/": '<base href="/dir/"><a href="a"></a>',
        "/dir/a": { headers: { "content-type": "text/html; charset=windows-1252" }, body: Buffer.from([0x80, 0xfc]) },
      });
      expect(crawled.paths).to.deep.equal(["/", "/dir/a"]);
      expect(crawled.sources[crawled.urls[1] ?? ""]).to.equal("€ü");
    });
  });

  describe("leaves out", () => {
    it("each URL once, with the reason and where it was linked", async () => {
      const long = `/${"x".repeat(2_000)}`;
      const crawled = await crawl(
        {
          "/": page("/a", "/private/x", "https://example.com/", "http://[oops", "/file.zip", "/m/m/m/m/m/m", long),
          "/a": page("/private/x", "https://example.com/", "/file.zip", "http://user:secret@127.0.0.1/"),
          "/file.zip": { headers: { "content-type": "application/zip" }, body: "PK" },
        },
        { exclusions: ["/private"] },
      );
      expect(crawled.paths).to.deep.equal(["/", "/a"]);
      const [cut = ""] = crawled.excluded.flatMap(({ url }) => (url.includes("xxx") ? [url] : []));
      expect(cut).to.have.length(2_000);
      expect(crawled.left).to.deep.equal({
        "/private/x": "exclusion",
        "https://example.com/": "off_site",
        "http://[oops": "invalid_url",
        "/file.zip": "not_html",
        "/m/m/m/m/m/m": "trap",
        [cut.replace(crawled.site.origin, "")]: "trap",
        "http://127.0.0.1/": "invalid_url",
      });
      expect(crawled.from["/private/x"]).to.equal("/");
      expect(crawled.from["http://127.0.0.1/"]).to.equal("/a");
      expect(crawled.requested).to.have.members(["/", "/a", "/file.zip"]);
    });

    it("what a redirect leads to off the site, into an exclusion or to a page that is known", async () => {
      const other = await serve({ "/": page() });
      const crawled = await crawl(
        {
          "/": page("/off", "/hidden", "/known", "/new"),
          "/off": { status: 302, headers: { location: other.url } },
          "/hidden": { status: 302, headers: { location: "/private/x" } },
          "/known": { status: 301, headers: { location: "/" } },
          "/new": { status: 301, headers: { location: "/target" } },
          "/target": page(),
        },
        { exclusions: ["/private"] },
      );
      expect(crawled.paths).to.deep.equal(["/", "/target"]);
      expect(crawled.from["/target"]).to.equal("/");
      expect(crawled.left).to.deep.equal({
        "/off": "off_site",
        "/hidden": "exclusion",
        "/known": "duplicate_redirect",
        "/new": "duplicate_redirect",
      });
      expect(other.requests).to.deep.equal([]);
      expect(crawled.requested).not.to.include("/private/x");
    });

    it("what robots.txt disallows, when it is to be respected", async () => {
      const routes = {
        "/robots.txt": { headers: { "content-type": "text/plain" }, body: "User-agent: *\nDisallow: /a\nAllow: /a/b" },
        "/": page("/a", "/a/b", "/r"),
        "/r": { status: 302, headers: { location: "/a/c" } },
        "*": page(),
      };
      const respectful = await crawl(routes, { respectRobots: true });
      expect(respectful.paths).to.deep.equal(["/", "/a/b"]);
      expect(respectful.left).to.deep.equal({ "/a": "robots", "/r": "robots" });
      const owner = await crawl(routes);
      expect(owner.paths).to.deep.equal(["/", "/a", "/a/b", "/a/c"]);
      expect(owner.requested).not.to.include("/robots.txt");
    });

    it("a flood of links, without filling the database", async () => {
      const links = Array.from({ length: 49_000 }, (_, n) => `/${n}`);
      const crawled = await crawl({ "/": page(...links), "*": page() }, { maxPages: 2 });
      expect(crawled.paths).to.deep.equal(["/", "/0"]);
      expect(crawled.excluded).to.have.length(10_000);
      const rows = await database.db
        .selectFrom("frontier")
        .where("report_id", "=", crawled.reportId)
        .select((eb) => eb.fn.countAll<string>().as("count"))
        .executeTakeFirstOrThrow();
      expect(Number(rows.count)).to.be.at.most(10_008);
    });
  });

  describe("prefers canonical URLs", () => {
    const canonical = (href: string, ...links: string[]): string =>
      `<link rel="canonical" href="${href}">${page(...links)}`;

    it("and stores each such page once, under that name", async () => {
      const crawled = await crawl({
        "/": page("/a?x=1", "/a?x=2", "/b"),
        "/a": canonical("/a", "/c"),
        "/b": canonical("/b"),
        "/c": page(),
      });
      expect(crawled.paths).to.deep.equal(["/", "/a", "/b", "/c"]);
      expect(crawled.left).to.deep.equal({ "/a?x=1": "duplicate_canonical", "/a?x=2": "duplicate_canonical" });
      expect(crawled.from["/a?x=1"]).to.equal("/");
      expect(crawled.requested.filter((path) => path === "/a")).to.have.length(1);
    });

    it("but not at the price of losing a page", async () => {
      const crawled = await crawl({
        "/": page("/gone", "/pdf", "/off", "/bad", "/loop"),
        "/gone": canonical("/404"),
        "/pdf": canonical("/file"),
        "/file": { headers: { "content-type": "application/pdf" }, body: "x" },
        "/off": canonical("https://example.com/"),
        "/bad": canonical("http://[oops"),
        "/loop": canonical("/back"),
        "/back": { status: 302, headers: { location: "/loop" } },
      });
      expect(crawled.paths).to.deep.equal(["/", "/gone", "/pdf", "/off", "/bad", "/loop"]);
      expect(crawled.left).to.deep.equal({});
    });

    it("follows the links of both, and counts the pair as one page", async () => {
      const crawled = await crawl(
        { "/": page("/p2"), "/p2": canonical("/p1", "/only2"), "/p1": canonical("/p1", "/only1"), "*": page() },
        { maxPages: 4 },
      );
      expect(crawled.paths).to.deep.equal(["/", "/p1", "/only1", "/only2"]);
      expect(crawled.left).to.deep.equal({ "/p2": "duplicate_canonical" });
    });

    it("takes a page that was linked too at its first mention", async () => {
      const crawled = await crawl({ "/": page("/x", "/y", "/z"), "/x": canonical("/z"), "/y": page(), "/z": page() });
      expect(crawled.paths).to.deep.equal(["/", "/z", "/y"]);
      expect(crawled.left).to.deep.equal({ "/x": "duplicate_canonical" });
      expect(crawled.report.num_pages).to.equal(3);
    });

    it("only when asked to", async () => {
      const crawled = await crawl({ "/": page("/a"), "/a": canonical("/b") }, { preferCanonicalUrls: false });
      expect(crawled.paths).to.deep.equal(["/", "/a"]);
    });
  });

  describe("starts at", () => {
    const xml = { "content-type": "application/xml" };
    const sitemap = (origin: string, ...paths: string[]): string =>
      `<?xml version="1.0"?><urlset>${paths.map((path) => `<url><loc>${origin}${path}</loc></url>`).join("")}</urlset>`;

    it("another host, when the starting URL has moved there", async () => {
      const moved = await serve({ "/home": page("/a", "/b"), "/a": page(), "/b": page() });
      const crawled = await crawl({ "/": { status: 301, headers: { location: `${moved.origin}/home` } } });
      expect(crawled.urls).to.deep.equal(["home", "a", "b"].map((path) => `${moved.url}${path}`));
      expect(crawled.excluded).to.deep.equal([]);
    });

    it("a sitemap, which is no page itself", async () => {
      const routes: Routes = { "/a": page("/c"), "/b": page(), "/c": page() };
      const site = await serve(routes);
      routes["/sitemap.xml"] = { headers: xml, body: sitemap(site.origin, "/a", "/b#x", "/file.pdf") };
      const startingUrl = `${site.origin}/sitemap.xml`;
      const deep = await crawlSite(database, { startingUrl });
      expect(deep.urls).to.deep.equal(["/a", "/b", "/file.pdf", "/c"].map((path) => site.origin + path));
      expect(deep.pages[0]?.linked_from).to.equal(startingUrl);
      expect(deep.report).to.include({ crawl_state: "ended", num_pages: 4, html_pending: 3, html_failed: 1 });
      const flat = await crawlSite(database, { startingUrl, deepCrawl: false });
      expect(flat.urls).to.deep.equal(["/a", "/b", "/file.pdf"].map((path) => site.origin + path));
    });

    it("a sitemap index, compressed, bounded and never twice", async () => {
      const routes: Routes = { "/a": page(), "/b": page() };
      const site = await serve(routes);
      const index = (...paths: string[]): string =>
        `<sitemapindex>${paths.map((path) => `<sitemap><loc>${site.origin}${path}</loc></sitemap>`).join("")}</sitemapindex>`;
      routes["/index.xml.gz"] = {
        headers: { "content-type": "application/x-gzip" },
        body: gzipSync(index("/1.xml", "/2.xml.gz", "/index.xml.gz", "/missing.xml", "/deep.xml")),
      };
      routes["/1.xml"] = { headers: xml, body: sitemap(site.origin, "/a") };
      routes["/2.xml.gz"] = {
        headers: { "content-type": "application/octet-stream" },
        body: gzipSync(sitemap(site.origin, "/b", "/a")),
      };
      routes["/deep.xml"] = { headers: xml, body: index("/deep.xml?1") };
      routes["/deep.xml?1"] = { headers: xml, body: index("/deep.xml?2") };
      routes["/deep.xml?2"] = { headers: xml, body: index("/deep.xml?3") };
      const crawled = await crawlSite(database, { startingUrl: `${site.origin}/index.xml.gz` });
      expect(crawled.urls).to.deep.equal([`${site.origin}/a`, `${site.origin}/b`]);
      expect(crawled.reasons).to.deep.equal({ [`${site.origin}/missing.xml`]: "not_html" });
      expect(site.requests.map(({ path }) => path)).not.to.include("/deep.xml?3");
    });

    it("a text list, and initial URLs of every kind", async () => {
      const routes: Routes = { "/a": page(), "/b": page(), "/c": page("/d"), "/d": page() };
      const site = await serve(routes);
      routes["/list.txt"] = {
        headers: { "content-type": "text/plain" },
        body: `\ufeff# pages\n${site.origin}/a\n\nnonsense\nhttps://example.com/\n`,
      };
      routes["/sitemap.xml"] = { headers: xml, body: sitemap(site.origin, "/b") };
      const crawled = await crawlSite(database, {
        startingUrl: `${site.origin}/list.txt`,
        initialUrls: [`${site.origin}/sitemap.xml`, `${site.origin}/c`],
      });
      expect(crawled.urls).to.deep.equal(["/c", "/a", "/b", "/d"].map((path) => site.origin + path));
      expect(crawled.reasons).to.deep.equal({ nonsense: "invalid_url", "https://example.com/": "off_site" });
    });
  });

  describe("says why a report came to nothing", () => {
    const fails: [name: string, routes: Routes, code: string, detail: string, pages: number][] = [
      ["404", {}, "http_error", "answered 404 Not Found.", 1],
      ["500", { "/": { status: 500 } }, "http_error", "answered 500 Internal Server Error.", 1],
      [
        "no HTML",
        { "/": { headers: { "content-type": "application/pdf" }, body: "%PDF" } },
        "not_html",
        'it answered 200 with Content-Type "application/pdf".',
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
      ["an empty page", { "/": "" }, "empty", "answered 200 with an empty document (0 characters).", 1],
      [
        "an empty sitemap",
        { "/": { headers: { "content-type": "text/xml" }, body: "<urlset/>" } },
        "empty",
        "is a sitemap that names no URL.",
        0,
      ],
      [
        "a redirect loop",
        { "/": { status: 302, headers: { location: "/" } } },
        "too_many_redirects",
        "redirects in a circle:",
        1,
      ],
      [
        "a redirect into nothing",
        { "/": { status: 302, headers: { location: "/x" } } },
        "http_error",
        "/x answered 404 Not Found.",
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

    it("no server, no such name, an address that is not allowed", async () => {
      const site = await serveSite({});
      await site.close();
      const unreachable = await crawlSite(database, { startingUrl: site.url });
      expect(unreachable.report).to.include({ crawl_state: "failed", failure_code: "unreachable" });
      expect(unreachable.report.failure_detail).to.include(site.url).and.include("ECONNREFUSED");
      const unknown = await crawlSite(database, { startingUrl: "http://no-such-host.invalid/" });
      expect(unknown.report).to.include({ crawl_state: "failed", failure_code: "dns_error", num_pages: 1 });
      const live = await serve({ "/": page() });
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

    it("a sitemap of which nothing could be fetched", async () => {
      const crawled = await crawl({
        "/": {
          headers: { "content-type": "text/xml" },
          body: "<urlset><url><loc>https://example.com/</loc></url></urlset>",
        },
      });
      expect(crawled.report).to.include({ crawl_state: "failed", failure_code: "empty" });
      expect(crawled.report.failure_detail).to.include(crawled.site.url).and.include("1 were left out");
    });

    it("but goes on with what initial URLs give", async () => {
      const site = await serve({ "/ok": page() });
      const crawled = await crawlSite(database, { startingUrl: site.url, initialUrls: [`${site.origin}/ok`] });
      expect(crawled.report).to.include({ crawl_state: "ended", failure_code: null, html_pending: 1, html_failed: 1 });
      expect(crawled.checks.map(({ failure_code }) => failure_code)).to.deep.equal(["http_error", null]);
    });
  });

  it("stores a page that failed with the reason, and goes on", async () => {
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

  it("reserves a slot of the report's rate limit for every request, redirects included", async () => {
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
    // A slot reserved elsewhere, by a checker, holds the crawler back too.
    const site = await serve({ "/": page("/a"), "/a": page() });
    const reportId = await insertReport(database.db, { spec: { startingUrl: site.url, rateLimit: 1_000 } });
    const start = Date.now() + 150;
    await database.db
      .updateTable("rate_limits")
      .set({ next_slot: new Date(start) })
      .where("report_id", "=", reportId)
      .execute();
    await runCrawl(database, reportId);
    expect(site.requests).to.have.length(2);
    for (const { at } of site.requests) expect(at).to.be.at.least(start - 1);
  });

  it("rings for every batch and at the end", async () => {
    const heard: string[] = [];
    const listener = await listen({
      ...{ url: database.url, channel: "site_validator", applicationName: "test" },
      onNotification: (payload) => heard.push(payload),
    });
    const { reportId } = await crawl({ "/": page() });
    await sql`select pg_notify('site_validator', 'over')`.execute(database.db);
    while (!heard.includes("over")) await new Promise((resolve) => setTimeout(resolve, 5));
    await listener.close();
    expect(heard.filter((payload) => payload === reportId).length).to.be.at.least(2);
  });

  describe("with others around", () => {
    it("writes nothing more once the report is deleted", async () => {
      let stopped = 0;
      const site = await serve({
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

    it("does nothing for a report that has been crawled, or is not there", async () => {
      const { reportId, site, requested } = await crawl({ "/": page() });
      expect(await runCrawl(database, reportId)).to.equal(false);
      expect(site.requests).to.have.length(requested.length);
      expect(await runCrawl(database, "00000000-0000-4000-8000-000000000000")).to.equal(false);
    });

    it("waits for another crawler of the same report", async () => {
      const site = await serve({ "/": page() });
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
