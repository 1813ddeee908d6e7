import { expect } from "chai";
import { cssUrls } from "../../../src/domain/site/css-urls.ts";
import { readPage, readReferences } from "../../../src/domain/site/references.ts";

const URL_ = "https://example.com/dir/";
const read = (source: string) => readReferences(source, URL_);
const urls = (source: string) => read(source).references.map(({ as, url }) => `${as} ${url.replace(URL_, "")}`);

describe("What a page needs", () => {
  it("is resolved by its base, in its encoding", () => {
    expect(urls('<base href="/x/"><a href="p">')).to.deep.equal(["link https://example.com/x/p"]);
    const { references } = readReferences('<a href="?q=ä">', URL_, { encoding: "windows-1252" });
    expect(references[0]?.url).to.equal(`${URL_}?q=%E4`);
  });

  it("is in its srcset, whatever descriptors and commas are there", () => {
    const srcset = "a.png, b.png 2x,c.png 100w , d,e.png 1.5x, f.png";
    expect(urls(`<img srcset="${srcset}">`)).to.deep.equal(
      ["a.png", "b.png", "c.png", "d,e.png", "f.png"].map((name) => `image ${name}`),
    );
  });

  it("is what its links are for", () => {
    const of = (rel: string, more = "") => urls(`<link rel="${rel}" href="x" ${more}>`)[0]?.replace(/ x$/, "");
    expect(of("stylesheet")).to.equal("style sheet");
    expect(of("alternate stylesheet")).to.equal("style sheet");
    expect(of("stylesheet", "disabled")).to.equal(undefined);
    expect(of("preload", "as=font")).to.equal("font");
    expect(of("preload", "as=fetch")).to.equal("resource");
    expect(of("apple-touch-icon")).to.equal("icon");
    expect(of("canonical")).to.equal("link");
    for (const rel of ["preconnect", "dns-prefetch", "me", "made", ""]) expect(of(rel), rel).to.equal(undefined);
  });

  it("is nothing of what a browser does not load", () => {
    expect(
      urls('<a>x</a><img src=""><use href="#x"><iframe srcdoc="x" src="y"></iframe><input src="x">'),
    ).to.deep.equal([]);
    expect(
      urls('<a href="mailto:x"></a><img src="data:,x"><script>"<a href=x>"</script><!-- <a href=x> -->'),
    ).to.deep.equal([]);
  });

  it("has its place in lines that end at LF, CRLF or CR", () => {
    const { references } = read('<p>\r\n<p>\r<a\nhref="x"\n>x</a>');
    expect(references[0]).to.deep.include({ extract: '<a\nhref="x"\n>', at: [3, 1, 5, 1] });
  });

  it("has the ids of all elements and the names of anchors, each once", () => {
    expect(read("<p id=a><p id=a><a name=b id=c><input name=d><x-long-custom-element id=e>").ids).to.deep.equal([
      ...["a", "c", "b"],
      "e",
    ]);
  });

  it("is limited, and says how much is left out", () => {
    const many = read('<a href="x">'.repeat(20_010));
    expect([many.references.length, many.leftOut]).to.deep.equal([20_000, 10]);
    const ids = read(Array.from({ length: 50_001 }, (_, n) => `<p id=${n}>`).join(""));
    expect([ids.ids.length, ids.hasMoreIds]).to.deep.equal([50_000, true]);
  });

  it("is read in linear time despite hostile nesting, style elements and candidates", () => {
    for (const hostile of ["<style>", "<style/>", "<style></style>", "<svg><style>", "</style", '<img srcset=",,,,,">'])
      expect(read(hostile.repeat(200_000)).references).to.deep.equal([]);
    expect(readReferences("<style/>".repeat(200_000), URL_, { xml: true }).references).to.deep.equal([]);
    expect(urls(`<img srcset="${"x ".repeat(30_000)}">`)).to.have.lengthOf(1);
    expect(urls(`<style>${"url(x)".repeat(100_000)}</style>`)).to.have.lengthOf(1_000);
  });

  it("is what a browser has rendered, with the places of what was there before", () => {
    const document = { source: '<p>\n<a href="a">x</a>', contentType: "text/html" };
    const rendered = '<html><body><a href="b">y</a><p><a href="a">x</a></p></body></html>';
    const { references } = readPage(URL_, document, rendered);
    expect(references).to.deep.equal([
      { as: "link", url: `${URL_}b`, extract: '<a href="b">' },
      { as: "link", url: `${URL_}a`, extract: '<a href="a">', at: [2, 1, 2, 12] },
    ]);
  });
});

describe("What a style sheet loads", () => {
  const found = (css: string) => cssUrls(css).map(({ as, url }) => `${as} ${url}`);

  it("are fonts, imports and pictures, quoted or not, with escapes", () => {
    const css = `@import "a.css" screen; @import url(b.css); @namespace url(http://n);
      @font-face { src: local("x"), url("f.woff2") format("woff2"), url(g.woff) }
      @media print { p { background: url( 'c.png' ) } } q { cursor: url(d\\20 e.png), auto; content: "url(no)" } /* url(no) */`;
    expect(found(css)).to.deep.equal([
      ...["style sheet a.css", "style sheet b.css", "font f.woff2", "font g.woff", "image c.png", "image d e.png"],
    ]);
  });

  it("are no parts of the document itself, and nothing of broken CSS", () => {
    expect(found("p { filter: url(#f); background: url(; } @import")).to.deep.equal([]);
  });
});
