import { expect } from "chai";
import { readLinks } from "../../../src/crawler/page-links.ts";
import { judgeUrl } from "../../../src/domain/scope/url-scope.ts";

const url = "https://example.com/dir/page.html";
const links = (source: string): string[] => readLinks(source, url).links;

describe("the links of a page", () => {
  const rows: [name: string, source: string, expected: string[]][] = [
    [
      "are resolved if they are relative",
      '<a href="a">x</a><a href="../b"><a href="/c"><a href="?d">',
      [
        "https://example.com/dir/a",
        "https://example.com/b",
        "https://example.com/c",
        "https://example.com/dir/page.html?d",
      ],
    ],
    [
      "include areas, in document order",
      '<area href="b"><a href="a">',
      ["https://example.com/dir/b", "https://example.com/dir/a"],
    ],
    [
      "are listed once each, without fragments",
      '<a href="a#x"><a href="a"><a href="./a#y"><a href="#z">',
      ["https://example.com/dir/a", "https://example.com/dir/page.html"],
    ],
    [
      "are all resolved by the first base",
      '<a href="a"><base target=x><base href="/base/"><base href="/other/">',
      ["https://example.com/base/a"],
    ],
    [
      "are not resolved by a base that is not http or https",
      '<base href="javascript:x"><a href="a">',
      ["https://example.com/dir/a"],
    ],
    [
      "are read in any case, with any quotes and with entities",
      "<A HREF=a><a hreF='b&amp;c'><a href=\"d&#x2f;e\">",
      ["https://example.com/dir/a", "https://example.com/dir/b&c", "https://example.com/dir/d/e"],
    ],
    [
      "have no reference where a name goes on, or has an equals sign after it",
      "<a href=a?x&copy=1><a href='b?x&copyright=1'><a href='c?x&copy;=&lt'><a href='d?&#65&#x42'>",
      ["a?x&copy=1", "b?x&copyright=1", "c?x%C2%A9=%3C", "d?AB"].map((path) => `https://example.com/dir/${path}`),
    ],
    [
      "are not read from references in texts",
      "<title>&lt;/title></title><textarea>&lt;/textarea></textarea>&lt;a href=b><a href=a>",
      ["https://example.com/dir/a"],
    ],
    ["are taken from the first of two equal attributes", '<a href="a" href="b">', ["https://example.com/dir/a"]],
    [
      "do not include other schemes",
      '<a href="mailto:a@b.c"><a href="JavaScript:x"><a href="tel:1"><a href="data:,x">',
      [],
    ],
    ["are left as they are if they cannot be parsed", '<a href=" http://[oops ">', ["http://[oops"]],
    [
      "are not read from comments, scripts, styles and text areas",
      '<!-- <a href="a"> --><script>"<a href=b>"</script><style><a href=c></style><textarea><a href=d></textarea><title><a href=e></title>',
      [],
    ],
    ["do not include anchors without a target", '<a name="x"><a href><a>', []],
    ["are stripped of spaces and line breaks", '<a href=" a\nb ">', ["https://example.com/dir/ab"]],
  ];
  for (const [name, source, expected] of rows)
    it(name, () => {
      expect(links(source)).to.deep.equal(expected);
    });

  it("have the references of XML alone in XML", () => {
    const source = `<a href="a?x&amp;y&copy;&#x41;&lt" />`;
    expect(readLinks(source, url, { xml: true }).links).to.deep.equal(["https://example.com/dir/a?x&y&copy;A&lt"]);
  });

  it("include the first canonical link, resolved", () => {
    const source = '<link rel=stylesheet href=s><link rel="x CANONICAL" href="/c"><link rel=canonical href="/d">';
    expect(readLinks(source, url).canonical).to.equal("https://example.com/c");
    expect(readLinks("<link rel=canonical>", url)).to.deep.equal({ links: [] });
    expect(readLinks('<base href="/b/"><link href=c rel=canonical>', url).canonical).to.equal(
      "https://example.com/b/c",
    );
  });

  it("stay too long to be visited if they are too long to be resolved", () => {
    const scope = { host: "example.com", exclusions: [] };
    const path = `/${"x".repeat(9_000)}`;
    for (const href of [path, url + path, `https://example.com/${"a/../".repeat(2_000)}`]) {
      const [link = ""] = links(`<a href="${href}">`);
      expect(judgeUrl(link, scope), href.slice(0, 40)).to.include({ kind: "skip", reason: "trap" });
    }
  });

  it("are read in linear time despite hostile nesting and attributes", () => {
    expect(links("<div>".repeat(1_000_000))).to.deep.equal([]);
    expect(links(`<p><b>${"<a>".repeat(500_000)}${"</p></b>".repeat(200_000)}`)).to.deep.equal([]);
    expect(links(`<a ${"x ".repeat(1_000_000)}href=a>`)).to.deep.equal(["https://example.com/dir/a"]);
    expect(links(`<a href="${"&amp;".repeat(1_000_000)}">`)).to.have.length(1);
  });

  it("are at most some fifty thousand", () => {
    const many = Array.from({ length: 60_000 }, (_, n) => `<a href=${n}>`).join("");
    expect(links(many)).to.have.length(50_000);
  });
});
