import { gzipSync } from "node:zlib";
import { expect } from "chai";
import { insertReport } from "../../support/builders.ts";
import { createAuthority } from "../../support/certificates.ts";
import { type CrawlRoutes, crawlSite, fixtureSites, pageOf as page, readCrawl, runCrawl } from "../../support/crawl.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { type Routes, serveSite } from "../../support/site.ts";

describe("the scope of a crawl", () => {
  let database: TestDatabase;
  const sites = fixtureSites();
  const crawl: CrawlRoutes = (routes, spec) => sites.crawl(database, routes, spec);

  before(async () => {
    database = await createTestDatabase();
  });
  after(() => database.drop());
  afterEach(() => sites.close());

  it("has a notice for each host whose certificate is not verified, with its first page", async () => {
    const own = createAuthority().issue(["x.test"]);
    const routes: Routes = { "/robots.txt": { status: 404 }, "/": page("/b"), "/b": page() };
    const further = await serveSite(routes, "127.0.0.1", own);
    const site = await serveSite({ ...routes, "/b": page(`${further.origin}/b`, further.url) }, "127.0.0.1", own);
    try {
      const spec = { maxPages: 0, rateLimit: 0, startingUrl: site.url, sameSite: [new URL(further.url).host] };
      const reportId = await insertReport(database.db, { spec });
      const tls = { authorities: [], clientCertificates: new Map(), insecureHosts: new Set(["127.0.0.1"]) };
      await runCrawl(database, reportId, { tls });
      expect((await readCrawl(database.db, reportId)).urls).to.have.lengthOf(4);
      const said = database.db.selectFrom("report_notices").select("url").where("report_id", "=", reportId);
      const notices = await said.where("code", "=", "certificate_not_verified").execute();
      expect(notices.map(({ url }) => url)).to.have.members([site.url, `${further.origin}/b`]);
    } finally {
      await site.close();
      await further.close();
    }
  });

  describe("excludes", () => {
    it("each URL once, with the reason and the page that linked to it", async () => {
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

    it("what no glob includes, and what one excludes; the start leads on in any case", async () => {
      const crawled = await crawl(
        {
          "/": page("/docs/", "/blog/", "/docs/a.pdf"),
          "/docs/": page("/docs/b", "/fr/docs/c", "/docs/away", "/blog/"),
          "/docs/b": page(),
          "/docs/away": { status: 302, headers: { location: "/blog/" } },
        },
        { includeGlobs: ["/docs/**"], excludeGlobs: ["*.pdf"] },
      );
      expect(crawled.paths).to.deep.equal(["/docs/", "/docs/b"]);
      expect(crawled.left).to.deep.equal({
        ...{ "/": "not_included", "/blog/": "not_included", "/fr/docs/c": "not_included" },
        ...{ "/docs/away": "not_included", "/docs/a.pdf": "exclusion" },
      });
      expect(crawled.requested).to.have.members(["/", "/docs/", "/docs/b", "/docs/away"]);
    });

    it("no initial URLs and sitemaps that no glob includes: they lead on, too", async () => {
      const routes: Routes = { ...{ "/docs/found": page(), "/docs/too": page(), "/docs/listed": page() } };
      const site = await sites.serve(routes);
      const xml = (body: string) => ({ headers: { "content-type": "application/xml" }, body });
      Object.assign(routes, {
        "/": page(),
        "/extra": page("/docs/found"),
        "/moved": { status: 301, headers: { location: "/extra2" } },
        "/extra2": page("/docs/too"),
        "/map.xml": xml(`<sitemapindex><sitemap><loc>${site.origin}/inner.xml</loc></sitemap></sitemapindex>`),
        "/inner.xml": xml(
          `<urlset><url><loc>${site.origin}/docs/listed</loc></url><url><loc>${site.origin}/no</loc></url></urlset>`,
        ),
      });
      const initialUrls = ["/extra", "/moved", "/map.xml"].map((path) => site.origin + path);
      const crawled = await crawlSite(database, { startingUrl: site.url, initialUrls, includeGlobs: ["/docs/*"] });
      const pathOf = (url: string) => url.replace(site.origin, "");
      expect(crawled.urls.map(pathOf).sort()).to.deep.equal(["/docs/found", "/docs/listed", "/docs/too"]);
      expect(Object.fromEntries(crawled.excluded.map(({ url, reason }) => [pathOf(url), reason]))).to.deep.equal({
        ...{ "/": "not_included", "/extra": "not_included", "/extra2": "not_included", "/no": "not_included" },
        "/moved": "duplicate_redirect",
      });
    });

    it("nothing of the further hosts of the site, whose robots.txt counts for them; other hosts are off site", async () => {
      const shop = await sites.serve({
        "/robots.txt": { headers: { "content-type": "text/plain" }, body: "User-agent: *\nDisallow: /cart" },
        "/a": page("/cart", "/b"),
        "/b": page(),
        "/here": { status: 302, headers: { location: "/cart" } },
      });
      const other = await sites.serve({ "/": page() });
      const crawled = await crawl(
        {
          "/robots.txt": { headers: { "content-type": "text/plain" }, body: "User-agent: *\nDisallow: /b" },
          "/": page("/a", "/b", `${shop.origin}/a`, "/to-shop", "/to-cart", `${shop.origin}/here`, other.url),
          "/a": page(),
          "/to-shop": { status: 302, headers: { location: `${shop.origin}/b` } },
          "/to-cart": { status: 302, headers: { location: `${shop.origin}/cart` } },
        },
        { sameSite: [new URL(shop.origin).host], respectRobots: true },
      );
      expect(
        crawled.urls.map((url) => url.replace(crawled.site.origin, "").replace(shop.origin, "shop")),
      ).to.deep.equal([...["/", "/a", "shop/a", "shop/b"]]);
      expect(
        crawled.excluded.map(({ url, reason }) => [
          url.replace(crawled.site.origin, "").replace(shop.origin, "shop"),
          reason,
        ]),
      ).to.have.deep.members([
        ["/b", "robots"],
        ["/to-shop", "duplicate_redirect"],
        ["/to-cart", "robots"],
        ["shop/here", "robots"],
        ["shop/cart", "robots"],
        [other.url, "off_site"],
      ]);
      expect(shop.requests.map(({ path }) => path)).not.to.include("/cart");
      expect(other.requests).to.deep.equal([]);
    });

    it("redirects to another site, to an exclusion or to a known page", async () => {
      const other = await sites.serve({ "/": page() });
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

    it("what robots.txt disallows, if the report respects it", async () => {
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

    it("what a robots.txt disallows that is longer than is read", async () => {
      const rules = `User-agent: *\nDisallow: /a\n${"# comment\n".repeat(150_000)}Disallow: /b\n`;
      const crawled = await crawl(
        {
          "/robots.txt": { headers: { "content-type": "text/plain" }, body: rules },
          "/": page("/a", "/b"),
          "*": page(),
        },
        { respectRobots: true },
      );
      expect(crawled.left).to.deep.equal({ "/a": "robots" });
      expect(crawled.paths).to.deep.equal(["/", "/b"]);
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

  describe("starts at", () => {
    const xml = { "content-type": "application/xml" };
    const sitemap = (origin: string, ...paths: string[]): string =>
      `<?xml version="1.0"?><urlset>${paths.map((path) => `<url><loc>${origin}${path}</loc></url>`).join("")}</urlset>`;

    it("another host, when the starting URL redirects there", async () => {
      const moved = await sites.serve({ "/home": page("/a", "/b"), "/a": page(), "/b": page() });
      const crawled = await crawl({ "/": { status: 301, headers: { location: `${moved.origin}/home` } } });
      expect(crawled.urls).to.deep.equal(["home", "a", "b"].map((path) => `${moved.url}${path}`));
      expect(crawled.excluded).to.deep.equal([]);
    });

    it("a sitemap, which is not a page itself", async () => {
      const routes: Routes = { "/a": page("/c"), "/b": page(), "/c": page() };
      const site = await sites.serve(routes);
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
      const site = await sites.serve(routes);
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
      const site = await sites.serve(routes);
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
});
