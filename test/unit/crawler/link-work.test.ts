import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { expect } from "chai";
import { createFrontier, createLinkBudget, discoverAll, next, planVisit } from "../../../src/crawler/frontier.ts";
import { type FetchResult, handleFetchOutcome } from "../../../src/crawler/handle-fetch-outcome.ts";
import { readLinks } from "../../../src/crawler/page-links.ts";
import { type ListProblem, parseSitemap } from "../../../src/crawler/url-list.ts";
import { isAllowedByRobots, parseRobots } from "../../../src/domain/scope/robots.ts";
import { judgeUrl, parseUrl } from "../../../src/domain/scope/url-scope.ts";

const PAGE = "https://example.com/a/b";
const linksOf = (source: string) => readLinks(source, PAGE);

describe("the work for the links of one page", () => {
  it("does not grow with a long base, which is ignored", () => {
    const { links } = linksOf(`<base href="/${"b/".repeat(30_000)}"><a href=x>x</a>`);
    expect(links).to.deep.equal(["https://example.com/a/x"]);
  });

  it("is limited in links and in their characters, and names the first one left out", () => {
    const many = linksOf(Array.from({ length: 50_001 }, (_, index) => `<a href=/${index}>x</a>`).join(""));
    expect(many.links).to.have.length(50_000);
    expect(many.unread).to.equal("https://example.com/50000");
    const base = `<base href="/${"b".repeat(1_900)}/">`;
    const long = linksOf(base + Array.from({ length: 6_000 }, (_, index) => `<a href=${index}>x</a>`).join(""));
    expect(long.links.join("").length).to.be.lessThan(10_000_000);
    expect(long.unread).to.match(/^https:\/\/example\.com\/b+\/5\d+$/);
    expect(linksOf("<a href=/x>x</a>")).not.to.have.property("unread");
  });

  it("is limited in what is looked for in them: rules of robots.txt and exclusions", () => {
    const frontier = createFrontier({ host: "example.com", exclusions: [] }, 0);
    const rules = Array.from({ length: 5_000 }, (_, index) => `Disallow: /*${"a*".repeat(40)}b${index}`);
    const robots = parseRobots(`User-agent: *\n${rules.join("\n")}`, "site-validator");
    let asked = 0;
    frontier.allowed = (url) => {
      asked += 1;
      return isAllowedByRobots(robots, url);
    };
    frontier.allowedCost = robots.cost;
    const links = Array.from({ length: 1_000 }, (_, index) => `https://example.com/${index}`);
    discoverAll(frontier, links, 1, PAGE, createLinkBudget(frontier, 10_000_000));
    expect(asked).to.be.within(20, 40);
    expect(frontier.batch.excluded).to.deep.equal([
      { url: `https://example.com/${asked}`, linkedFrom: PAGE, reason: "link_limit" },
    ]);
  });

  it("is limited by the length of long texts, which may take time for each character of a link", () => {
    const text = `aab${"a".repeat(297)}`;
    const links = Array.from({ length: 1_000 }, (_, index) => `https://example.com/${"a".repeat(1_900)}${index}`);
    const readWith = (exclusions: string[], robots: string) => {
      const frontier = createFrontier({ host: "example.com", exclusions }, 0);
      frontier.allowedCost = parseRobots(robots, "site-validator").cost;
      discoverAll(frontier, links, 1, PAGE);
      return frontier.known.size;
    };
    expect(readWith([], `User-agent: *\n${`Disallow: /*${text}\n`.repeat(1_500)}`)).to.be.lessThan(10);
    expect(readWith(Array(100).fill(text.repeat(6)), "")).to.be.lessThan(20);
    expect(readWith(Array(100).fill("session"), `User-agent: *\n${"Disallow: /*sort=\n".repeat(300)}`)).to.equal(1_000);
  });

  it("is limited by the length of globs, of which each character may take time", () => {
    const links = Array.from({ length: 1_000 }, (_, index) => `https://example.com/${"a".repeat(1_900)}${index}`);
    const readWith = (excludeGlobs: string[]) => {
      const frontier = createFrontier({ host: "example.com", exclusions: [], excludeGlobs }, 0);
      discoverAll(frontier, links, 1, PAGE);
      return frontier.known.size;
    };
    expect(readWith(Array(100).fill("/**a".repeat(120)))).to.be.within(10, 50);
    expect(readWith(["*.pdf", "/**/print/**"])).to.equal(1_000);
  });

  it("includes views behind a hash, and names the first one left out", async () => {
    const frontier = createFrontier({ host: "example.com", exclusions: Array(100).fill("a".repeat(2_000)) }, 0);
    planVisit(frontier, `${PAGE}/`, 0, null);
    const entry = next(frontier) ?? expect.fail("nothing to visit");
    const route = (index: number) => `https://example.com/app?${"x".repeat(1_900)}#/${index}`;
    const page: FetchResult = {
      ...{ url: entry.url, status: 200, contentType: "text/html", kind: "html", isEmpty: false, source: undefined },
      ...{ redirects: [], links: [], routes: Array.from({ length: 1_000 }, (_, index) => route(index)) },
    };
    const options = { preferCanonicalUrls: false, deepCrawl: true, fetchCanonical: async () => undefined };
    await handleFetchOutcome(frontier, entry, { page }, options);
    const [{ howMany = 0 } = {}] = frontier.batch.notices.filter(({ code }) => code === "hash_routes_not_opened");
    expect(howMany).to.be.within(1, 20);
    expect(frontier.batch.excluded).to.deep.equal([
      { url: route(howMany), linkedFrom: entry.url, reason: "link_limit" },
    ]);
  });

  it("does not include the normal form of hosts that are too long for one", () => {
    for (const host of ["a\u0301\u0316".repeat(300), `xn--${"a".repeat(600)}`, "ü".repeat(501)])
      for (const url of [`http://${host}/`, `//${host}`, `\\\\${host}`, `https:${host}`, `ht\ntp:/\t/${host}`])
        expect(parseUrl(url, PAGE), url.slice(0, 20)).to.equal(null);
    expect(parseUrl(`/${"ü".repeat(600)}`, PAGE)?.host).to.equal("example.com");
    expect(parseUrl(`http://example.com/${"a".repeat(600)}`)?.host).to.equal("example.com");
    expect(parseUrl(`mailto:${"a".repeat(600)}`)?.protocol).to.equal("mailto:");
    expect(judgeUrl(`http://${"ü".repeat(2_000)}/`, { host: "a", exclusions: [] })).to.have.property(
      "reason",
      "invalid_url",
    );
    expect(judgeUrl(`http://a/${"x/../".repeat(2_000)}`, { host: "a", exclusions: [] })).to.have.property(
      "reason",
      "trap",
    );
  });

  it("includes a whole sitemap with URLs, but not megabytes without any", () => {
    const url = (index: number, filler: number) => `<url><loc>https://a/${index}</loc>${" ".repeat(filler)}</url>`;
    const rich = Array.from({ length: 900 }, (_, index) => url(index, 10_000)).join("");
    expect(parseSitemap(`<urlset>${rich}</urlset>`)?.urls).to.have.length(900);
    const poor = `<urlset>${url(0, 6_000_000)}${url(1, 0)}</urlset>`;
    expect(parseSitemap(poor)?.urls).to.deep.equal(["https://a/0"]);
    const deep = `<urlset>${url(0, 0)}${"<url>".repeat(100)}${"</url>".repeat(100)}${url(1, 0)}</urlset>`;
    expect(parseSitemap(deep)?.urls, "elements that are nested deeply").to.deep.equal(["https://a/0"]);
  });

  const hostile: [what: string, expression: string, end: RegExp | undefined][] = [
    ["line breaks before it", '"\\n".repeat(5e7) + "<urlset/>"', undefined],
    ["bare ampersands", '"<urlset>" + "&".repeat(5e7)', /too much text has no URLs/],
    [
      "unknown names",
      '"<urlset>" + Array.from({ length: 2e6 }, (_, index) => "&" + index.toString(36).padStart(6, "a") + ";").join("")',
      /^Line 1: more than 1000 names of characters are unknown/,
    ],
    ["control characters", '"<urlset>" + "\\x01".repeat(4e6)', /^Line 1: there are too many errors of XML/],
  ];
  for (const [what, expression, end] of hostile)
    it(`takes little memory for a sitemap with millions of ${what}`, async () => {
      const module = new URL("../../../src/crawler/url-list.ts", import.meta.url).href;
      const code = `import(${JSON.stringify(module)}).then(({ parseSitemap }) =>
        require("node:worker_threads").parentPort.postMessage(parseSitemap(${expression})))`;
      const worker = new Worker(code, { eval: true, resourceLimits: { maxOldGenerationSizeMb: 250 } });
      const [list] = (await once(worker, "message")) as [{ problems?: ListProblem[] } | undefined];
      await worker.terminate();
      if (end) expect(list?.problems?.[0]?.detail).to.match(end);
      else expect(list).to.deep.equal({ kind: "sitemap", urls: [], sitemaps: [] });
    });

  it("includes many small errors of a sitemap with many URLs", () => {
    const urls = Array.from({ length: 5_000 }, (_, index) => `<url new><loc>https://a/${index}</loc></url>`);
    const list = parseSitemap(`<urlset>${urls.join("")}</urlset>`);
    expect(list?.urls).to.have.length(5_000);
    expect(list).not.to.have.property("problems");
  });

  it("is the same for references that begin in one part of a sitemap and end in the next", () => {
    const ends = ["&eacute;", "&copy", "<![CDATA[&]]>", "&amp;", "&unknown;", "]]&", "&#233;"];
    const read = (padding: number, end: string) =>
      parseSitemap(`<urlset>${" ".repeat(padding)}<url><loc>https://a/?${end}b</loc></url></urlset>`)?.urls;
    for (const end of ends)
      for (let before = 0; before < 60; before += 1)
        expect(read(65_536 - 8 - before, end), `${end}, ${before} characters before`).to.deep.equal(read(0, end));
  });
});
