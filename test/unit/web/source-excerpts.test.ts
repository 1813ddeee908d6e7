import { expect } from "chai";
import { decodeDocument } from "html-conformance/documents";
import { type Excerpt, excerptLimits, excerptsOf, type Place } from "../../../src/web/source/excerpts.ts";

/** A finding of one line. */
const at = (line: number, from: number | null, to: number, number = 1): Place => ({
  ...{ number, first_line: line, last_line: line, first_column: from, last_column: to },
});

/** A line as its number, its text with `[…]` around what is marked, and the findings that begin there. */
const shown = (excerpt: Excerpt | undefined) =>
  (excerpt ?? []).map(({ line, parts, numbers }) => {
    const text = parts.map((part) => (part.kind === "marked" ? `[${part.text}]` : part.text)).join("");
    return [line, text, ...numbers];
  });

const numbered = (count: number, end = "\n") => Array.from({ length: count }, (_, i) => `line ${i + 1}`).join(end);

describe("The excerpts of a page's source", () => {
  it("are the lines with findings, marked, with two lines before and after", () => {
    const { excerpts, left } = excerptsOf(numbered(20), [at(10, 1, 4, 7)]);
    expect(excerpts.map(shown)).to.deep.equal([
      [
        [8, "line 8"],
        [9, "line 9"],
        [10, "[line] 10", 7],
        [11, "line 11"],
        [12, "line 12"],
      ],
    ]);
    expect(left).to.equal(0);
  });

  it("are one where they touch, whatever the order of the findings", () => {
    const { excerpts } = excerptsOf(numbered(40), [at(30, 1, 4, 3), at(15, 1, 4, 2), at(10, 1, 4, 1)]);
    expect(excerpts.map((lines) => [lines[0]?.line, lines.at(-1)?.line])).to.deep.equal([
      [8, 17],
      [28, 32],
    ]);
  });

  it("mark what several findings of a line are about once, and name all of them", () => {
    const { excerpts } = excerptsOf("<p id=a class=b>", [at(1, 1, 16, 1), at(1, 4, 7, 2), at(1, 4, 7, 3)]);
    expect(excerpts.map(shown)).to.deep.equal([[[1, "[<p id=a class=b>]", 1, 2, 3]]]);
  });

  for (const [name, end] of [
    ["CRLF", "\r\n"],
    ["LF", "\n"],
    ["lone CR", "\r"],
  ] as const)
    it(`count lines that end with ${name} as the engines do`, () => {
      const { excerpts } = excerptsOf(`${numbered(4, end)}${end}<b>`, [at(5, 1, 3)]);
      expect(shown(excerpts[0]).at(-1)).to.deep.equal([5, "[<b>]", 1]);
    });

  it("count a CR before its LF once, and a LF before a CR twice", () => {
    const { excerpts } = excerptsOf("a\r\nb\n\rc", [at(4, 1, 1)]);
    expect(shown(excerpts[0])).to.deep.equal([
      [2, "b"],
      [3, ""],
      [4, "[c]", 1],
    ]);
  });

  it("have columns in UTF-16 units, tabs as one, and no byte order mark", () => {
    const bytes = Buffer.from('\ufeff\t😀<b class="x">', "utf16le");
    const { source } = decodeDocument(bytes, "text/html", "html");
    const { excerpts } = excerptsOf(source, [at(1, 4, 16)]);
    expect(shown(excerpts[0])).to.deep.equal([[1, '\t😀[<b class="x">]', 1]]);
  });

  it("are of the text that a windows-1252 page is", () => {
    const { source } = decodeDocument(Buffer.from("<p>\x80 caf\xe9</p>", "latin1"), "text/html", "html");
    expect(shown(excerptsOf(source, [at(1, 4, 9)]).excerpts[0])).to.deep.equal([[1, "<p>[€ café]</p>", 1]]);
  });

  it("of a finding over many lines are its first lines", () => {
    const place: Place = { number: 1, first_line: 3, last_line: 90, first_column: 3, last_column: 2 };
    const lines = shown(excerptsOf(numbered(100), [place]).excerpts[0]);
    expect(lines.map(([line]) => line)).to.deep.equal([1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(lines.slice(2, 4)).to.deep.equal([
      [3, "li[ne 3]", 1],
      [4, "[line 4]"],
    ]);
    expect(lines[7]).to.deep.equal([8, "line 8"]);
  });

  it("mark a whole line for a finding without a column", () => {
    expect(shown(excerptsOf("a\nbcd", [at(2, null, 3)]).excerpts[0])).to.deep.include([2, "[bcd]", 1]);
  });

  it("leave out findings of lines that the source does not have, and say how many", () => {
    expect(excerptsOf("a\nb", [at(3, 1, 1), at(0, 1, 1)])).to.deep.equal({ excerpts: [], left: 2 });
  });

  it("name a finding at the end of a source without a final line end, and beyond the end of its line", () => {
    expect(shown(excerptsOf("a\nb", [at(2, 2, 2)]).excerpts[0]).at(-1)).to.deep.equal([2, "b", 1]);
    expect(shown(excerptsOf("a\n", [at(2, 1, 1)]).excerpts[0]).at(-1)).to.deep.equal([2, "", 1]);
  });

  it("of a single line of a megabyte are what is around its findings", () => {
    const source = `${"x".repeat(500_000)}<center>${"y".repeat(500_000)}<font>${"z".repeat(50)}`;
    const { excerpts } = excerptsOf(source, [at(1, 500_001, 500_008, 1), at(1, 1_000_009, 1_000_014, 2)]);
    expect(shown(excerpts[0])).to.deep.equal([
      [1, `…${"x".repeat(60)}[<center>]${"y".repeat(60)}…${"y".repeat(60)}[<font>]${"z".repeat(50)}`, 1, 2],
    ]);
  });

  it("cut a long finding in a long line, and no character in two", () => {
    const source = `${"😀".repeat(200)}<b ${"c".repeat(5_000)}>`;
    const text = String(shown(excerptsOf(source, [at(1, 401, 5_404)]).excerpts[0])[0]?.[1]);
    expect(text.isWellFormed()).to.equal(true);
    expect(text.length).to.be.lessThan(400);
    expect(text).to.match(/^…(😀)+\[/);
  });

  it("have pictures of control characters, and code points for what changes the direction of text", () => {
    const { excerpts } = excerptsOf("a\0b\u001b\u007f\u202ec\ufeff\ud800", [at(1, 1, 3)]);
    expect(shown(excerpts[0])).to.deep.equal([[1, "[a␀b]␛␡⟨U+202E⟩c⟨U+FEFF⟩\ufffd", 1]]);
  });

  it("are few, of a page with many findings: the others are counted", () => {
    const places = Array.from({ length: 5_000 }, (_, i) => at(i * 10 + 1, 1, 4, i + 1));
    const { excerpts, left } = excerptsOf(numbered(50_000), places);
    const lines = excerpts.flat();
    expect(lines.length).to.be.within(excerptLimits.lines - 5, excerptLimits.lines);
    const named = lines.flatMap(({ numbers }) => numbers);
    expect(left).to.equal(5_000 - named.length);
    const long = Array.from({ length: 300 }, () => "y".repeat(230)).join("\n");
    const { excerpts: ofLong } = excerptsOf(long, places.slice(0, 30));
    const length = ofLong.flat().reduce((sum, { parts }) => sum + parts.map(({ text }) => text).join("").length, 0);
    expect(length).to.be.within(excerptLimits.length - 1_500, excerptLimits.length + 300);
  });
});
