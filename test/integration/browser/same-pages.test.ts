import { expect } from "chai";
import fc from "fast-check";
import { createDynamicFetcher } from "../../../src/crawler/dynamic-fetcher.ts";
import type { PageFetcher } from "../../../src/crawler/page-fetcher.ts";
import { readNotices } from "../../../src/database/crawl/notices.ts";
import { addressPolicy } from "../../../src/net/addresses.ts";
import { createLogger } from "../../../src/telemetry/log.ts";
import { insertReport, reportSpec } from "../../support/builders.ts";
import { fixtureSites, readCrawl, runCrawl } from "../../support/crawl.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import type { Route, Routes, Site } from "../../support/site.ts";

/** A page of links, and of what is none. The text is Latin-1, so that it can hold bytes of any encoding. */
const html = (body: string, { charset = "utf-8", head = "" } = {}): Route => ({
  headers: { "content-type": "text/html" },
  body: Buffer.from(
    `<!DOCTYPE html><html lang="en"><head><meta charset="${charset}"><title>A page</title>${head}</head><body>${body}</body></html>`,
    "latin1",
  ),
});
const xhtml = (body: string): Route => ({
  headers: { "content-type": "application/xhtml+xml" },
  body: `<html xmlns="http://www.w3.org/1999/xhtml" xmlns:xlink="http://www.w3.org/1999/xlink"><head><title>A page</title></head><body>${body}</body></html>`,
});
const bytes = (hex: string): string => Buffer.from(hex, "hex").toString("latin1");

/** Words as their documents have them, by the names of encodings. */
const words: [charset: string, word: string, escaped: string][] = [
  ["windows-1251", bytes("ece8f0"), "%EC%E8%F0"],
  ["koi8-r", bytes("cdc9d2"), "%CD%C9%D2"],
  ["iso-8859-2", bytes("e8b9"), "%E8%B9"],
  ["windows-1252", `${bytes("e9")}&#1084;`, "%E9%26%231084%3B"],
  ["shift_jis", bytes("93fa967b955c"), "%93%FA%96{%95\\"],
  ["euc-jp", bytes("c6fccbdc"), "%C6%FC%CB%DC"],
  ["gbk", bytes("d6d0cec480"), "%D6%D0%CE%C4%80"],
  ["gb18030", `${bytes("d6d0")}&#255;&#128512;`, "%D6%D0%810%8B7%949%FC6"],
  ["big5", bytes("a4a4a4e5"), "%A4%A4%A4%E5"],
  ["euc-kr", bytes("c7d1b1db"), "%C7%D1%B1%DB"],
  ["utf-8", "&eacute;", "%C3%A9"],
];

describe("the static and the dynamic crawl of a site", () => {
  let database: TestDatabase;
  let browser: PageFetcher;
  const sites = fixtureSites();

  before(async () => {
    database = await createTestDatabase();
    browser = await createDynamicFetcher({
      chromePath: undefined,
      policy: addressPolicy(["127.0.0.0/8"]),
      spec: reportSpec(),
      log: createLogger("error", {}),
    });
  });
  after(async () => {
    await browser.close();
    await database.drop();
  });
  afterEach(() => sites.close());

  const crawl = async (site: Site, dynamicCrawler: boolean) => {
    const reportId = await insertReport(database.db, {
      spec: { maxPages: 0, rateLimit: 0, startingUrl: site.url, dynamicCrawler },
    });
    await runCrawl(database, reportId, { openBrowser: async () => ({ ...browser, close: async () => {} }) });
    const { pages, checks, reasons } = await readCrawl(database.db, reportId);
    const short = (url: string) => url.replace(site.origin, "");
    const failures = new Map(checks.map(({ web_page_id, failure_code }) => [web_page_id, failure_code]));
    const notices = await readNotices(database.db, reportId);
    return {
      pages: pages.map(({ id, url }) => [short(url), failures.get(id) ?? null] as const),
      left: Object.entries(reasons).map(([url, reason]) => `${short(url)} ${reason}`),
      notices: notices.flatMap(({ code, examples }) => examples.map(({ url, detail }) => `${code} ${url} ${detail}`)),
    };
  };
  /** Requires both crawls to have the same pages. @returns the paths of those that did not fail */
  const crawlTwice = async (routes: Routes): Promise<string[]> => {
    const site = await sites.serve(routes);
    const plain = await crawl(site, false);
    const rendered = await crawl(site, true);
    expect(rendered.pages).to.have.deep.members(plain.pages as never);
    expect(rendered.left).to.have.members(plain.left);
    expect(rendered.notices).to.have.members(plain.notices);
    return plain.pages.filter(([, failure]) => failure === null).map(([path]) => path);
  };
  const end = { "*": html("<p>The end.") };

  const table: [name: string, routes: Routes, paths: string[]][] = [
    [
      "links of SVG, image maps and frames",
      {
        "/": html(`<svg><a xlink:href="/old"><text>x</text></a><a href="/new" xlink:href="/not">x</a></svg><a xlink:href="/no">x</a>
          <map name="m"><area href="/area" alt=""></map><iframe title="x" src="/frame"></iframe><iframe title="y" srcdoc="&lt;a href=/src>" src="/no"></iframe>
          <iframe title="z" src=""></iframe><iframe title="z" src="about:blank"></iframe>`),
        "/frame": html('<a href="/in-frame">x</a>'),
        ...end,
      },
      ["/", "/old", "/new", "/area", "/frame", "/in-frame"],
    ],
    [
      "framesets",
      {
        "/": '<!DOCTYPE html><title>F</title><frameset cols="20%,80%"><frame src="menu#x"><frame src="/main"><noframes><a href="/no">x</a></noframes></frameset>',
        "/menu": html('<a href="/listed" target="_top">x</a>'),
        ...end,
      },
      ["/", "/menu", "/main", "/listed"],
    ],
    [
      "what only looks like a link",
      {
        "/": html(`<a href="/yes">x</a><template><a href="/no1">x</a><template><a href="/no2">x</a></template><a href="/no3">x</a></template><a href="/after">x</a>
          <noscript><a href="/no4">x</a><template></noscript><a href="/still">x</a><textarea><a href="/no5"></textarea><xmp><a href="/no6"></xmp>
          <iframe title="x"><a href="/no7"></iframe><noembed><a href="/no8"></noembed><!-- <a href="/no9"> --><script type="x"><a href="/no10"></script>
          <div><template shadowrootmode="open"><a href="/shadow">x</a></template></div><div><template shadowrootmode="closed"><a href="/no11">x</a></template></div>
          <a href="mailto:a@example.com">x</a><a name="no12">x</a>`),
        ...end,
      },
      ["/", "/yes", "/after", "/still", "/shadow"],
    ],
    [
      "XHTML with empty elements",
      {
        "/": xhtml(
          `<template/><noscript/><iframe title="x" src="/frame"/><a href="/a?x=1&amp;y=2">x</a><template><a href="/no1">x</a></template>
          <noscript><a href="/no2">x</a></noscript><svg xmlns="http://www.w3.org/2000/svg"/><script>/*<a href="/yes"/>*/</script><textarea><![CDATA[<a href="/no3">]]></textarea>`,
        ),
        ...end,
      },
      ["/", "/frame", "/a?x=1&y=2", "/yes"],
    ],
    [
      "redirects by the documents themselves",
      {
        "/": html(
          '<a href="/meta">1</a><a href="/header">2</a><a href="/chain">3</a><a href="/late">4</a><a href="/noscript">5</a><a href="/gone">6</a><a href="/off">7</a><a href="/self">8</a><a href="/six">9</a><a href="/five">10</a>',
        ),
        "/meta": html('<a href="/no">x</a>', { head: '<meta http-equiv="Refresh" content="0; URL=/to-meta">' }),
        "/header": {
          headers: { "content-type": "text/html", refresh: "0; url='/to-header'" },
          body: "<!DOCTYPE html><p>x",
        },
        "/chain": html("", { head: '<base href="/deep/"><meta http-equiv="refresh" content="1,link">' }),
        "/deep/link": html("", { head: '<meta http-equiv="refresh" content=" .5 ; url = ../chained">' }),
        "/late": html("<p>x", { head: '<meta http-equiv="refresh" content="30; url=/no">' }),
        "/noscript": html("<p>x", { head: '<noscript><meta http-equiv="refresh" content="0; url=/no"></noscript>' }),
        "/gone": html("", { head: '<meta http-equiv="refresh" content="0; url=/missing">' }),
        "/missing": { status: 410, body: "gone" },
        "/off": html("", { head: '<meta http-equiv="refresh" content="0; url=http://127.0.0.1:9/x">' }),
        "/self": html("<p>x", { head: '<meta http-equiv="refresh" content="0; url=#part">' }),
        "/to-meta": html("<p>x"),
        "/to-header": html("<p>x"),
        "/chained": html("<p>x"),
        "/five": { status: 302, headers: { location: "/four" } },
        "/four": html("", { head: '<meta http-equiv="refresh" content="0; url=/three">' }),
        "/three": html("", { head: '<meta http-equiv="refresh" content="0; url=/two">' }),
        "/two": { status: 302, headers: { location: "/one" } },
        "/one": { status: 302, headers: { location: "/chained" } },
        "/six": html("", { head: '<meta http-equiv="refresh" content="0; url=/five">' }),
      },
      ["/", "/to-meta", "/to-header", "/chained", "/late", "/noscript", "/self"],
    ],
    [
      "responses that are no documents",
      {
        "/": html(
          '<a href="/attached">1</a><a href="/inline">2</a><a href="/204">3</a><a href="/205">4</a><a href="/pdf">5</a><a href="/thanks">6</a><a href="/moved">7</a><a href="/text">8</a>',
        ),
        "/attached": {
          headers: { "content-disposition": 'attachment; filename="a.html"' },
          body: '<!DOCTYPE html><a href="/no">x</a>',
        },
        "/inline": {
          headers: { "content-disposition": 'INLINE; filename="a.html"' },
          body: '<!DOCTYPE html><a href="/found">x</a>',
        },
        "/204": { status: 204 },
        "/205": { status: 205 },
        "/pdf": { headers: { "content-type": "application/pdf" }, body: "%PDF-1.4" },
        "/thanks": html('<a href="/kept">x</a>', { head: '<meta http-equiv="refresh" content="0; url=/attached">' }),
        "/moved": { status: 302, headers: { location: "/attached" } },
        "/text": { headers: { "content-type": "text/plain" }, body: "x" },
        "/found": html("<p>x"),
        "/kept": html("<p>x"),
      },
      ["/", "/inline", "/thanks", "/found", "/kept"],
    ],
    [
      "spellings and tracking parameters",
      {
        "/": html(
          '<a href="/%7eann">1</a><a href="/~ann">2</a><a href="/%c3%a4">3</a><a href="/a?utm_source=x&amp;b">4</a><a href="/a?b">5</a><a href="./a/../a?b#c">6</a>',
        ),
        ...end,
      },
      ["/", "/~ann", "/%C3%A4", "/a?b"],
    ],
  ];
  for (const [name, routes, paths] of table)
    it(`have the same pages: ${name}`, async () => {
      expect(await crawlTwice(routes)).to.have.members(paths);
    });

  it("have the same pages: queries in the encoding of their document, and paths in UTF-8", async () => {
    const routes: Routes = { "/": html(words.map(([charset]) => `<a href="/in-${charset}">x</a>`).join("")), ...end };
    for (const [charset, word] of words)
      routes[`/in-${charset}`] = html(`<a href=" /find?q=${word}&#10;&amp;'#${word}">x</a>`, { charset });
    const paths = await crawlTwice(routes);
    const queries = words.map(([, , escaped]) => `/find?q=${escaped}&%27`);
    expect(paths).to.have.members(["/", ...words.map(([charset]) => `/in-${charset}`), ...new Set(queries)]);
  });

  it("have the same pages, whatever the site has", async () => {
    const target = fc.oneof(
      fc.integer({ min: 0, max: 11 }).map((page) => `/p${page}`),
      fc.constantFrom(
        "p1#x",
        "../p2",
        "/p3?utm_source=y",
        "/%703",
        "?x=1",
        "/file",
        "/none",
        "/moved",
        "//127.0.0.1:9/",
        "mailto:x@example.com",
      ),
    );
    const around: ((link: string) => string)[] = [
      (to) => `<a href="${to}">x</a>`,
      (to) => `<map name=m><area alt="" href='${to}'></map>`,
      (to) => `<svg><title>x</title><style>a{}</style><a xlink:href="${to}"><text>x</text></a></svg>`,
      (to) => `<iframe title=x src="/framed?${encodeURIComponent(to)}">fallback <a href=/no></iframe>`,
      (to) => `<template><a href="${to}">x</a></template>`,
      (to) => `<noscript><a href="${to}">x</a></noscript>`,
      (to) => `<select><option><a href="${to}">x</a></select><table><a href="${to}">x</a></table>`,
      (to) => `<textarea><a href="${to}">x</a></textarea><title><a href="${to}"></title>`,
      (to) => `<!-- <a href="${to}"> --><style>a{content:"<a href=${to}>"}</style>`,
      (to) => `<p <a href="${to}">x</a><a data-x='>' href=${to}>x`,
    ];
    const word = fc.constantFrom(...words);
    const site = fc.array(
      fc.record({
        items: fc.array(fc.tuple(fc.constantFrom(...around), target), { minLength: 1, maxLength: 5 }),
        word,
        refresh: fc.option(target, { freq: 6 }),
      }),
      { minLength: 12, maxLength: 12 },
    );
    await fc.assert(
      fc.asyncProperty(site, async (pages) => {
        const routes: Routes = {
          "/": html(pages.map((_, index) => `<a href="/p${index}">x</a>`).join("")),
          "/file": { headers: { "content-disposition": "attachment" }, body: "<a href=/no>" },
          "/moved": { status: 301, headers: { location: "/p5" } },
          "/find": html("<p>Found."),
          // Not one of the pages: frames in frames that lead on may load for as long as a visit takes.
          "/framed": html("<p>Framed."),
        };
        for (const [
          index,
          {
            items,
            word: [charset, written],
            refresh,
          },
        ] of pages.entries())
          routes[`/p${index}`] = html(
            `${items.map(([wrap, to]) => wrap(to)).join("\n")}<a href="/find?q=${written}">x</a>`,
            { charset, head: refresh === null ? "" : `<meta http-equiv=refresh content="0;url=${refresh}">` },
          );
        await crawlTwice(routes);
      }),
      { numRuns: 4, endOnFailure: true },
    );
  });
});
