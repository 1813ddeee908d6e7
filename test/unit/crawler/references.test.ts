import { expect } from "chai";
import { readReferences } from "../../../src/domain/site/references.ts";
import { limitOf } from "../../support/wait.ts";

const url = "https://example.com/dir/page.html";
const read = (source: string, options = {}) => readReferences(source, url, options);
const last = (address: string): string => address.split("/").at(-1) ?? "";
/** As many as fit into a page that the crawler reads. */
const fill = (part: string): string => part.repeat(Math.floor(10_000_000 / part.length));

describe("What a page needs", () => {
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
      read(source, options).references.map((one) => `${one.as} ${last(one.url)}`);
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
});
