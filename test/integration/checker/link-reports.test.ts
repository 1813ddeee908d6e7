import { expect } from "chai";
import { sql } from "kysely";
import { createDynamicFetcher } from "../../../src/crawler/dynamic-fetcher.ts";
import { addressPolicy } from "../../../src/net/addresses.ts";
import { createLogger } from "../../../src/telemetry/log.ts";
import { deletePage, requeuePage } from "../../../src/transactions/change-pages.ts";
import { reportSpec } from "../../support/builders.ts";
import { checkLinks, foundLinks, reportOfLinks } from "../../support/check-links.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { type Routes, type Site, serveSite } from "../../support/site.ts";
import { limitOf } from "../../support/wait.ts";

const page = (body: string): string => `<!DOCTYPE html><html lang="en"><title>t</title>${body}</html>`;
const cut = (text: string, { origin }: Site): string => text.replaceAll(origin, "");

describe("A report with link checks", function () {
  this.timeout(limitOf(60));
  let database: TestDatabase;
  const sites: Site[] = [];

  before(async () => {
    database = await createTestDatabase();
  });
  after(() => database.drop());
  afterEach(async () => {
    for (const site of sites.splice(0)) await site.close();
  });

  const serve = async (routes: Routes, address?: string): Promise<Site> => {
    const site = await serveSite(routes, address);
    sites.push(site);
    return site;
  };
  /** Rules and paths of what was found. */
  const rulesOf = async (id: string, site: Site) =>
    (await foundLinks(database, id)).map(
      ({ page: on, rule, extract }) => `${cut(on, site)} ${rule} ${/(?:href|src)="?([^" >]+)/.exec(extract)?.[1]}`,
    );
  const noticesOf = (id: string) =>
    database.db
      .selectFrom("report_notices")
      .select(["code", "how_many"])
      .where("report_id", "=", id)
      .where("kind", "=", "links")
      .orderBy("code")
      .execute();
  const pageId = async (id: string, url: string) =>
    (
      await database.db
        .selectFrom("web_pages")
        .select("id")
        .where("report_id", "=", id)
        .where("url", "=", url)
        .executeTakeFirstOrThrow()
    ).id;

  it("requests what the page limit left out, and not what exclusions, robots.txt and sign-outs leave out", async () => {
    const site = await serve({
      "/robots.txt": { headers: { "content-type": "text/plain" }, body: "User-agent: *\nDisallow: /closed" },
      "/": page(
        '<a href="/a"></a><a href="/no"></a><a href="/closed"></a><img src="/closed.png"><a href="/left"></a><a href="/logout"></a>',
      ),
      "/a": page("<p>"),
    });
    const spec = { startingUrl: site.url, maxPages: 1, respectRobots: true, exclusions: ["/left"] };
    const host = new URL(site.url).host;
    const id = await reportOfLinks(database, spec, { credentials: { host, username: "u", password: "p" } });
    expect(await rulesOf(id, site)).to.deep.equal(["/ broken-link /no"]);
    const asked = site.requests.map(({ path }) => path);
    expect(asked).to.include.members(["/a", "/no"]);
    for (const path of ["/closed", "/closed.png", "/left", "/logout"]) expect(asked).not.to.include(path);
    expect(await noticesOf(id)).to.deep.equal([{ code: "links_not_requested", how_many: 4 }]);
  });

  it("looks only at the addresses that its globs ask for", async () => {
    const other = await serve({}, "127.0.0.2");
    const site = await serve({
      "/": page(`<a href="/a.html"></a><a href="/b.zip"></a><a href="${other.origin}/c"></a>`),
    });
    const only = await reportOfLinks(database, {
      startingUrl: site.url,
      includeLinks: [`${site.origin}/**`],
      excludeLinks: ["*.zip"],
    });
    expect(await rulesOf(only, site)).to.deep.equal(["/ broken-link /a.html"]);
    expect(other.requests).to.deep.equal([]);
  });

  it("names what a style sheet names on each page that has it, and fetches the sheet once", async () => {
    const head = '<link rel=stylesheet href="/s.css">';
    const site = await serve({
      ...{ "/": page(`${head}<a href="/a"></a>`), "/a": page(head) },
      "/s.css": { headers: { "content-type": "text/css" }, body: "@font-face { src: url(/f.woff2), url(/g.woff2) }" },
    });
    const id = await reportOfLinks(database, { startingUrl: site.url });
    expect((await rulesOf(id, site)).toSorted()).to.deep.equal([
      ...["/ broken-resource /s.css", "/ broken-resource /s.css"],
      ...["/a broken-resource /s.css", "/a broken-resource /s.css"],
    ]);
    const { rows } = await sql<{ fingerprints: string; components: string }>`
      select count(distinct fingerprint) as fingerprints, count(distinct component) as components
      from findings where report_id = ${id}`.execute(database.db);
    // Two fonts, each the same fault on both pages.
    expect(rows).to.deep.equal([{ fingerprints: "4", components: "2" }]);
    expect(site.requests.filter(({ path }) => path === "/s.css").length).to.equal(1);
  });

  it("asks a browser for places that scripts may make, and says which nobody could look for", async () => {
    const scripted = (body: string) => page(`${body}<script>made()</script>`);
    const routes = {
      "/": page(
        '<a href="/a#made"></a><a href="/a#no"></a><a href="/b#no"></a><a href="/plain#no"></a><a href="/a#there"></a>',
      ),
      "/a": scripted("<p id=there>"),
      "/b": scripted("<p>"),
      "/plain": page("<p>"),
    };
    const site = await serve(routes);
    const asked: string[] = [];
    const idsWhenRendered = async (url: string) => {
      asked.push(cut(url, site));
      return url.endsWith("/a") ? { ids: ["there", "made"], hasMoreIds: false } : undefined;
    };
    const id = await reportOfLinks(database, { startingUrl: site.url }, { site: { idsWhenRendered } });
    expect(await rulesOf(id, site)).to.deep.equal(["/ broken-fragment /a#no", "/ broken-fragment /plain#no"]);
    expect(await noticesOf(id)).to.deep.equal([{ code: "links_need_scripts", how_many: 1 }]);
    expect(asked.toSorted()).to.deep.equal(["/a", "/b"]);
  });

  it("finds in a browser the places that scripts have made", async () => {
    const made = `<script>document.body.append(Object.assign(document.createElement("p"), { id: "made" }))</script>`;
    const site = await serve({
      "/": page('<a href="/a#made"></a><a href="/a#no"></a>'),
      "/a": page(`<p>x</p>${made}`),
    });
    const spec = reportSpec({ startingUrl: site.url, performLinkChecks: true });
    const settings = { policy: addressPolicy(["127.0.0.0/8"]), chromePath: undefined, log: createLogger("error", {}) };
    const renderer = await createDynamicFetcher({ spec, ...settings });
    const id = await reportOfLinks(database, spec, { renderer });
    expect(await rulesOf(id, site)).to.deep.equal(["/ broken-fragment /a#no"]);
  });

  it("asks a browser no more when the scripts of twenty pages have made nothing that was missing", async () => {
    const numbers = Array.from({ length: 30 }, (_, n) => n);
    const pages = numbers.map((n) => [`/${n}`, page(`<a href="/${n}#no"></a><script>x()</script>`)]);
    const site = await serve({
      "/": page(numbers.map((n) => `<a href="/${n}"></a>`).join("")),
      ...Object.fromEntries(pages),
    });
    let visits = 0;
    const idsWhenRendered = async () => {
      visits += 1;
      return { ids: [], hasMoreIds: false };
    };
    const id = await reportOfLinks(database, { startingUrl: site.url }, { site: { idsWhenRendered } });
    expect(await rulesOf(id, site)).to.have.lengthOf(30);
    // Twenty pages are checked beside each other.
    expect(visits).to.be.within(20, 30);
  });

  it("does not follow addresses of templates that scripts fill in, and does where there are none", async () => {
    const body = '<a href="{{ url }}">x</a><a href="[[ link ]]">x</a><img src="<%= src %>">';
    const site = await serve({ "/": page(`${body}<script src="/s.js"></script>`), "/s.js": "" });
    const id = await reportOfLinks(database, { startingUrl: site.url });
    expect(await rulesOf(id, site)).to.deep.equal([]);
    expect(await noticesOf(id)).to.deep.equal([{ code: "links_need_scripts", how_many: 1 }]);
    const crawl = await database.db
      .selectFrom("report_notices")
      .select(["code", "how_many"])
      .where("report_id", "=", id)
      .where("kind", "=", "")
      .execute();
    expect(crawl).to.deep.equal([{ code: "links_need_scripts", how_many: 2 }]);
    const plain = await serve({ "/": page(body) });
    expect(await rulesOf(await reportOfLinks(database, { startingUrl: plain.url }), plain)).to.have.lengthOf(3);
  });

  it("says once that no host can be looked up, and names those that never exist", async () => {
    const hosts = Array.from({ length: 15 }, (_, n) => `http://host-${n}.nowhere.invalid.net/`);
    const same = Array.from({ length: 15 }, (_, n) => `http://one.nowhere.net/${n}`);
    const all = [...hosts, ...same, "http://never.invalid/"];
    const site = await serve({ "/": page(all.map((url) => `<a href="${url}"></a>`).join("")) });
    const startingUrl = site.url;
    const none = await reportOfLinks(database, { startingUrl }, { site: { resolvesNames: async () => false } });
    expect(await rulesOf(none, site)).to.deep.equal(["/ broken-external-link http://never.invalid/"]);
    expect(await noticesOf(none)).to.deep.equal([{ code: "no_names", how_many: 30 }]);
    const some = await reportOfLinks(database, { startingUrl }, { site: { resolvesNames: async () => true } });
    expect((await rulesOf(some, site)).filter((one) => one.includes("host-"))).to.have.lengthOf(15);
  });

  it("names the host to which a redirect leads and that does not exist", async () => {
    const site = await serve({
      "/": page('<a href="/go"></a>'),
      "/go": { status: 302, headers: { location: "https://nowhere.invalid/x" } },
    });
    const [found] = await foundLinks(database, await reportOfLinks(database, { startingUrl: site.url }));
    expect(found?.message).to.contain("it redirects to https://nowhere.invalid/x, and its host does not exist");
  });

  it("says which style sheet imports others too deep", async () => {
    const routes: Routes = { "/": page('<link rel=stylesheet href="/0.css">') };
    for (let n = 0; n < 60; n += 1)
      routes[`/${n}.css`] = { headers: { "content-type": "text/css" }, body: `@import "/${n + 1}.css";` };
    const site = await serve(routes);
    const id = await reportOfLinks(database, { startingUrl: site.url });
    const detail = await database.db
      .selectFrom("report_notices")
      .select("detail")
      .where("report_id", "=", id)
      .executeTakeFirstOrThrow();
    expect(detail.detail).to.contain("/50.css");
  });

  it("sends credentials to the site alone", async () => {
    const other = await serve({ "/x": "" }, "127.0.0.2");
    const site = await serve({ "/": page(`<img src="/i.png"><a href="${other.origin}/x"></a>`), "/i.png": "" });
    const host = new URL(site.url).host;
    await reportOfLinks(database, { startingUrl: site.url }, { credentials: { host, username: "u", password: "p" } });
    expect(site.requests.every(({ headers }) => headers.authorization !== undefined)).to.equal(true);
    expect(other.requests.map(({ headers }) => headers.authorization)).to.deep.equal([undefined]);
  });

  it("obeys Retry-After, and asks a host nothing more that goes on to refuse", async () => {
    let refusals = 0;
    const busy = { status: 429, headers: { "retry-after": "0" } };
    const slow = await serve(
      { "/once": (_, response) => void response.writeHead(refusals++ === 0 ? 503 : 200, { "retry-after": "0" }).end() },
      "127.0.0.2",
    );
    const never = await serve({ "*": busy }, "127.0.0.3");
    const links = [1, 2, 3, 4].map((n) => `<a href="${never.origin}/${n}"></a>`).join("");
    const site = await serve({ "/": page(`<a href="${slow.origin}/once"></a>${links}`) });
    const id = await reportOfLinks(database, { startingUrl: site.url });
    expect((await foundLinks(database, id)).map(({ rule }) => rule)).to.deep.equal(
      new Array(4).fill("unverified-link"),
    );
    expect(new Set(never.requests.map(({ path }) => path))).to.deep.equal(new Set(["/1"]));
  });

  it("reads a page that is checked again, and asks again for what failed", async () => {
    const routes: Routes = { "/": page('<a href="/a"></a><a href="/b"></a><a href="/a#x"></a>'), "/a": page("<p>") };
    const site = await serve(routes);
    const id = await reportOfLinks(database, { startingUrl: site.url });
    expect(await rulesOf(id, site)).to.deep.equal(["/ broken-link /b", "/ broken-fragment /a#x"]);
    routes["/"] = page('<a href="/a"></a><a href="/b"></a><a href="/c"></a>');
    routes["/b"] = page("<p>");
    await requeuePage(database.db, id, await pageId(id, site.url), new Date());
    await checkLinks(database, id);
    expect(await rulesOf(id, site)).to.deep.equal(["/ broken-link /c"]);
  });

  it("knows that a page is gone that was there when it was crawled, and that it is there again", async () => {
    const routes: Routes = { "/": page('<a href="/a"></a><a href="/b"></a>'), "/a": page("<p>"), "/b": page("<p>") };
    const site = await serve(routes);
    const id = await reportOfLinks(database, { startingUrl: site.url });
    const again = async (path: string) => {
      await requeuePage(database.db, id, await pageId(id, site.origin + path), new Date());
      await checkLinks(database, id);
    };
    const there = routes["/a"] as string;
    routes["/a"] = { status: 410 };
    await again("/");
    expect(await rulesOf(id, site), "nobody has looked").to.deep.equal([]);
    await again("/a");
    await again("/");
    expect(await rulesOf(id, site)).to.deep.equal(["/ broken-link /a"]);
    routes["/a"] = there;
    await again("/");
    expect(await rulesOf(id, site)).to.deep.equal([]);
  });

  it("counts what it stores once, however often a page is checked again", async () => {
    const other = await serve({ "/there": "" }, "127.0.0.2");
    const links = ["/there", "/gone", "/gone/too"].map((path) => `<a href="${other.origin}${path}"></a>`).join("");
    const site = await serve({ "/": page(`${links}<a href="/a"></a>`), "/a": page("<p id=x>") });
    const id = await reportOfLinks(database, { startingUrl: site.url });
    const counted = async (): Promise<number> => {
      const { rows } = await sql<{ counted: string; stored: string }>`
        select stored_bytes as counted, (
          (select sum(octet_length(url) + coalesce(octet_length(linked_from), 0) + coalesce(octet_length(title), 0)) from web_pages where report_id = r.id) +
          (select coalesce(sum(octet_length(url) + coalesce(octet_length(linked_from), 0)), 0)
            from excluded_urls where report_id = r.id) +
          (select coalesce(sum(octet_length(url) + octet_length(array_to_string(pages, ''))), 0)
            from inbound_links where report_id = r.id) +
          (select sum(c.stored_bytes) from checks c join web_pages p on p.id = c.web_page_id where p.report_id = r.id) +
          (select sum(coalesce(octet_length(body), 0) + octet_length(ids)) from page_references where report_id = r.id) +
          (select coalesce(sum(octet_length(url) + coalesce(octet_length(location), 0)
            + coalesce(octet_length(failure_detail), 0)), 0) from answers where report_id = r.id)
        ) as stored
        from reports r where id = ${id}`.execute(database.db);
      expect(rows[0]?.counted).to.equal(rows[0]?.stored);
      return Number(rows[0]?.counted);
    };
    const first = await counted();
    await requeuePage(database.db, id, await pageId(id, site.url), new Date());
    expect(await counted()).to.be.below(first);
    await checkLinks(database, id);
    expect(await counted()).to.equal(first);
    await deletePage(database.db, id, await pageId(id, `${site.url}a`), new Date());
    expect(await counted()).to.be.below(first);
  });

  it("asks again for what failed if a checker was stopped that checked a page again", async () => {
    const routes: Routes = { "/": page('<a href="/a"></a><a href="/b"></a>'), "/a": { status: 404 } };
    const site = await serve(routes);
    const id = await reportOfLinks(database, { startingUrl: site.url });
    await requeuePage(database.db, id, await pageId(id, site.url), new Date());
    const stop = new AbortController();
    routes["/a"] = (_, response) => {
      stop.abort(new Error("stopped"));
      response.end();
    };
    await checkLinks(database, id, { signal: stop.signal });
    expect(await rulesOf(id, site)).to.deep.equal(["/ broken-link /a", "/ broken-link /b"]);
    routes["/a"] = page("<p>");
    routes["/b"] = page("<p>");
    await checkLinks(database, id);
    expect(await rulesOf(id, site)).to.deep.equal([]);
  });

  it("goes on where a checker was stopped: what was found out is not asked again", async () => {
    const paths = Array.from({ length: 10 }, (_, n) => `/${n}`);
    const stop = new AbortController();
    const other = await serve(
      {
        "*": (_, response) => {
          if (other.requests.length === 4) stop.abort(new Error("stopped"));
          response.end();
        },
      },
      "127.0.0.2",
    );
    const site = await serve({ "/": page(paths.map((path) => `<a href="${other.origin}${path}"></a>`).join("")) });
    const id = await reportOfLinks(database, { startingUrl: site.url }, { signal: stop.signal });
    expect(other.requests.length).to.be.below(10);
    await checkLinks(database, id);
    const asked = other.requests.map(({ path }) => path);
    expect(asked.toSorted()).to.include.members(paths);
    // The one that was under way.
    expect(asked.length).to.be.at.most(11);
    expect(await foundLinks(database, id)).to.deep.equal([]);
  });

  it("of a site that scripts make has what they have made, without a place in the source", async () => {
    const made = 'const a = document.createElement("a"); a.href = "/made"; a.id = "made"; document.body.append(a);';
    const site = await serve({
      "/": page(`<body><a href="#made"></a>\n<a href="/there"></a><script>${made}</script>`),
    });
    const spec = reportSpec({
      startingUrl: site.url,
      dynamicCrawler: true,
      performHtmlChecks: false,
      performLinkChecks: true,
    });
    const policy = addressPolicy(["127.0.0.0/8"]);
    const openBrowser = () =>
      createDynamicFetcher({ spec, policy, chromePath: undefined, log: createLogger("error", {}) });
    const id = await reportOfLinks(database, spec, { openBrowser });
    const found = (await foundLinks(database, id)).map(({ rule, extract, line }) => ({ rule, extract, line }));
    expect(found).to.deep.equal([
      { rule: "broken-link", extract: '<a href="/there">', line: 2 },
      { rule: "broken-link", extract: '<a href="/made" id="made">', line: null },
    ]);
  });
});
