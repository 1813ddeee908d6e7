import { expect } from "chai";
import { createSourceLines } from "../../src/messages/source-lines.ts";

/** The places that the Nu checker gives for the same text. */
const rows = [
  {
    why: "a tag on one line",
    source: "<body>\n<p>abc <b foo=1>x</b> def",
    meant: "<b foo=1>",
    place: { lastLine: 2, lastColumn: 16, firstColumn: 8 },
    extract: "y>\n<p>abc <b foo=1>x</b> ",
    hiliteStart: 10,
    hiliteLength: 9,
  },
  {
    why: "a tag over several lines, after characters of two UTF-16 units",
    source: "<body>\n<p>😀😀<b\nfoo=1\nbar=2>x</b> y",
    meant: "<b\nfoo=1\nbar=2>",
    place: { lastLine: 4, firstLine: 2, lastColumn: 6, firstColumn: 8 },
    extract: "y>\n<p>😀😀<b\nfoo=1\nbar=2>x</b> ",
    hiliteStart: 10,
    hiliteLength: 15,
  },
  {
    why: "the start of the file",
    source: "<p>x",
    meant: "<p>",
    place: { lastLine: 1, lastColumn: 3, firstColumn: 1 },
    extract: "<p>x",
    hiliteStart: 0,
    hiliteLength: 3,
  },
  {
    why: "one character, without a first column",
    source: "<body><ul>a<br>b",
    meant: "a",
    place: { lastLine: 1, lastColumn: 11 },
    extract: "<body><ul>a<br>b",
    hiliteStart: 10,
    hiliteLength: 1,
  },
  {
    why: "line ends of CRLF and CR, shown as LF",
    source: "<br/></foo>\r\n<i>\r<u></p>",
    meant: "<u>",
    place: { lastLine: 3, lastColumn: 3, firstColumn: 1 },
    extract: "/foo>\n<i>\n<u></p>",
    hiliteStart: 10,
    hiliteLength: 3,
  },
];

describe("places in a source", () => {
  for (const { why, source, meant, place, ...formatValue } of rows)
    it(`are those of the Nu checker for ${why}`, () => {
      const start = source.indexOf(meant, meant === "a" ? 10 : 0);
      expect(createSourceLines(source).placeOf(start, start + meant.length)).to.deep.equal({
        ...place,
        ...formatValue,
      });
    });

  it("halve no surrogate pair at the ends of an extract", () => {
    const source = "<i>😀12345678a<b>x</b>12345😀";
    const { extract } = createSourceLines(source).placeOf(source.indexOf("<b>"), source.indexOf("<b>") + 3);
    expect(extract.isWellFormed()).to.equal(true);
  });

  it("show no more than 2,000 characters of a long tag, and have its whole extent", () => {
    const source = `<p title="${"x".repeat(10_000)}">y`;
    const place = createSourceLines(source).placeOf(0, source.length - 1);
    expect(place).to.include({ lastColumn: source.length - 1, firstColumn: 1, hiliteLength: 2_000 });
  });

  it("take offsets beyond the source and an empty source", () => {
    expect(createSourceLines("").placeOf(-1, 0)).to.include({ lastLine: 1, extract: "" });
    expect(createSourceLines("ab").placeOf(9, 12)).to.include({ lastLine: 1, lastColumn: 2, extract: "ab" });
  });

  it("turn lines and columns into offsets", () => {
    expect(createSourceLines("ab\r\ncd\nef").offsetOf(3, 2)).to.equal(8);
  });
});
