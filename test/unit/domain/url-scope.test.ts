import { expect } from "chai";
import fc from "fast-check";
import { judgeUrl, normaliseUrl, recordable, type Verdict } from "../../../src/domain/scope/url-scope.ts";
import { trackingParameters } from "../../../src/settings/values.ts";

const scope = { host: "example.com", exclusions: ["/private/", "sort=", "/über uns", "50%-"] };

describe("the scope of a report", () => {
  const visits: [found: string, url: string][] = [
    ["http://example.com/a", "http://example.com/a"],
    ["https://example.com/a", "https://example.com/a"],
    ["https://example.com/a#part", "https://example.com/a"],
    ["HTTPS://EXAMPLE.COM:443/A", "https://example.com/A"],
    ["http://example.com:80", "http://example.com/"],
    ["https://example.com/a/./b/../c", "https://example.com/a/c"],
    ["https://example.com/?b=2&a=1", "https://example.com/?b=2&a=1"],
    ["https://example.com/ä b", "https://example.com/%C3%A4%20b"],
    ["  https://example.com/trimmed\n", "https://example.com/trimmed"],
  ];
  for (const [found, url] of visits)
    it(`visits ${JSON.stringify(found)} as ${url}`, () => {
      expect(judgeUrl(found, scope)).to.deep.equal({ kind: "visit", url });
    });

  const skips: [found: string, reason: string, url?: string][] = [
    ["https://www.example.com/", "off_site"],
    ["https://example.com:8443/", "off_site"],
    ["https://example.com.evil.org/", "off_site"],
    ["https://example.com/private/x", "exclusion"],
    ["https://example.com/über uns/x", "exclusion", "https://example.com/%C3%BCber%20uns/x"],
    ["https://example.com/%C3%BCber%20uns/x", "exclusion"],
    ["https://example.com/50%-off", "exclusion"],
    ["https://example.com/list?sort=up", "exclusion"],
    ["https://user:secret@example.com/", "invalid_url", "https://example.com/"],
    ["http://[oops", "invalid_url"],
    ["https://a b/", "invalid_url"],
    [`https://example.com/${"x".repeat(2_000)}`, "trap", `https://example.com/${"x".repeat(1_980)}`],
    ["https://example.com/a/b/a/b/a/b/a/b/a/b", "trap"],
    [`https://example.com/${"x/y".repeat(60)}`, "trap"],
    [`https://example.com/?${"a=1&".repeat(31)}`, "trap"],
  ];
  for (const [found, reason, url = found] of skips)
    it(`excludes ${found.slice(0, 60)}: ${reason}`, () => {
      expect(judgeUrl(found, scope)).to.deep.equal({ kind: "skip", url, reason });
    });

  it("has further hosts of the site, if they are named", () => {
    const visited = (sameSite: string[], home = "www.example.com") =>
      [
        "www.example.com",
        "example.com",
        "a.example.com",
        "a.b.example.com",
        "example.com:8080",
        "notexample.com",
      ].filter((host) => judgeUrl(`https://${host}/`, { host: home, sameSite, exclusions: [] }).kind === "visit");
    expect(visited([])).to.deep.equal(["www.example.com"]);
    expect(visited(["www"])).to.deep.equal(["www.example.com", "example.com"]);
    expect(visited(["subdomains"])).to.deep.equal(["www.example.com", "a.example.com", "a.b.example.com"]);
    expect(visited(["subdomains"], "example.com")).to.deep.equal([
      ...["www.example.com", "example.com", "a.example.com", "a.b.example.com"],
    ]);
    expect(visited(["*.b.example.com", "example.com:8080"])).to.deep.equal([
      ...["www.example.com", "a.b.example.com", "example.com:8080"],
    ]);
  });

  it("has views behind a # if they are asked for, and no other fragment", () => {
    const urlOf = (fragment: string, followHashRoutes = true) => {
      const verdict = judgeUrl(`https://example.com/?utm_source=x${fragment}`, {
        ...scope,
        ...{ followHashRoutes, ignoredParameters: trackingParameters },
      });
      return "url" in verdict ? verdict.url : "";
    };
    expect(["#/about", "#!legacy", "#!/a", "#/list?page=2"].map((one) => urlOf(one))).to.deep.equal([
      ...["https://example.com/#/about", "https://example.com/#!legacy"],
      ...["https://example.com/#!/a", "https://example.com/#/list?page=2"],
    ]);
    for (const other of ["#top", "#/", "#", "", "#/:~:state=x", "#:~:device=x"])
      expect(urlOf(other), other).to.equal("https://example.com/");
    expect(urlOf("#/about:~:state=open")).to.equal("https://example.com/#/about");
    expect(urlOf("#/about", false)).to.equal("https://example.com/");
    expect(judgeUrl("https://example.com/#/private/x", { ...scope, followHashRoutes: true })).to.deep.equal({
      ...{ kind: "skip", url: "https://example.com/#/private/x", reason: "exclusion" },
    });
  });

  const sameText: [exclusion: string, path: string][] = [
    ["/über|x", "/%C3%BCber|x"],
    ["/%C3%BCber|x", "/über%7Cx"],
    ["?q={a b}", "/?q={a b}"],
    ["/{id}", "/{id}"],
    ["/%c3%bcber", "/über"],
    ["/%C3%BCber", "/%c3%bcber"],
    ["/über", "/%c3%bcber"],
    ["3%bcb", "/%c3%bcber"],
  ];
  for (const [exclusion, path] of sameText)
    it(`excludes ${path} by ${exclusion}, which is the same text in another form`, () => {
      const verdict = judgeUrl(`https://example.com${path}`, {
        host: "example.com",
        exclusions: ["/other", exclusion],
      });
      expect(verdict).to.include({ kind: "skip", reason: "exclusion" });
    });

  it("excludes a URL by an ignored parameter, as it was found", () => {
    const ignoring = { host: "example.com", exclusions: ["utm_source="], ignoredParameters: ["utm_*"] };
    const found = "https://example.com/a?utm_source=x";
    expect(judgeUrl(found, ignoring)).to.deep.equal({ kind: "skip", url: found, reason: "exclusion" });
    expect(judgeUrl("https://example.com/a?utm_medium=x", ignoring).kind).to.equal("visit");
  });

  it("compares names of parameters decoded", () => {
    const ignored = ["größe", "f[x]", "ä*"];
    for (const name of ["größe", "GR%C3%B6%C3%9Fe", "f[x]", "f%5Bx%5D", "F%5bX%5D", "%C3%A4b"])
      expect(normaliseUrl(`https://example.com/a?${name}=1&b=%E4`, ignored)).to.equal("https://example.com/a?b=%E4");
    expect(normaliseUrl("https://example.com/a?%E4=1", ignored)).to.equal("https://example.com/a?%E4=1");
  });

  it("keeps parameters that are content on some sites", () => {
    for (const name of ["session_id", "sessionid", "pk_article"]) {
      const url = `https://example.com/a?${name}=1`;
      expect(normaliseUrl(url, trackingParameters)).to.equal(url);
    }
  });

  for (const found of ["mailto:a@example.com", "javascript:void(0)", "tel:1", "data:text/html,x", "ftp://example.com/"])
    it(`ignores ${found}`, () => {
      expect(judgeUrl(found, scope)).to.deep.equal({ kind: "ignore" } satisfies Verdict);
    });

  it("does not treat deep but ordinary paths as traps", () => {
    for (const path of ["/2024/2024/2024/2024", "/a/b/c/d/e/f/g/h/i/j/k", "/docs//x//y//z//u//v"])
      expect(judgeUrl(`https://example.com${path}`, scope).kind, path).to.equal("visit");
  });

  it("normalises a normalised URL to itself", () => {
    fc.assert(
      fc.property(fc.webUrl({ withFragments: true, withQueryParameters: true }), (url) => {
        const normal = normaliseUrl(url);
        expect(normaliseUrl(normal)).to.equal(normal);
        expect(normal).not.to.include("#");
      }),
    );
  });

  it("records any text in a form that the database can store", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 4_000 }), (found) => {
        const text = recordable(found);
        expect(Buffer.byteLength(text)).to.be.at.most(2_001);
        expect(text).not.to.include("\0");
        expect(text.isWellFormed()).to.equal(true);
      }),
    );
    expect(recordable("\u{feff}\u{feff}a")).to.equal("\u{feff}\u{feff}a");
    expect(recordable("a\0\ud800")).to.equal("a\u{fffd}\u{fffd}");
    expect(Buffer.byteLength(recordable("€".repeat(2_000)))).to.be.at.most(2_001);
  });
});
