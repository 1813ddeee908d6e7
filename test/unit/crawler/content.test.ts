import { expect } from "chai";
import { contentLocation, documentIdOf, mediaType, sniffMediaType } from "../../../src/crawler/content.ts";
import { parseSitemap, parseTextList } from "../../../src/crawler/url-list.ts";

describe("the type of a response", () => {
  const headers: [header: string, type: string][] = [
    ["text/html", "html"],
    ["Text/HTML; charset=utf-8", "html"],
    [" text/html ;x", "html"],
    ["application/xhtml+xml", "xhtml"],
    ["application/xml", "xml"],
    ["application/rss+xml", "xml"],
    ["text/plain", "text"],
    ["application/x-gzip", "gzip"],
    ["application/pdf", "other"],
    ["constructor/", "other"],
    ["", ""],
    ["html", ""],
  ];
  for (const [header, type] of headers)
    it(`${JSON.stringify(header)} is ${JSON.stringify(type)}`, () => {
      expect(mediaType(header)).to.equal(type);
    });

  const bodies: [body: string, type: string][] = [
    ["<!DOCTYPE html><p>", "html"],
    ["\n <HTML >", "html"],
    ["\xef\xbb\xbf<!-- x --><p>", "html"],
    ["\xff\xfe<\0h\0t\0m\0l\0>\0", "html"],
    ['<?xml version="1.0"?><urlset>', "xml"],
    ['<?xml version="1.0"?><!DOCTYPE html><html xmlns="…">', "xhtml"],
    ["<abbr>", "text"],
    ["https://example.com/", "text"],
    ["\x1f\x8b\x08", "gzip"],
    ["%PDF-1.7\n\x01\x02", "other"],
  ];
  for (const [body, type] of bodies)
    it(`${JSON.stringify(body)} without a header is ${type}`, () => {
      expect(sniffMediaType(Buffer.from(body, "latin1"))).to.equal(type);
    });
});

describe("the document of a response", () => {
  const PAGE = "https://a/b?c";

  it("is what Content-Location says, on the same origin", () => {
    expect(contentLocation("d.html#e", PAGE)).to.deep.equal({ contentLocation: "https://a/d.html" });
    for (const header of [undefined, "https://b/d.html", `/${"x/../".repeat(5_000)}d.html`])
      expect(contentLocation(header, PAGE), header?.slice(0, 20)).to.deep.equal({});
  });

  it("has an id of the same length, however long its address is", () => {
    const id = documentIdOf("https://a/d", "text");
    expect(documentIdOf("https://a/d", "text")).to.equal(id);
    expect(documentIdOf("https://a/d", "other")).not.to.equal(id);
    const long = documentIdOf(`https://a/${"d".repeat(8_000)}`, "text");
    expect(long).not.to.equal(id);
    expect(long).to.have.length(id.length);
  });
});

describe("lists of URLs", () => {
  it("are read from a sitemap, without the locations of its extensions", () => {
    const text = `<?xml version="1.0"?><urlset xmlns="s" xmlns:image="i">
      <url><loc> https://a/1?x=1&amp;y=2 </loc><image:image><image:loc>https://a/i.png</image:loc></image:image></url>
      <url><loc><![CDATA[https://a/2]]></loc></url><url><loc>https://a/2</loc></url></urlset>`;
    expect(parseSitemap(text)).to.deep.equal({
      kind: "sitemap",
      urls: ["https://a/1?x=1&y=2", "https://a/2"],
      sitemaps: [],
    });
  });

  it("are read from a sitemap index", () => {
    const text = "<s:sitemapindex xmlns:s='x'><s:sitemap><s:loc>https://a/s.xml</s:loc></s:sitemap></s:sitemapindex>";
    expect(parseSitemap(text)).to.deep.equal({ kind: "sitemap", urls: [], sitemaps: ["https://a/s.xml"] });
  });

  it("are kept if they come before an error, and are not read from other XML", () => {
    expect(parseSitemap("<urlset><url><loc>https://a/1</loc></url><url><loc>https://a")?.urls).to.deep.equal([
      "https://a/1",
    ]);
    expect(parseSitemap("<rss><channel><url><loc>https://a/1</loc></url></channel></rss>")).to.equal(undefined);
    expect(parseSitemap("no xml at all")).to.equal(undefined);
  });

  it("do not have entities expanded that a document declares", () => {
    const bomb = `<!DOCTYPE urlset [<!ENTITY a "${"x".repeat(100)}"><!ENTITY b "&a;&a;&a;">]><urlset><url><loc>https://a/&b;</loc></url></urlset>`;
    expect(JSON.stringify(parseSitemap(bomb))).not.to.include("xxx");
  });

  it("are read one by line, without comments and blank lines", () => {
    expect(parseTextList("# site\r\n\r\nhttps://a/1\n https://a/2 \nhttps://a/1\n")).to.deep.equal({
      kind: "text-list",
      urls: ["https://a/1", "https://a/2"],
      sitemaps: [],
    });
    expect(parseTextList("Hello\nhttps://a/1")).to.equal(undefined);
    expect(parseTextList("\n")?.urls).to.deep.equal([]);
  });

  it("may have a line of 20 million characters", () => {
    const text = `https://a/1\n#${"x".repeat(20_000_000)}`;
    expect(parseTextList(text)?.urls).to.deep.equal(["https://a/1"]);
  });

  it("are read up to a maximum, and not through endless comments", () => {
    const many = Array.from({ length: 50_001 }, (_, index) => `https://a/${index}`);
    expect(parseTextList(many.join("\n"))?.urls).to.deep.equal(many.slice(0, -1));
    expect(parseTextList(`https://a/1\n${"#\n".repeat(3_000_000)}https://a/2`)?.urls).to.deep.equal(["https://a/1"]);
  });
});
