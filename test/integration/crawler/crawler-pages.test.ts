import { expect } from "chai";
import { type CrawlRoutes, crawlSite, fixtureSites, pageOf as page } from "../../support/crawl.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import type { Routes } from "../../support/site.ts";

describe("the pages that the crawler finds", () => {
  let database: TestDatabase;
  const sites = fixtureSites();
  const crawl: CrawlRoutes = (routes, spec) => sites.crawl(database, routes, spec);

  before(async () => {
    database = await createTestDatabase();
  });
  after(() => database.drop());
  afterEach(() => sites.close());

  describe("follows links", () => {
    it("finds every page once, breadth first, and says which page linked to it", async () => {
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

    it("queues a check for each requested engine, and keeps sources for the HTML check only", async () => {
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

    it("finds the same pages in the same order, whichever response arrives first", async () => {
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

    it("stops at the limit without one more request, and lists the URLs that it did not visit", async () => {
      const names = Array.from({ length: 40 }, (_, n) => `/${n}`);
      const crawled = await crawl({ "/": page(...names), "*": page("/more") }, { maxPages: 10 });
      expect(crawled.paths).to.deep.equal(["/", ...names.slice(0, 9)]);
      expect(crawled.requested).to.have.length(10);
      expect(Object.keys(crawled.left)).to.deep.equal([...names.slice(9), "/more"]);
      expect(new Set(Object.values(crawled.left))).to.deep.equal(new Set(["page_limit"]));
      expect(crawled.from["/20"]).to.equal("/");
      expect(crawled.report.num_pages).to.equal(10);
    });

    it("reaches max_pages even if some links do not lead to pages", async () => {
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

    it("follows only the links of the starting URL without deep_crawl, not those of an initial URL", async () => {
      const routes = {
        "/": page("/a"),
        "/a": page("/deep"),
        "/initial": page("/b"),
        "/b": page("/deep"),
      };
      const site = await sites.serve({});
      const crawled = await crawl(routes, { deepCrawl: false, initialUrls: ["http://127.0.0.1:1/", "no url at all"] });
      expect(crawled.paths).to.deep.equal(["/", "/a"]);
      expect(crawled.left).to.deep.equal({ "http://127.0.0.1:1/": "off_site", "no url at all": "invalid_url" });
      const own = await sites.serve(routes);
      const { urls } = await crawlSite(database, {
        startingUrl: own.url,
        deepCrawl: false,
        initialUrls: [`${own.origin}/initial`, site.url],
      });
      expect(urls).to.deep.equal(["", "initial", "a"].map((name) => own.url + name));
    });

    it("treats what a sitemap lists like an initial URL, wherever the sitemap is given", async () => {
      const routes: Routes = { "/": page("/a"), "/a": page("/deep"), "/b": page("/deep"), "/c": page("/deep") };
      const site = await sites.serve(routes);
      const xml = { "content-type": "application/xml" };
      const listed = (path: string) => `<urlset><url><loc>${site.origin}${path}</loc></url></urlset>`;
      routes["/start.xml"] = { headers: xml, body: listed("/b") };
      routes["/initial.xml"] = { headers: xml, body: listed("/c") };
      const initialUrls = [`${site.origin}/a`, `${site.origin}/initial.xml`];
      const flat = await crawlSite(database, {
        startingUrl: `${site.origin}/start.xml`,
        deepCrawl: false,
        initialUrls,
      });
      expect(flat.urls.toSorted()).to.deep.equal(["/a", "/b", "/c"].map((path) => site.origin + path));
      const deep = await crawlSite(database, { startingUrl: `${site.origin}/start.xml`, initialUrls });
      expect(deep.urls.toSorted()).to.deep.equal(["/a", "/b", "/c", "/deep"].map((path) => site.origin + path));
    });

    it("follows the links of the canonical page of the starting URL, or of where it redirects, without deep_crawl", async () => {
      const canonical = `<link rel="canonical" href="/real">`;
      const moved = await crawl(
        { "/": { status: 302, headers: { location: "/home" } }, "/home": page("/a"), "/a": page("/deep") },
        { deepCrawl: false },
      );
      expect(moved.paths).to.deep.equal(["/home", "/a"]);
      const named = await crawl(
        { "/": canonical + page("/a"), "/real": page("/b"), "/a": page("/deep"), "/b": page("/deep") },
        { deepCrawl: false },
      );
      expect(named.paths.toSorted()).to.deep.equal(["/a", "/b", "/real"]);
    });

    it("resolves against the base, and reads charsets as browsers do", async () => {
      const crawled = await crawl({
        "/": '<base href="/dir/"><a href="a"></a>',
        "/dir/a": { headers: { "content-type": "text/html; charset=windows-1252" }, body: Buffer.from([0x80, 0xfc]) },
      });
      expect(crawled.paths).to.deep.equal(["/", "/dir/a"]);
      expect(crawled.sources[crawled.urls[1] ?? ""]).to.equal("€ü");
    });

    for (const [what, bytes, text] of [
      ["with a byte order mark", [0xef, 0xbb, 0xbf, 0xc3, 0xbc], "ü"],
      ["that is malformed", [0xc3, 0xbc, 0xff], "ü\ufffd"],
      ["with a replacement character of its own", [0xef, 0xbf, 0xbd, 0xc3, 0xbc], "\ufffdü"],
      ["as it is", [0xc3, 0xbc], "ü"],
    ] as const)
      it(`stores the text of a page in UTF-8 ${what}, whether it is compressed or not`, async () => {
        const headers = { "content-type": "text/html; charset=utf-8" };
        const long = "x".repeat(2_000);
        const crawled = await crawl({
          "/": page("/short", "/long"),
          "/short": { headers, body: Buffer.from(bytes) },
          "/long": { headers, body: Buffer.concat([Buffer.from(bytes), Buffer.from(long)]) },
        });
        const sourceOf = (path: string) => crawled.sources[crawled.urls[crawled.paths.indexOf(path)] ?? ""];
        expect([sourceOf("/short"), sourceOf("/long")]).to.deep.equal([text, text + long]);
      });
  });

  describe("with canonical URLs", () => {
    const canonical = (href: string, ...links: string[]): string =>
      `<link rel="canonical" href="${href}">${page(...links)}`;

    it("are stored once, under their canonical URL", async () => {
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

    it("are never lost for it", async () => {
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

    it("have the links of both URLs followed, and count as one page", async () => {
      const crawled = await crawl(
        { "/": page("/p2"), "/p2": canonical("/p1", "/only2"), "/p1": canonical("/p1", "/only1"), "*": page() },
        { maxPages: 4 },
      );
      expect(crawled.paths).to.deep.equal(["/", "/p1", "/only1", "/only2"]);
      expect(crawled.left).to.deep.equal({ "/p2": "duplicate_canonical" });
    });

    it("are stored only once if the canonical URL is also linked", async () => {
      const crawled = await crawl({ "/": page("/x", "/y", "/z"), "/x": canonical("/z"), "/y": page(), "/z": page() });
      expect(crawled.paths).to.deep.equal(["/", "/z", "/y"]);
      expect(crawled.left).to.deep.equal({ "/x": "duplicate_canonical" });
      expect(crawled.report.num_pages).to.equal(3);
    });

    it("are stored under it only if the report says so", async () => {
      const crawled = await crawl({ "/": page("/a"), "/a": canonical("/b") }, { preferCanonicalUrls: false });
      expect(crawled.paths).to.deep.equal(["/", "/a"]);
    });
  });
});
