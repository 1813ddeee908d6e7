import { expect } from "chai";
import { allowAll, disallowAll, isAllowedByRobots, parseRobots } from "../../../src/domain/scope/robots.ts";

const allowed = (robots: string, path: string): boolean =>
  isAllowedByRobots(parseRobots(robots, "site-validator"), `https://example.com${path}`);

describe("robots.txt", () => {
  const rows: [robots: string, path: string, allowed: boolean][] = [
    ["", "/", true],
    ["User-agent: *\nDisallow:", "/", true],
    ["User-agent: *\nDisallow: /", "/a", false],
    ["User-agent: *\nDisallow: /a", "/ab", false],
    ["User-agent: *\nDisallow: /a", "/b/a", true],
    ["User-agent: *\nDisallow: /a\nAllow: /a/b", "/a/b/c", true],
    ["User-agent: *\nAllow: /a/b\nDisallow: /a", "/a/c", false],
    ["User-agent: *\nDisallow: /a\nAllow: /a", "/a", true],
    ["User-agent: *\nDisallow: /*.pdf$", "/x/y.pdf", false],
    ["User-agent: *\nDisallow: /*.pdf$", "/x/y.pdf?z", true],
    ["User-agent: *\nDisallow: /a$", "/a", false],
    ["User-agent: *\nDisallow: /a$", "/ab", true],
    ["User-agent: *\nDisallow: /*?", "/a?b", false],
    ["User-agent: *\nDisallow: /%7Euser", "/~user/x", false],
    ["User-agent: *\nDisallow: /a # why", "/a", false],
    ["User-agent: *\nDisallow: /café", "/café/x", false],
    ["User-agent: *\nDisallow: /café", "/caf%c3%a9/x", false],
    ["User-agent: *\nDisallow: /caf%C3%A9", "/café/x", false],
    ["User-agent: *\nDisallow: /caf%c3%a9", "/cafe/x", true],
    ["User-agent: *\nDisallow: /a b", "/a b", false],
    ["User-agent: *\nDisallow: /a b", "/a%20b", false],
    ['User-agent: *\nDisallow: /"<a>"', '/"<a>"', false],
    ["User-agent: *\nDisallow: /{a}|b?^", "/{a}|b?^", false],
    // The encoded rule has more octets than the other.
    ["User-agent: *\nDisallow: /ö\nAllow: /*****", "/ö", false],
    ["user-AGENT : *\r\nDISALLOW : /a\r\n", "/a", false],
    ["User-agent: other\nDisallow: /", "/", true],
    ["User-agent: *\nDisallow: /\n\nUser-agent: Site-Validator\nDisallow: /x", "/a", true],
    ["User-agent: *\nDisallow: /\n\nUser-agent: Site-Validator\nDisallow: /x", "/x", false],
    ["User-agent: site-validator\nUser-agent: other\nDisallow: /x", "/x", false],
    ["Disallow: /", "/", true],
    ["User-agent: *\nSitemap: /s.xml\nDisallow: /a", "/a", false],
  ];
  for (const [robots, path, expected] of rows)
    it(`${expected ? "allows" : "disallows"} ${path} after ${JSON.stringify(robots)}`, () => {
      expect(allowed(robots, path)).to.equal(expected);
    });

  it("can allow everything or nothing", () => {
    expect(isAllowedByRobots(allowAll, "https://example.com/a")).to.equal(true);
    expect(isAllowedByRobots(disallowAll, "https://example.com/a")).to.equal(false);
  });

  it("leaves out rules that are longer than any URL, and counts what a URL costs", () => {
    const { rules, cost } = parseRobots(`User-agent: *\nDisallow: /${"a".repeat(2_000)}\nDisallow: /b**c*`, "x");
    expect(rules).to.deep.equal([{ allow: false, length: 6, parts: ["/b", "c", ""], anchored: false }]);
    expect(cost).to.equal(3);
  });

  it("decides in linear time, however many stars a rule has", () => {
    const robots = `User-agent: *\nDisallow: /${"*a".repeat(5_000)}$`;
    expect(allowed(robots, `/${"a".repeat(1_999)}b`)).to.equal(true);
  });

  it("is read in linear time, however many agents and rules a group has", () => {
    const robots = `User-agent: *\n${"User-agent: a\n".repeat(300_000)}${"Disallow: /a\n".repeat(300_000)}`;
    expect(allowed(robots, "/a")).to.equal(false);
  });
});
