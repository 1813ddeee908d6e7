import { expect } from "chai";
import { cssUrls } from "../../../src/domain/page/css-urls.ts";
import { readPage, readReferences } from "../../../src/domain/page/references.ts";
import { limitOf } from "../../support/wait.ts";

const URL_ = "https://example.com/dir/";
const read = (source: string) => readReferences(source, URL_);
const urls = (source: string) => read(source).references.map(({ as, url }) => `${as} ${url.replace(URL_, "")}`);
const last = (address: string): string => address.split("/").at(-1) ?? "";
/** As many as fit into a page that the crawler reads. */
const fill = (part: string): string => part.repeat(Math.floor(10_000_000 / part.length));

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
    const images = read(`<img srcset="${Array.from({ length: 105 }, (_, n) => `${n}.png ${n}w`).join()}">`);
    expect([images.references.length, images.leftOut]).to.deep.equal([100, 5]);
    expect([ids.ids.length, ids.hasMoreIds]).to.deep.equal([50_000, true]);
  });

  it("is read in linear time despite hostile nesting, style elements and candidates", () => {
    for (const hostile of ["<style>", "<style/>", "<style></style>", "<svg><style>", "</style", '<img srcset=",,,,,">'])
      expect(read(hostile.repeat(200_000)).references).to.deep.equal([]);
    expect(readReferences("<style/>".repeat(200_000), URL_, { xml: true }).references).to.deep.equal([]);
    expect(urls(`<img srcset="${"x ".repeat(30_000)}">`)).to.have.lengthOf(1);
    expect(urls(`<style>${"url(x)".repeat(100_000)}</style>`)).to.have.lengthOf(1_000);
  });

  it("has the place of each start tag, whatever ends the lines", () => {
    const source = '<a href="1">\r\n<a href="2"\n>\r <a\rhref="3"><a href="4"></a>\n\n<p style="background:url(5)">';
    expect(read(source).references.map((one) => [last(one.url), one.at])).to.deep.equal([
      ["1", [1, 1, 1, 12]],
      ["2", [2, 1, 3, 1]],
      ["3", [4, 2, 5, 9]],
      ["4", [5, 10, 5, 21]],
      ["5", [7, 1, 7, 29]],
    ]);
  });

  it("is read once from style elements within each other, and from those without an end", () => {
    const found = (source: string, options = {}) =>
      readReferences(source, URL_, options).references.map((one) => `${one.as} ${last(one.url)}`);
    const drawing = "<svg><style>a{b:url(1)}<style>a{b:url(2)}</style></svg><style>a{b:url(3)}";
    expect(found(drawing)).to.deep.equal(["image 1", "image 2", "image 3"]);
    expect(found("<x><style/><style>a{b:url(1)}</style></x>", { xml: true })).to.deep.equal(["image 1"]);
  });

  it("is counted where it is too much to be read", () => {
    const many = read(`${'<a href="/x"></a>'.repeat(20_001)}<style>a{b:url(1)}</style><img src="2" srcset="3, 4 2x">`);
    expect({ read: many.references.length, leftOut: many.leftOut }).to.deep.equal({ read: 20_000, leftOut: 5 });
    const large = read(`<style>a{b:url(1)}${" ".repeat(2_000_000)}</style><style>a{b:url(2)}</style><img src="3">`);
    expect(large.references.map((one) => last(one.url))).to.deep.equal(["3"]);
    expect(large.leftOut).to.equal(2);
  });

  for (const [what, source] of [
    ["links", () => fill("<a href='x'>")],
    ["ids", () => fill("<p id=x>")],
    ["candidates of a srcset", () => fill(`<img srcset="${"a 1x,".repeat(13_000)}">`)],
    ["parentheses in a srcset", () => fill(`<img srcset="a ${"(".repeat(65_000)}">`)],
    ["style elements in a drawing, without an end", () => `<svg>${fill("<style>a")}url(x)`],
    ["style elements", () => fill("<style>url(x)</style>")],
    ["style attributes", () => fill('<p style="a:url(x)">')],
    ["strings without an end in a style element", () => `<style>url(x)${fill('"\n')}</style>`],
    ["lines", () => `${fill("\n")}<a href="x">`],
    ["links that are relative to a long base", () => `<base href="/${"a/".repeat(900)}">${fill("<a href='../x'>")}`],
  ] as const)
    it(`is read in seconds from 10 MB of ${what}`, function () {
      this.timeout(limitOf(30));
      const started = process.cpuUsage();
      read(source());
      const { user, system } = process.cpuUsage(started);
      expect((user + system) / 1e6).to.be.below(10);
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
  const found = (css: string) => cssUrls(css).urls.map(({ as, url }) => `${as} ${url}`);

  it("are fonts, imports and pictures, quoted or not, with escapes", () => {
    const css = `@import "a.css" screen; @import url(b.css) supports(x: "no.css"); @namespace url(http://n);
      @font-face { src: local("x"), url("f.woff2") format("woff2"), url(g.woff) }
      @media print { p { background: url( 'c.png' ) } } q { cursor: url(d\\20 e.png), auto; content: "url(no)" } /* url(no) */`;
    expect(found(css)).to.deep.equal([
      ...["style sheet a.css", "style sheet b.css", "font f.woff2", "font g.woff", "image c.png", "image d e.png"],
    ]);
  });

  it("are no parts of the document itself, and nothing of broken CSS", () => {
    expect(found("p { filter: url(#f); background: url(; } @import")).to.deep.equal([]);
  });

  it("are limited, and it is said how many there are more", () => {
    const { urls: read, leftOut } = cssUrls("p { background: url(x) }".repeat(1_010));
    expect([read.length, leftOut]).to.deep.equal([1_000, 10]);
  });
});
