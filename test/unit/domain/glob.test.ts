import { expect } from "chai";
import fc from "fast-check";
import { matchesGlob, readGlob } from "../../../src/domain/scope/glob.ts";
import { judgeNamed, judgeUrl } from "../../../src/domain/scope/url-scope.ts";

const SITE = "https://example.com";

describe("a glob", () => {
  for (const [glob, matched, others] of [
    ["/docs/**", ["/docs/", "/docs/a", "/docs/a/b.html", "/docs/a?x=1"], ["/docs", "/a/docs/", "/docsx/a"]],
    ["/docs/*", ["/docs/", "/docs/a"], ["/docs/a/b"]],
    ["/*/comments", ["/a/comments"], ["/comments", "/a/b/comments"]],
    ["/**/comments", ["/comments", "/a/comments", "/a/b/comments"], ["/xcomments", "/a/comments/"]],
    ["/a/**/b", ["/a/b", "/a/x/b", "/a/x/y/b"], ["/ab", "/a/xb"]],
    ["*.pdf", ["/a.pdf", "/x/y/b.pdf", "/a.pdf?x"], ["/a.pdf/x", "/a.pdfx"]],
    ["docs/**", ["/docs/a", "/x/docs/a"], ["/mydocs/a"]],
    ["/list?page=*", ["/list?page=1", "/list?page=", "/list?page=1&x=2"], ["/list", "/list?x=1&page=1"]],
    ["https://example.com/a*", ["/a", "/ab?x=1"], ["/a/b"]],
    ["http://example.com/**", [], ["/a"]],
    ["/**", ["/", "/a/b"], []],
    ["/[a].(b)+", ["/[a].(b)+"], ["/a.b"]],
  ] as const)
    it(`${glob} matches what it says, and no more`, () => {
      const read = readGlob(glob);
      expect(matched.filter((path) => !matchesGlob(read, SITE + path))).to.deep.equal([]);
      expect(others.filter((path) => matchesGlob(read, SITE + path))).to.deep.equal([]);
    });

  it("matches what a regular expression of it does", () => {
    const glob = fc.array(fc.constantFrom("/", "a", "b", "*", "**", "/**/"), { minLength: 1, maxLength: 8 });
    const path = fc.array(fc.constantFrom("/", "a", "b"), { maxLength: 10 });
    // More than one word of states.
    const before = fc.integer({ min: 0, max: 35 }).map((length) => "b".repeat(length));
    fc.assert(
      fc.property(glob, path, before, (parts, rest, prefix) => {
        const text = `/${prefix}${parts.join("")}`;
        const regex = text
          .split(/(\/\*{2,}(?=\/)|\*+)/)
          .map((part) =>
            /^\/\*/.test(part) ? "(?:/.*)?" : part.startsWith("*") ? (part.length > 1 ? ".*" : "[^/]*") : part,
          )
          .join("");
        const url = `/${prefix}${rest.join("")}`;
        expect(matchesGlob(readGlob(text), SITE + url)).to.equal(new RegExp(`^${regex}$`).test(url), `${text} ${url}`);
      }),
      { numRuns: 2_000 },
    );
  });

  it("is compared in time proportional to both lengths, whatever they are", () => {
    const read = readGlob("/**a".repeat(60));
    expect(matchesGlob(read, `${SITE}/${"/a".repeat(900)}b`)).to.equal(false);
  });
});

describe("a URL and the globs of a report", () => {
  const scope = {
    host: "example.com",
    exclusions: ["/old"],
    includeGlobs: ["/docs/**", "/fr\u00fc/*"],
    excludeGlobs: ["*.pdf"],
  };
  const reasonOf = (path: string, judge = judgeUrl) => {
    const verdict = judge(SITE + path, scope);
    return "reason" in verdict ? verdict.reason : verdict.kind;
  };

  it("is left out if none includes it or one excludes it, and the reason says which", () => {
    expect(
      ["/docs/a", "/fr%c3%bc/a", "/docs/a.pdf", "/docs/old/a", "/blog/", "/"].map((path) => reasonOf(path)),
    ).to.deep.equal(["visit", "visit", "exclusion", "exclusion", "not_included", "not_included"]);
  });

  it("is visited if the user named it, although none includes it, but not if one excludes it", () => {
    expect(["/blog/", "/a.pdf", "/old"].map((path) => reasonOf(path, judgeNamed))).to.deep.equal([
      ...["visit", "exclusion", "exclusion"],
    ]);
  });
});
