import { link, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { expect } from "chai";
import { serveFolder } from "../../../src/cli/check/targets/serve-folder.ts";
import { createStaticFetcher } from "../../../src/crawler/static-fetcher.ts";
import { readNotices } from "../../../src/database/crawl/notices.ts";
import type { NoticeCode } from "../../../src/domain/coverage/notices.ts";
import { addressPolicy } from "../../../src/net/addresses.ts";
import { createGuardedFetch } from "../../../src/net/guarded-fetch.ts";
import { insertReport } from "../../support/builders.ts";
import { type CrawlRoutes, fixtureSites, pageOf as page, readCrawl, runCrawl } from "../../support/crawl.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import type { Route, Routes } from "../../support/site.ts";

const xml = (body: string | Uint8Array, type = "application/xml"): Route => ({
  headers: { "content-type": type },
  body,
});
const urlset = (...urls: string[]): string =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<urlset>\n${urls.map((url) => `<url><loc>${url}</loc></url>\n`).join("")}</urlset>`;

describe("what a crawl covers", () => {
  let database: TestDatabase;
  const sites = fixtureSites();
  const crawl: CrawlRoutes = (routes, spec) => sites.crawl(database, routes, spec);

  /** Code to how many, detail of the first and its address, without the site's own address. */
  const noticesOf = async ({ reportId, site }: { reportId: string; site: { origin: string } }) => {
    const groups = await readNotices(database.db, reportId);
    const short = (text: string) => text.replaceAll(site.origin, "");
    return Object.fromEntries(
      groups.map(({ code, how_many: howMany, examples }) => [
        code,
        { howMany, examples: examples.map(({ url, detail }) => [short(url), short(detail)]) },
      ]),
    ) as Partial<Record<NoticeCode, { howMany: number; examples: [string, string][] }>>;
  };

  before(async () => {
    database = await createTestDatabase();
  });
  after(() => database.drop());
  afterEach(() => sites.close());

  describe("by redirects of documents themselves", () => {
    const refresh = (content: string) =>
      `<!DOCTYPE html><title>Moved</title><meta http-equiv="refresh" content="${content}"><a href="/from-old">x</a>`;

    it("follows a meta refresh of up to five seconds, and stores nothing under the old address", async () => {
      const crawled = await crawl({
        "/": refresh("0; url=/home/"),
        "/home/": page("/soon", "/late", "/itself"),
        "/soon": refresh("5;URL='/there?x=1#part'"),
        "/there?x=1": page(),
        "/late": refresh("6; url=/there?x=1"),
        "/itself": refresh("3"),
        "/from-old": page(),
      });
      expect(crawled.paths).to.deep.equal(["/home/", "/there?x=1", "/late", "/itself", "/from-old"]);
      expect(crawled.left).to.deep.equal({ "/soon": "duplicate_redirect" });
      expect(crawled.from["/from-old"]).to.equal("/late");
      expect((await noticesOf(crawled)).redirected_by_page).to.deep.equal({
        howMany: 2,
        examples: [
          ["/", "Leads to /home/."],
          ["/soon", "Leads to /there?x=1."],
        ],
      });
    });

    it("follows a Refresh header, and refreshes after redirects of the server", async () => {
      const crawled = await crawl({
        "/": page("/header", "/first"),
        "/header": { headers: { refresh: "0;url=/a" }, body: page() },
        "/first": { status: 302, headers: { location: "/second" } },
        "/second": refresh("1, /b"),
        "/a": page(),
        "/b": page(),
      });
      expect(crawled.paths).to.deep.equal(["/", "/a", "/b"]);
      expect((await noticesOf(crawled)).redirected_by_page?.examples).to.deep.equal([
        ["/header", "Leads to /a."],
        ["/second", "Leads to /b."],
      ]);
    });

    it("names targets that fail, are elsewhere or lead back", async () => {
      const other = await sites.serve({ "/": page() });
      const crawled = await crawl({
        "/": page("/off", "/gone", "/dead", "/loop"),
        "/off": refresh(`0; url=${other.url}`),
        "/gone": refresh("0; url=/missing"),
        "/dead": refresh("0; url=/closed"),
        "/closed": (request) => void request.socket.destroy(),
        "/loop": refresh("0; url=/pool"),
        "/pool": refresh("0; url=/loop"),
      });
      expect(crawled.paths).to.deep.equal(["/", "/missing", "/dead", "/loop"]);
      expect(crawled.left).to.include({ "/off": "off_site", "/gone": "duplicate_redirect" });
      const failures = Object.fromEntries(
        crawled.checks
          .filter(({ kind }) => kind === "html")
          .map(({ failure_code, failure_detail }) => [failure_code, failure_detail]),
      );
      expect(failures).to.include.keys("http_error", "unreachable", "too_many_redirects");
      expect(failures.unreachable).to.include("/closed");
      expect(failures.too_many_redirects).to.include("/loop → ").and.include("/pool → ");
      expect(other.requests).to.deep.equal([]);
      expect((await noticesOf(crawled)).redirected_by_page?.examples).to.deep.include([
        "/off",
        `Leads to ${other.url}.`,
      ]);
    });

    it("keeps a page that only starts a download or leads to no content", async () => {
      const crawled = await crawl({
        "/": page("/thanks", "/counted"),
        "/thanks": refresh("2; url=/file.zip"),
        "/counted": refresh("0; url=/count"),
        "/file.zip": { headers: { "content-type": "application/zip" }, body: "PK" },
        "/count": { status: 204 },
        "/from-old": page(),
      });
      expect(crawled.paths).to.deep.equal(["/", "/thanks", "/counted", "/from-old"]);
      expect(await noticesOf(crawled)).to.deep.equal({});
    });

    it("says when the start leads to another host", async () => {
      const other = await sites.serve({ "/shop": page() });
      const crawled = await crawl({ "/": refresh(`0; url=${other.origin}/shop`) });
      expect(crawled.urls).to.deep.equal([`${other.origin}/shop`]);
      expect((await noticesOf(crawled)).start_redirected?.examples).to.deep.equal([
        ["/", `Leads to ${other.origin}/shop.`],
      ]);
    });
  });

  it("says which views behind a # were not opened, once for each page that has them", async () => {
    const crawled = await crawl({
      "/": page(
        "/app#/",
        "/app#/about",
        "#/about",
        "/app#!contact",
        "/app#!/contact",
        "/app#part",
        "/a#/x",
        "https://example.org/#/x",
      ),
      "/app": page("/app#/more", "#!"),
      "/a": page(),
    });
    expect(crawled.paths).to.deep.equal(["/", "/app", "/a"]);
    expect((await noticesOf(crawled)).hash_routes_not_opened).to.deep.equal({
      howMany: 5,
      examples: [
        ["/", "Such as #/about."],
        ["/a", "Such as #/x."],
        ["/app", "Such as #/about, #!contact, #!/contact."],
      ],
    });
  });

  it("counts views behind a # whose address is too long, and cuts it", async () => {
    const crawled = await crawl({ "/": page(`#/${"x".repeat(100_000)}`) });
    const said = (await noticesOf(crawled)).hash_routes_not_opened;
    expect(said?.howMany).to.equal(1);
    expect(said?.examples[0]?.[1]).to.match(/^Such as #\/x{100,}$/);
  });

  it("says which pages show nothing without scripts, by HTTP alone, and only those", async () => {
    const shell = (body: string, head = "<script src='/app.js'></script>"): string =>
      `<!DOCTYPE html><html lang="en"><head><title>Shop</title>${head}</head><body>${body}</body></html>`;
    const crawled = await crawl({
      "/": page("/app", "/noscript", "/text", "/picture", "/link", "/plain", "/form"),
      "/app": shell('<div id="root"></div>'),
      "/noscript": shell('<noscript>Please enable JavaScript.</noscript><div id="root"></div>'),
      "/text": shell("<p>Hello</p>"),
      "/picture": shell('<img src="/x.png" alt="">'),
      "/link": shell('<a href="/plain"></a>'),
      "/plain": shell("", ""),
      "/form": shell("<input>"),
      "/app.js": { headers: { "content-type": "text/javascript" }, body: "" },
    });
    const said = (await noticesOf(crawled)).scripts_not_run;
    expect(said?.examples).to.deep.equal([
      ["/app", ""],
      ["/noscript", ""],
    ]);
  });

  describe("by sitemaps", () => {
    const pages = Object.fromEntries(["/a", "/b", "/c", "/d"].map((path) => [path, page()]));
    const read = async (body: (origin: string) => Route) => {
      const routes: Routes = { ...pages };
      const site = await sites.serve(routes);
      routes["/map"] = body(site.origin);
      const reportId = await insertReport(database.db, {
        spec: { maxPages: 0, rateLimit: 0, startingUrl: `${site.origin}/map` },
      });
      await runCrawl(database, reportId);
      const crawled = await readCrawl(database.db, reportId);
      return {
        paths: crawled.urls.map((url) => url.replace(site.origin, "")),
        crawled,
        notices: await noticesOf({ reportId, site }),
      };
    };

    const readable: [name: string, body: (origin: string) => Route, paths: string[]][] = [
      [
        "a bare & in an entry",
        (o) => xml(urlset(`${o}/a`, `${o}/b?x=1&y=2&copy=3`, `${o}/c`)),
        ["/a", "/b?x=1&y=2&copy=3", "/c"],
      ],
      [
        "white space and a comment before the XML declaration",
        (o) => xml(`\n \n${urlset(`${o}/a`, `${o}/b`)}`),
        ["/a", "/b"],
      ],
      [
        "entities of HTML",
        (o) =>
          xml(
            urlset(`${o}/a`, `${o}/caf&eacute;&nbsp;`).replace(
              "</urlset>",
              `<url><loc>${o}/b</loc><x>&nbsp;&unknown;</x></url></urlset>`,
            ),
          ),
        ["/a", "/caf%C3%A9", "/b"],
      ],
      ["gzip as XML", (o) => xml(gzipSync(urlset(`${o}/a`)), "text/xml"), ["/a"]],
      ["gzip as HTML", (o) => xml(gzipSync(urlset(`${o}/a`)), "text/html"), ["/a"]],
      [
        "gzip of white space and a prefix as bytes",
        (o) => xml(gzipSync(` <s:urlset><s:url><s:loc>${o}/a</s:loc></s:url></s:urlset>`), "application/octet-stream"),
        ["/a"],
      ],
      [
        "a control character and an attribute without a value",
        (o) => xml(urlset(`${o}/a`, `${o}/b`).replace("<url>", "<url new>\u0001")),
        ["/a", "/b"],
      ],
    ];
    for (const [name, body, paths] of readable)
      it(`reads ${name}, and has nothing to say`, async () => {
        const { paths: found, notices } = await read(body);
        expect(found).to.have.members(paths);
        expect(notices).to.deep.equal({});
      });

    it("says where one is broken, why, and how many entries came before", async () => {
      const { paths, notices } = await read((o) =>
        xml(urlset(`${o}/a`, `${o}/b`, `${o}/c`).replace(`/b</loc>`, "/b</lok>")),
      );
      expect(paths).to.deep.equal(["/a", "/b"]);
      expect(notices.sitemap_incomplete?.examples).to.have.length(1);
      expect(notices.sitemap_incomplete?.examples[0]?.[1]).to.match(
        /^Line 4: .*close tag.* 2 URLs before it were read\.$/,
      );
      const cut = await read((o) => xml(urlset(`${o}/a`, `${o}/b`).slice(0, -20)));
      expect(cut.paths).to.deep.equal(["/a"]);
      expect(cut.notices.sitemap_incomplete?.examples[0]?.[1]).to.match(/^Line 4: .* 1 URL before it was read\.$/);
    });

    it("says which entries are not absolute", async () => {
      const { paths, notices, crawled } = await read((o) => xml(urlset(`${o}/a`, "/b", "c.html", `${o}/d`)));
      expect(paths).to.deep.equal(["/a", "/d"]);
      expect(notices.sitemap_entries_dropped?.howMany).to.equal(2);
      expect(notices.sitemap_entries_dropped?.examples[0]?.[1]).to.include('"/b"');
      expect(crawled.reasons).to.include({ "/b": "invalid_url", "c.html": "invalid_url" });
    });

    it("reads up to a limit, and says so", async () => {
      const { notices } = await read((o) => ({
        headers: { "content-type": "text/plain" },
        body: `${o}/a\n${Array.from({ length: 50_001 }, () => `${o}/a`).join("\n")}`,
      }));
      expect(notices.sitemap_incomplete?.examples[0]?.[1]).to.match(/^Line 50001: a list may have 50000 URLs/);
    });

    it("says that a child of an index could not be read", async () => {
      const { paths, notices } = await read((o) =>
        xml(
          `<sitemapindex><sitemap><loc>${o}/good</loc></sitemap><sitemap><loc>${o}/gone</loc></sitemap><sitemap><loc>${o}/a</loc></sitemap></sitemapindex>`,
        ),
      );
      expect(paths).to.deep.equal([]);
      expect(notices.sitemap_failed?.howMany).to.equal(3);
      expect(notices.sitemap_failed?.examples.map(([url]) => url)).to.deep.equal(["/a", "/gone", "/good"]);
      expect(notices.sitemap_failed?.examples[0]?.[1]).to.include(
        'neither a sitemap nor a list of URLs: it responded with 200 and Content-Type "text/html',
      );
      expect(notices.sitemap_failed?.examples[1]?.[1]).to.include("404");
    });

    it("counts a child of an index that is no absolute URL once, and names one with a password", async () => {
      const { notices } = await read((o) =>
        xml(
          `<sitemapindex><sitemap><loc>/child.xml</loc></sitemap><sitemap><loc>${o.replace("//", "//u:p@")}/s</loc></sitemap></sitemapindex>`,
        ),
      );
      expect(notices.sitemap_entries_dropped?.howMany).to.equal(1);
      expect(notices.sitemap_failed?.examples.map(([url]) => url)).to.deep.equal(["/s"]);
    });

    it("uses those of robots.txt if asked to, and otherwise offers them", async () => {
      const routes: Routes = { ...pages, "/": page() };
      const site = await sites.serve(routes);
      routes["/robots.txt"] = `User-agent: *\nDisallow: /b\nSitemap: ${site.origin}/map # main\nsitemap: /second\n`;
      routes["/map"] = xml(urlset(`${site.origin}/a`, `${site.origin}/b`));
      routes["/second"] = xml(gzipSync(urlset(`${site.origin}/c`)), "application/x-unknown");
      const run = async (spec: { useSitemaps?: boolean; respectRobots?: boolean }) => {
        const reportId = await insertReport(database.db, {
          spec: { maxPages: 0, rateLimit: 0, startingUrl: site.url, ...spec },
        });
        await runCrawl(database, reportId);
        const { urls } = await readCrawl(database.db, reportId);
        return { paths: urls.map((url) => url.replace(site.origin, "")), notices: await noticesOf({ reportId, site }) };
      };
      expect((await run({ useSitemaps: true })).paths).to.deep.equal(["/", "/a", "/b"]);
      expect((await run({ useSitemaps: true, respectRobots: true })).paths).to.deep.equal(["/", "/a"]);
      expect((await run({})).notices).to.deep.equal({});
      const offered = await run({ respectRobots: true });
      expect(offered.paths).to.deep.equal(["/"]);
      expect(offered.notices.sitemaps_not_used?.examples.map(([url]) => url)).to.deep.equal(["/map", "/second"]);
    });
  });

  describe("by robots.txt", () => {
    it("requests no sitemap that is too long, a trap, excluded or has credentials, and shows none of these", async () => {
      const other = await sites.serve({
        "/robots.txt": "User-agent: *\nDisallow: /no",
        "/s.xml": page(),
        "/no": page(),
      });
      const routes: Routes = { "/": page("/a"), "*": page() };
      const site = await sites.serve(routes);
      const withUser = (url: string) => url.replace("//", "//user:s3cret@");
      const named = [
        `/${"x".repeat(3_000)}`,
        `/${"a/".repeat(60)}`,
        "/left-out.xml",
        withUser(`${site.origin}/s.xml`),
        withUser(`${site.origin.replace("127", "[")}/s.xml`),
        `https://user:${"s3cret".repeat(2_000)}@a.example/`,
        `${other.origin}/s.xml`,
        `${other.origin}/no`,
      ];
      routes["/robots.txt"] = named.map((url) => `Sitemap: ${url}\n`).join("");
      const reportId = await insertReport(database.db, {
        spec: {
          ...{ maxPages: 0, rateLimit: 0, startingUrl: site.url, useSitemaps: true, respectRobots: true },
          exclusions: ["left-out"],
        },
      });
      await runCrawl(database, reportId);
      const { urls, report, excluded } = await readCrawl(database.db, reportId);
      expect(urls).to.deep.equal([site.url, `${site.origin}/a`]);
      expect(report.crawl_state).to.equal("ended");
      expect(other.requests.map(({ path }) => path)).to.deep.equal(["/robots.txt", "/s.xml"]);
      const notices = await database.db
        .selectFrom("report_notices")
        .selectAll()
        .where("report_id", "=", reportId)
        .execute();
      expect(JSON.stringify([notices, excluded])).not.to.match(/s3cret|user:/);
      expect(notices.filter(({ code }) => code === "sitemap_failed")).to.have.length(8);
    });

    it("says why a sitemap was not read, and reads text lists", async () => {
      const other = await sites.serve({ "/": page() });
      const to = (location: string): Route => ({ status: 302, headers: { location } });
      const routes: Routes = { "/": page(), "/t": page(), "/c": page() };
      const site = await sites.serve(routes);
      const missing = ["/home", "/away", "/gone", "/no", "/left-out"];
      routes["/robots.txt"] = [
        "User-agent: *\nDisallow: /no",
        ...[...missing, "/list.txt", "/moved", "/index"].map((path) => `Sitemap: ${path}`),
        "Sitemap: http://10.0.0.1/",
      ].join("\n");
      routes["/home"] = to("/");
      routes["/away"] = to(other.url);
      routes["/list.txt"] = { headers: { "content-type": "text/plain" }, body: `${site.origin}/t\n` };
      routes["/moved"] = to("/real");
      routes["/real"] = xml(urlset(`${site.origin}/c`));
      const children = [other.url, `${site.origin}/no/2`, `${site.origin}/left-out/2`];
      routes["/index"] = xml(
        `<sitemapindex>${children.map((url) => `<sitemap><loc>${url}</loc></sitemap>`).join("")}</sitemapindex>`,
      );
      const reportId = await insertReport(database.db, {
        spec: {
          ...{ maxPages: 0, rateLimit: 0, startingUrl: site.url, useSitemaps: true, respectRobots: true },
          exclusions: ["left-out"],
        },
      });
      await runCrawl(database, reportId);
      const { urls } = await readCrawl(database.db, reportId);
      expect(urls.map((url) => url.replace(site.origin, ""))).to.deep.equal(["/", "/t", "/c"]);
      const failed = await database.db
        .selectFrom("report_notices")
        .select("url")
        .where("report_id", "=", reportId)
        .where("code", "=", "sitemap_failed")
        .execute();
      expect(failed.map(({ url }) => url.replace(site.origin, ""))).to.have.members([
        ...[...missing, "/no/2", "/left-out/2", "http://10.0.0.1/", other.url],
      ]);
    });

    it("says that it names more sitemaps than are read", async () => {
      const crawled = await crawl(
        {
          "/": page(),
          "/robots.txt": Array.from({ length: 103 }, (_, index) => `Sitemap: /${index}.xml\n`).join(""),
          "*": xml(urlset()),
        },
        { useSitemaps: true },
      );
      expect((await noticesOf(crawled)).sitemaps_left_out).to.deep.equal({
        howMany: 3,
        examples: [["/robots.txt", "It names 103 sitemaps, and the first 100 were read."]],
      });
    });

    it("shows no credentials of a refresh's target", async () => {
      const refresh = `<!DOCTYPE html><title>x</title><meta http-equiv="refresh" content="0; url=http://user:s3cret@a.example/">`;
      const { reportId } = await crawl({ "/": page("/a"), "/a": refresh });
      const [group] = await readNotices(database.db, reportId);
      expect(group?.examples[0]?.detail).to.equal("Leads to http://a.example/.");
    });

    it("says that one could not be read, although it is only asked for sitemaps", async () => {
      const crawled = await crawl(
        { "/": page("/a"), "/a": page(), "/robots.txt": { status: 503 } },
        { useSitemaps: true },
      );
      expect(crawled.paths).to.deep.equal(["/", "/a"]);
      expect((await noticesOf(crawled)).robots_unread?.examples[0]).to.match(/robots\.txt,.*responded with 503/);
    });
  });

  describe("by one URL a document", () => {
    it("visits equivalent spellings once, in the form that RFC 3986 prefers", async () => {
      const crawled = await crawl({
        "/": page("/%7Eann/", "/~ann/", "/%c3%a4", "/%C3%A4", "/a%2eb", "/x/../a.b", "/a%2Fb", "/a/b", "/%%37E"),
        "*": page(),
      });
      expect(crawled.paths).to.deep.equal(["/", "/~ann/", "/%C3%A4", "/a.b", "/a%2Fb", "/a/b", "/%%37E"]);
      expect((await noticesOf(crawled)).same_document).to.deep.equal({
        howMany: 3,
        examples: [
          ["/%7Eann/", "Known as /~ann/."],
          ["/%c3%a4", "Known as /%C3%A4."],
          ["/a%2eb", "Known as /a.b."],
        ],
      });
    });

    it("ignores tracking parameters and session ids, wherever they are, and keeps all others as they are", async () => {
      const crawled = await crawl({
        "/": page(
          "/a?utm_source=x&b=2&UTM_medium=y&c",
          "/a?b=2&c",
          "/a;jsessionid=1?b=2&c",
          "/p?PHPSESSID=7",
          "/p",
          "/s?sid=1",
          "/e?",
        ),
        "/p": { status: 302, headers: { location: "/q?gclid=1" } },
        "*": page(),
      });
      expect(crawled.paths).to.deep.equal(["/", "/a?b=2&c", "/q", "/s?sid=1", "/e?"]);
      expect(crawled.requested).not.to.include("/a;jsessionid=1?b=2&c");
      expect((await noticesOf(crawled)).same_document?.howMany).to.equal(3);
    });

    it("ignores what the report names, and only that", async () => {
      const crawled = await crawl(
        { "/": page("/a?View=1", "/a?utm_source=x", "/a?sort_by=1"), "*": page() },
        { ignoredParameters: ["view", "sort_*"] },
      );
      expect(crawled.paths).to.deep.equal(["/", "/a", "/a?utm_source=x"]);
    });

    it("merges responses that say that they are one document if their text is equal", async () => {
      const from = (location: string, body = page("/next")): Route => ({
        headers: { "content-location": location },
        body,
      });
      const crawled = await crawl({
        "/": page("/a", "/a.html", "/b", "/c", "/d"),
        "/a": from("/a.html"),
        "/a.html": from("/a.html"),
        "/b": from("/a.html", page("/other")),
        "/c": from("https://example.com/a.html"),
        "/d": page("/next"),
        "*": page(),
      });
      expect(crawled.paths).to.deep.equal(["/", "/a", "/b", "/c", "/d", "/next", "/other"]);
      expect(crawled.left).to.deep.equal({ "/a.html": "duplicate_canonical" });
      expect((await noticesOf(crawled)).same_document?.examples).to.deep.equal([["/a.html", "It is /a."]]);
    });

    it("names the page that was stored instead of such a document, because that declares it as canonical", async () => {
      const copy: Route = {
        headers: { "content-location": "/a.html" },
        body: `${page()}<link rel="canonical" href="/real">`,
      };
      const spec = { preferCanonicalUrls: true };
      for (const links of [
        ["/a", "/a.html"],
        ["/real", "/a", "/a.html"],
      ]) {
        const crawled = await crawl({ "/": page(...links), "/a": copy, "/a.html": copy, "/real": page() }, spec);
        expect(crawled.paths).to.deep.equal(["/", "/real"]);
        expect((await noticesOf(crawled)).same_document?.examples).to.deep.equal([["/a.html", "It is /real."]]);
      }
    });

    it("keeps what scripts may render differently, by its query, when they run", async () => {
      const item: Route = { headers: { "content-location": "/item.html" }, body: page() };
      const site = await sites.serve({
        "/": page("/item?id=1", "/item?id=2", "/item.html?id=2", "/item?id=1&utm_source=x"),
        ...Object.fromEntries(["/item?id=1", "/item?id=2", "/item.html?id=2"].map((url) => [url, item])),
      });
      const crawled = async (dynamicCrawler: boolean, performA11yChecks = false) => {
        const spec = { startingUrl: site.url, dynamicCrawler, performA11yChecks, maxPages: 0, rateLimit: 0 };
        const reportId = await insertReport(database.db, { spec });
        const http = createGuardedFetch(addressPolicy(["127.0.0.0/8"]));
        await runCrawl(database, reportId, { openBrowser: async () => createStaticFetcher(http) });
        return (await readCrawl(database.db, reportId)).urls.map((url) => url.replace(site.origin, ""));
      };
      expect(await crawled(true)).to.deep.equal(["/", "/item?id=1", "/item?id=2"]);
      expect(await crawled(false, true)).to.deep.equal(["/", "/item?id=1", "/item?id=2"]);
      expect(await crawled(false)).to.deep.equal(["/", "/item?id=1"]);
    });
  });

  it("has each document of a folder once, whatever its names", async () => {
    const folder = await mkdtemp(path.join(tmpdir(), "folder-"));
    const write = (name: string, ...links: string[]) => writeFile(path.join(folder, name), page(...links));
    await mkdir(path.join(folder, "team"));
    await write(
      "index.html",
      ...["about", "about.html", "about.html?v=2", "team", "team/", "team/index.html", "index.html", "./", "other.htm"],
      ...["linked.html", "hard.html", "About.html"],
    );
    await write("about.html");
    await write("team/index.html");
    // The same text, but another file.
    await write("other.htm");
    await symlink("about.html", path.join(folder, "linked.html"));
    await link(path.join(folder, "about.html"), path.join(folder, "hard.html"));
    const served = await serveFolder(folder, "/");
    try {
      const reportId = await insertReport(database.db, {
        spec: { maxPages: 0, rateLimit: 0, startingUrl: served.url },
      });
      await runCrawl(database, reportId);
      const crawled = await readCrawl(database.db, reportId);
      const site = { origin: served.origin };
      expect(crawled.urls.map((url) => url.replace(site.origin, ""))).to.deep.equal([
        ...["/", "/about", "/team/", "/other.htm", "/About.html"],
      ]);
      const notices = await noticesOf({ reportId, site });
      expect(notices.same_document?.examples).to.deep.include(["/about.html?v=2", "It is /about."]);
      expect(notices.same_document?.howMany).to.equal(6);
    } finally {
      await served.close();
      await rm(folder, { recursive: true });
    }
  });

  it("names canonical URLs that were not checked, but not those that were found in another way", async () => {
    const canonical = (href: string, ...links: string[]) => `${page(...links)}<link rel="canonical" href="${href}">`;
    const crawled = await crawl(
      {
        "/": canonical("https://example.com/", "/a", "/b"),
        "/a": canonical("/later", "/later"),
        "/b": canonical("/gone"),
        "/later": page(),
      },
      { preferCanonicalUrls: false },
    );
    expect((await noticesOf(crawled)).canonical_not_checked?.examples).to.deep.equal([["/gone", "/b declares it."]]);
  });

  it("notes canonical URLs on another host once", async () => {
    const canonical = (path: string, ...links: string[]) =>
      `${page(...links)}<link rel="canonical" href="https://example.com${path}">`;
    const crawled = await crawl({ "/": canonical("/", "/a"), "/a": canonical("/a") });
    expect(await noticesOf(crawled)).to.deep.equal({
      canonical_elsewhere: {
        howMany: 1,
        examples: [["https://example.com/", "/ declares https://example.com/."]],
      },
    });
  });

  for (const preferCanonicalUrls of [true, false])
    it(`says nothing of canonical URLs that lead back or to other pages${preferCanonicalUrls ? "" : ", if they were visited"}`, async () => {
      const canonical = (href: string, ...links: string[]) => `${page(...links)}<link rel="canonical" href="${href}">`;
      const to = (location: string): Route => ({ status: 301, headers: { location } });
      const linked = preferCanonicalUrls ? [] : ["/index.html", "/a", "/old"];
      const crawled = await crawl(
        {
          "/": canonical("/index.html", "/a/", "/b", ...linked),
          "/index.html": to("/"),
          "/a/": canonical("/a"),
          "/a": to("/a/"),
          "/b": canonical("/old"),
          "/old": to("/a/"),
        },
        { preferCanonicalUrls },
      );
      expect(crawled.paths).to.deep.equal(["/", "/a/", "/b"]);
      expect(await noticesOf(crawled)).to.deep.equal({});
    });

  it("takes a canonical URL with another scheme for the same page", async () => {
    const site = await sites.serve({
      "/": (request, response) =>
        void response
          .setHeader("content-type", "text/html")
          .end(`${page()}<link rel="canonical" href="https://${request.headers.host}/">`),
    });
    const reportId = await insertReport(database.db, {
      spec: { maxPages: 0, rateLimit: 0, startingUrl: site.url },
    });
    await runCrawl(database, reportId);
    expect(await noticesOf({ reportId, site })).to.deep.equal({});
  });

  it("is counted once by a crawler that begins again", async () => {
    const routes: Routes = {
      "/": page("/%7Ea", "/1", "/2", "/3"),
      "/~a": page("/%7Ea"),
      "/robots.txt": { status: 503 },
      "*": page("/%7Eb"),
    };
    const site = await sites.serve(routes);
    const reportId = await insertReport(database.db, {
      spec: { maxPages: 0, rateLimit: 0, startingUrl: site.url, useSitemaps: true },
    });
    const abort = new AbortController();
    routes["/2"] = (_, response) => {
      abort.abort(new Error("killed"));
      response.destroy();
    };
    await runCrawl(database, reportId, { signal: abort.signal }).catch(() => {});
    routes["/2"] = page();
    await runCrawl(database, reportId);
    const notices = await noticesOf({ reportId, site });
    expect(notices.same_document?.howMany).to.equal(2);
    expect(notices.robots_unread?.howMany).to.equal(1);
  });

  it("says that there is more than it stores", async () => {
    const links = Array.from({ length: 600 }, (_, index) => `/a?utm_source=${index}`);
    const { reportId } = await crawl({ "/": page(...links), "/a": page() });
    const [group] = await readNotices(database.db, reportId);
    expect(group).to.include({ code: "same_document", how_many: 500, more: true });
    expect(group?.examples).to.have.length(5);
    const all = await crawl({ "/": page(...links.slice(0, 500)), "/a": page() });
    expect((await readNotices(database.db, all.reportId))[0]).to.include({ how_many: 500, more: false });
  });

  it("is forgotten with its report", async () => {
    const { reportId } = await crawl({ "/": page("/%7Ea"), "*": page() });
    await database.db.deleteFrom("reports").where("id", "=", reportId).execute();
    expect(await readNotices(database.db, reportId)).to.deep.equal([]);
  });
});
