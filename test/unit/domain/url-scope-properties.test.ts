import { expect } from "chai";
import fc from "fast-check";
import { judgeUrl, matchedExclusion, normaliseUrl } from "../../../src/domain/scope/url-scope.ts";

/** URLs as pages have them: with user names, ports, fragments, dots, odd characters and tricks with hosts. */
const host = fc.constantFrom(
  "example.com",
  "EXAMPLE.com",
  "example.com.",
  "www.example.com",
  "example.com.evil.org",
  "evil.org",
  "127.0.0.1",
  "[::1]",
  "xn--exmple-cua.com",
  "exämple.com",
);
const piece = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 12 }),
  fc.constantFrom(
    "a",
    "..",
    ".",
    "%2e%2e",
    "%2F",
    "%c3%bc",
    "ü",
    "|",
    "{",
    "\\",
    "//",
    "@evil.org",
    "http://evil.org",
    " ",
    "\t",
    "\u{1f600}",
  ),
);
const found = fc
  .record({
    scheme: fc.constantFrom("http:", "https:", "HTTPS:", "ftp:", "javascript:", "data:", "mailto:", "blob:http:"),
    slashes: fc.constantFrom("//", "/", "\\\\", "", "////"),
    user: fc.constantFrom("", "", "", "user@", "user:secret@", "example.com@", "example.com:80@"),
    host,
    port: fc.constantFrom("", "", ":80", ":443", ":8080", ":0", ":99999", ":x"),
    path: fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.map((part) => `/${part}`).join("")),
    query: fc.option(piece),
    fragment: fc.option(piece),
  })
  .map(
    ({ scheme, slashes, user, host: at, port, path, query, fragment }) =>
      `${scheme}${slashes}${user}${at}${port}${path}${query === null ? "" : `?${query}`}${fragment === null ? "" : `#${fragment}`}`,
  );
const anything = fc.oneof(found, fc.webUrl({ withFragments: true, withQueryParameters: true }), fc.string());
const scope = { host: "example.com", exclusions: ["/private/", "sort=", "\u{1f600}"] };
const runs = { numRuns: 2_000 };

describe("the scope of a report, whatever URLs are found", () => {
  it("never leaves the host, http and https", () => {
    fc.assert(
      fc.property(anything, (address) => {
        const verdict = judgeUrl(address, scope);
        if (verdict.kind !== "visit") return;
        const url = new URL(verdict.url);
        expect(url.host).to.equal("example.com");
        expect(url.protocol).to.be.oneOf(["http:", "https:"]);
        expect(url.username + url.password).to.equal("");
        expect(verdict.url).not.to.include("#");
      }),
      runs,
    );
  });

  it("visits a URL exactly when it visits its normalised form", () => {
    fc.assert(
      fc.property(anything, (address) => {
        const verdict = judgeUrl(address, scope);
        if (verdict.kind !== "visit") return;
        expect(judgeUrl(verdict.url, scope)).to.deep.equal(verdict);
        expect(normaliseUrl(verdict.url)).to.equal(verdict.url);
        expect(normaliseUrl(address)).to.equal(verdict.url);
      }),
      runs,
    );
  });

  it("treats URLs that differ only in their fragments as the same", () => {
    fc.assert(
      fc.property(fc.webUrl({ withQueryParameters: true }), piece, piece, (url, one, other) => {
        expect(normaliseUrl(`${url}#${one}`)).to.equal(normaliseUrl(`${url}#${other}`));
      }),
    );
  });

  it("excludes every URL that contains an exclusion, and no other URL for that reason", () => {
    fc.assert(
      fc.property(found, fc.array(piece.filter(Boolean), { maxLength: 3 }), (address, exclusions) => {
        const verdict = judgeUrl(address, { host: "example.com", exclusions });
        const url = URL.parse(address);
        if (!url) return;
        url.hash = "";
        const escaped = (part: string) =>
          encodeURI(part.toWellFormed())
            .replace(/%(25|5B|5D)/g, (octet) => decodeURI(octet))
            .replace(/%[0-9a-f]{2}/gi, (octet) => octet.toUpperCase())
            .replace(/%(2[DE]|3\d|4[1-9A-F]|5[0-9AF]|6[1-9A-F]|7[0-9AE])/g, (octet) => decodeURIComponent(octet));
        const matches = exclusions.some((part) => url.href.includes(part) || escaped(url.href).includes(escaped(part)));
        expect(matchedExclusion(url.href, { exclusions }) !== undefined).to.equal(matches);
        if (verdict.kind === "visit") expect(matches, verdict.url).to.equal(false);
        if (verdict.kind === "skip" && verdict.reason === "exclusion") expect(matches, verdict.url).to.equal(true);
      }),
      runs,
    );
  });

  it("never fails, and shows no password", () => {
    fc.assert(
      fc.property(anything, (address) => {
        const verdict = judgeUrl(address, scope);
        if (verdict.kind === "ignore" || !URL.canParse(verdict.url)) return;
        expect(new URL(verdict.url).password).to.equal("");
      }),
      runs,
    );
  });
});
