import { expect } from "chai";
import { factLimits, linkDigest, type PageFacts, readFacts } from "../../../src/domain/acting/page-facts.ts";
import { siteRules } from "../../../src/domain/acting/rules.ts";
import {
  areLinksKnown,
  type ReviewedPage,
  reviewPages,
  siteIssues,
  withRedirects,
} from "../../../src/domain/acting/site-reviews.ts";

const place = (name: string, target: string, at: PageFacts["placed"][number]["place"] = "navigation") => ({
  ...{ place: at, name, target },
});
const menu = [place("Bread", "/bread"), place("Shop", "/shop"), place("Contact", "/contact")];
const [bread, shop, contact] = menu as [(typeof menu)[0], (typeof menu)[0], (typeof menu)[0]];

/** Pages of a site by their paths; each differs from the others in all that is not given. */
const site = (
  given: Record<string, Partial<PageFacts> & { links?: string[]; linkedFrom?: string | null }>,
): ReviewedPage[] =>
  Object.entries(given).map(([path, { linkedFrom = "https://example.com/", links = [], ...facts }], n) => ({
    ...{ id: String(n), url: `https://example.com${path}`, linkedFrom },
    facts: {
      ...{ title: `Title ${n}`, heading: `Heading ${n}`, text: `text ${n}`, placed: menu, hasSearch: false },
      ...facts,
      links: links.map(linkDigest),
    },
  }));
const found = (pages: ReviewedPage[], isWhole = false) =>
  reviewPages(pages, { isWhole }).map(({ rule, page }) => `${rule} ${new URL(page.url).pathname}`);

describe("the pages of a site", () => {
  it("that are all alike have nothing to review", () => {
    expect(found(site({ "/": {}, "/bread": {}, "/shop": {}, "/contact": {} }))).to.deep.equal([]);
    expect(found([])).to.deep.equal([]);
    expect(found(site({ "/": { placed: [] } }))).to.deep.equal([]);
  });

  it("must not have one title if they are about different things", () => {
    const title = "Bakery";
    expect(found(site({ "/": { title }, "/bread": { title: "bakery" }, "/shop": {} }))).to.deep.equal([
      ...["sv-same-title /", "sv-same-title /bread"],
    ]);
    expect(found(site({ "/": { title, heading: "" }, "/bread": { title, heading: "" } }))).to.have.length(2);
    const same = { title, heading: "Bread" };
    expect(found(site({ "/": same, "/2": same })), "another page of a list").to.deep.equal([]);
    expect(found(site({ "/": { title, text: "t" }, "/2": { title, text: "t" } })), "the same text").to.deep.equal([]);
    expect(found(site({ "/": { title: "" }, "/2": { title: "" } })), "no title").to.deep.equal([]);
  });

  it("are linked by each of their addresses: what redirects to one is a link to it", () => {
    const old = { placed: [place("Bread", "/old"), place("Shop", "/shop"), contact] };
    const moved = { placed: [place("Rolls", "/older"), shop, contact] };
    const pages = site({
      "/": { ...old, links: ["/old", "/else"] },
      "/a": { links: ["/bread"] },
      "/b": {},
      "/c": moved,
    });
    const [start, old1, bread1] = ["/", "/old", "/bread"].map((path) => `https://example.com${path}`) as [
      string,
      string,
      string,
    ];
    const redirects = new Map([
      ...([
        [old1, bread1],
        [`${start}older`, old1],
        [`${start}else`, "https://example.org/"],
      ] as const),
      ...([
        [`${start}round`, `${start}again`],
        [`${start}again`, `${start}round`],
        ["no address", start],
      ] as const),
    ]);
    const [first, , , last] = withRedirects(pages, redirects);
    expect(first?.facts.placed[0]).to.deep.equal(bread);
    expect(last?.facts.placed[0]).to.deep.equal(place("Rolls", "/bread"));
    expect(first?.facts.links).to.deep.equal(["/bread", "https://example.org/"].map(linkDigest));
    expect(found(pages)).to.deep.equal([]);
    expect(found(withRedirects(pages, redirects))).to.deep.equal(["sv-same-function /c"]);
  });

  it("have their navigation in one order", () => {
    const other = { placed: [shop, bread, contact] };
    const pages = site({ "/": {}, "/bread": {}, "/shop": other });
    const [fault] = reviewPages(pages, { isWhole: false });
    expect(fault?.summary).to.equal(
      'Here "Shop" comes before "Bread", and behind it on https://example.com/ and https://example.com/bread.',
    );
    expect(found(pages)).to.deep.equal(["sv-navigation-order /shop"]);
    expect(found(site({ "/": {}, "/bread": other })), "no order is that of most").to.deep.equal([]);
    const more = { placed: [bread, place("Rye", "/rye"), shop, contact] };
    expect(found(site({ "/": {}, "/bread": {}, "/shop": more })), "one link more").to.deep.equal([]);
    const fewer = { placed: [contact, shop] };
    expect(found(site({ "/": {}, "/bread": {}, "/shop": fewer })), "not all links").to.deep.equal([]);
    const footer = { placed: [place("Shop", "/shop", "footer"), ...menu] };
    expect(found(site({ "/": {}, "/bread": {}, "/shop": footer })), "a footer").to.deep.equal([]);
  });

  it("name the same function in the same way", () => {
    const named = (name: string) => ({ placed: [bread, place(name, "/shop"), contact] });
    expect(found(site({ "/": {}, "/bread": {}, "/shop": named("Order") }))).to.deep.equal(["sv-same-function /shop"]);
    for (const same of ["shop", "Shop (2)", "Shop »", "SHOP 3"])
      expect(found(site({ "/": {}, "/bread": {}, "/shop": named(same) })), same).to.deep.equal([]);
    const both = { placed: [...menu, place("Logo", "/shop", "header")] };
    expect(found(site({ "/": both, "/bread": {}, "/shop": named("Order") })), "two names at once").to.deep.equal([]);
    expect(found(site({ "/": {}, "/shop": named("Order") })), "two pages say nothing").to.deep.equal([]);
  });

  it("have help in the same place", () => {
    const moved = { placed: [bread, shop, place("Contact", "/contact", "footer")] };
    expect(found(site({ "/": {}, "/bread": {}, "/shop": moved }))).to.deep.equal(["sv-help-place /shop"]);
    const other = { placed: [bread, place("Shop", "/shop", "footer"), contact] };
    expect(found(site({ "/": {}, "/bread": {}, "/shop": other })), "no help").to.deep.equal([]);
    expect(found(site({ "/": {}, "/bread": moved, "/shop": moved, "/c": {} })), "half of the pages").to.deep.equal([]);
  });

  it("are reached in several ways, if the whole site is known", () => {
    const pages = (more: Parameters<typeof site>[0][string] = {}) =>
      site({
        ...{ "/": { links: ["/a", "/b"], linkedFrom: null }, "/a": { links: ["/deep"] }, "/b": {} },
        "/deep": { linkedFrom: "https://example.com/a", ...more },
      });
    expect(found(pages(), true)).to.deep.equal(["sv-one-way /deep"]);
    expect(found(pages(), false)).to.deep.equal([]);
    expect(found(pages({ hasSearch: true }), true), "a search").to.deep.equal([]);
    expect(found(pages({ linkedFrom: null }), true), "a sitemap").to.deep.equal([]);
    expect(found(pages({ linkedFrom: "https://example.com/b" }), true), "a redirect on another page").to.deep.equal([]);
    const two = site({
      "/": { linkedFrom: null },
      "/a": { links: ["/deep"] },
      "/b": { links: ["/deep"] },
      "/deep": {},
    });
    expect(found(two, true), "two links").to.deep.equal([]);
  });

  it("are compared with those of the same host", () => {
    const pages = site({ "/": {}, "/bread": {}, "/shop": { placed: [shop, bread, contact] } });
    expect(found(pages)).to.deep.equal(["sv-navigation-order /shop"]);
    const other = pages.map((page, n) => (n === 2 ? { ...page, url: "https://www.example.com/shop" } : page));
    expect(found(other)).to.deep.equal([]);
  });

  it("have links that are all known, or more", () => {
    const links = Array.from({ length: factLimits.links }, (_, n) => `/${n}`);
    expect(areLinksKnown(site({ "/": { links } }))).to.equal(false);
    expect(areLinksKnown(site({ "/": { links: links.slice(1) } }))).to.equal(true);
  });

  it("are compared without their states", () => {
    const title = "Bakery";
    expect(found(site({ "/": { title }, "/#:~:state=menu": { title } }))).to.deep.equal([]);
  });

  it("have one finding a rule, as a warning about the document", () => {
    const title = "Bakery";
    const pages = site({ "/": { title }, "/bread": { title }, "/shop": { title } });
    const issues = siteIssues(reviewPages(pages, { isWhole: false }));
    const [first] = issues.get(pages[0] as ReviewedPage) ?? [];
    expect(issues.size).to.equal(3);
    expect(first).to.deep.include({
      issue_type: "warning",
      rule: "sv-same-title",
      tags: ["cat.text-alternatives", "wcag2a", "wcag242"],
    });
    expect(first?.html).to.deep.equal([
      {
        ...{ extract: "<title>Bakery</title>", target: "html", box: null, element: null },
        failure_summary:
          "https://example.com/bread and https://example.com/shop have the same title, and are about something else.",
      },
    ]);
    expect(siteRules).to.have.length(5);
  });
});

describe("stored facts of a page", () => {
  const [{ facts }] = site({ "/": { links: ["/a"] } }) as [ReviewedPage];

  it("are read as they were stored", () => {
    expect(readFacts(JSON.parse(JSON.stringify(facts)))).to.deep.equal(facts);
  });

  const wrong: [string, unknown][] = [
    ["nothing", null],
    ["a text", "facts"],
    ["a title that is too long", { ...facts, title: "x".repeat(factLimits.text + 1) }],
    ["no list", { ...facts, placed: "x" }],
    ["a place that there is not", { ...facts, placed: [{ ...bread, place: "attic" }] }],
    ["null for a link", { ...facts, placed: [null] }],
  ];
  for (const [what, value] of wrong)
    it(`are left out if they are ${what}`, () => {
      expect(readFacts(value)).to.equal(undefined);
    });

  it("are cut where they are too many", () => {
    const many = { ...facts, placed: new Array(1_000).fill(bread), links: new Array(1_000).fill("a").concat([1]) };
    const read = readFacts(many);
    expect([read?.placed.length, read?.links.length]).to.deep.equal([factLimits.placed, factLimits.links]);
  });
});
