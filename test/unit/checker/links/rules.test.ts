import { expect } from "chai";
import { type Found, isRequestable, judge, type Needed, placeOf } from "../../../../src/checker/engines/links/rules.ts";

const page = "https://example.com/";
const there: Found = { hops: [], url: "http://example.com/x", end: { is: "there" } };
const needed = (as: Needed["as"], url: string): Needed => ({ as, url, extract: "<x>" });
const rules = (reference: Needed, found: Found, ids?: ReadonlySet<string>) =>
  judge(reference, found, { page, ids }).map(({ type, rule }) => `${type} ${rule}`);

describe("What is wrong with an address", () => {
  it("is mixed content where a page loads by http what it needs, and not where it links", () => {
    expect(rules(needed("image", "http://example.com/x"), there)).to.deep.equal(["warning mixed-content"]);
    expect(rules(needed("image", "https://example.com/x"), there)).to.deep.equal([]);
    expect(rules(needed("link", "http://example.com/x"), there)).to.deep.equal([]);
  });

  it("is nothing where nobody has asked", () => {
    for (const why of ["left_out", "limit"] as const)
      expect(rules(needed("link", `${page}x`), { ...there, end: { is: "unknown", why } }), why).to.deep.equal([]);
  });

  it("is nothing where the failure is about checking it, such as a body that is too large", () => {
    const failure = { code: "too_large", detail: "" } as const;
    expect(rules(needed("link", `${page}x`), { ...there, end: { is: "error", status: null, failure } })).to.deep.equal(
      [],
    );
  });

  it("is a fragment that no element has, as written or decoded", () => {
    const ids = new Set(["ä", "a%20b"]);
    for (const fragment of ["ä", "%C3%A4", "a%20b"])
      expect(rules(needed("link", `${page}#${fragment}`), there, ids), fragment).to.deep.equal([]);
    for (const fragment of ["Ä", "a b", "%E4"])
      expect(rules(needed("link", `${page}#${fragment}`), there, ids), fragment).to.deep.equal([
        "error broken-fragment",
      ]);
  });
});

describe("The element that a URL leads to", () => {
  for (const [fragment, element] of [
    ["", undefined],
    ["#", undefined],
    ["#top", undefined],
    ["#TOP", undefined],
    ["#/view", undefined],
    ["#!/view", undefined],
    ["#:~:text=x", undefined],
    ["#a:~:text=x", "a"],
    ["#a#b", "a#b"],
  ] as const)
    it(`of ${fragment || "no fragment"} is ${element ?? "none"}`, () => {
      expect(placeOf(needed("link", page + fragment), there)).to.equal(element);
    });

  const to = (location: string, status: number | null = 301) => ({ url: page, status, location, failure: null });
  for (const [what, hops, element] of [
    ["is kept by a redirect", [to(`${page}a`)], "x"],
    ["is replaced by one that names another", [to(`${page}a#y`)], "y"],
    ["is replaced by one in the middle", [to(`${page}a`), to(`${page}b#y`), to(`${page}c`)], "y"],
    ["is replaced by the last of several", [to(`${page}a#y`), to(`${page}b#z`)], "z"],
    ["is replaced by an empty one", [to(`${page}a#`)], undefined],
    ["is not kept by a refresh or a script", [to(`${page}a`, null)], undefined],
    ["is that of a redirect after a refresh", [to(`${page}a`, null), to(`${page}b#y`)], "y"],
  ] as const)
    it(what, () => {
      expect(placeOf(needed("link", `${page}#x`), { hops })).to.equal(element);
    });
});

describe("An address that can be requested", () => {
  for (const [url, can] of [
    ["https://example.com/", true],
    ["mailto:a@b.example", false],
    ["https://u@example.com/", false],
    ["https://:p@example.com/", false],
    [`https://example.com/${"x".repeat(1_980)}`, true],
    [`https://example.com/${"x".repeat(1_981)}`, false],
    ["", false],
  ] as const)
    it(`is ${can ? "" : "not "}${url.slice(0, 30) || "an empty one"} of ${url.length} characters`, () => {
      expect(isRequestable(url)).to.equal(can);
    });
});
