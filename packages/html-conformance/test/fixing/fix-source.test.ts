import { expect } from "chai";
import { loadConformance } from "../../comparison/engine.ts";
import { type CheckSource, fixSource } from "../../src/fixing/fix-source.ts";
import { safeKindOf } from "../../src/fixing/safe-kinds.ts";

const page = (body: string, head = "") =>
  `<!DOCTYPE html>\n<html lang="en"><head><title>x</title>${head}</head><body><h1>x</h1>\n${body}\n</body></html>\n`;

/** What is written in the body, and what it becomes; undefined for what only people can mend. */
const rows: readonly [written: string, mended: string | undefined, kinds?: readonly string[]][] = [
  [
    '<p><a href="/a>one</a> two</p>\n<p class="b">3</p>',
    '<p><a href="/a">one</a> two</p>\n<p class="b">3</p>',
    ["quote"],
  ],
  ['<p class="a"id="b">one</p>', '<p class="a" id="b">one</p>', ["quote"]],
  ["<p>one &#8212 two &copy 3</p>", "<p>one &#8212; two &copy; 3</p>", ["reference", "reference"]],
  ["<p>one <b><i>two</b></i></p>", "<p>one <b><i>two</i></b></p>", ["swapped end tags"]],
  ["<p>one <stron>two</strong></p>", "<p>one <strong>two</strong></p>", ["mistyped name"]],
  ["<p>one <strong>two</strng></p>", "<p>one <strong>two</strong></p>", ["mistyped name"]],
  ['<p><img scr="/a.png" alt="a"></p>', '<p><img src="/a.png" alt="a"></p>', ["mistyped name"]],
  [
    '<form><button type="buton">Go</button></form>',
    '<form><button type="button">Go</button></form>',
    ["mistyped name"],
  ],
  ["<p>one <b>two</p>\n<p>three</p>", undefined],
  ['<p><img src="/a.png" src="/b.png" alt="a"></p>', undefined],
  ['<div id="a"/>\n<p>one</p>', undefined],
  ["<ul><ul><li>one</li></ul>", undefined],
  ["<p <b>one</b></p>", undefined],
  ['<p><img src="/a.png"></p>', undefined],
];

describe("changes of safe kinds", () => {
  let check: CheckSource;
  before(async () => {
    const { run } = await loadConformance();
    check = (source, causes) => run(source, "text/html; charset=utf-8", causes).messages;
  });

  for (const [written, mended, kinds = []] of rows)
    it(`${mended === undefined ? "leave to people" : "mend"} ${JSON.stringify(written)}`, async () => {
      const { source, made } = await fixSource(page(written), check);
      expect(source).to.equal(page(mended ?? written));
      expect(made.map(({ kind }) => kind)).to.deep.equal(kinds);
    });

  it("give a document its doctype, with its line ends", async () => {
    const without = page("<p>x</p>").replace("<!DOCTYPE html>\n", "").replaceAll("\n", "\r\n");
    const { source, made } = await fixSource(without, check);
    expect(source).to.equal(`<!DOCTYPE html>\r\n${without}`);
    expect(made.map(({ kind }) => kind)).to.deep.equal(["doctype"]);
  });

  it("are made one after the other where they do not help together, and only those that help", async () => {
    const source = page("<p>x &amp y</p>");
    const at = source.indexOf("&amp") + 4;
    const fix = (start: number, text: string) => ({
      ...{ kind: "reference" as const, title: text, removes: 1 },
      edits: [{ start, end: start, text, startLine: 1, startColumn: 1, endLine: 1, endColumn: 1 }],
    });
    const lying: CheckSource = async (text, causes) => {
      const messages = await check(text, causes);
      const first = messages[0];
      if (!first || text !== source || causes !== "fixes") return messages;
      return [
        { ...first, fix: fix(at, ";") },
        { ...first, fix: fix(source.indexOf("<p>") + 1, "q") },
      ];
    };
    expect((await fixSource(source, lying)).source).to.equal(page("<p>x &amp; y</p>"));
  });

  it("are none that are not within the document, or overlap", () => {
    const of = (...edits: [number, number][]) =>
      safeKindOf("abc", { kind: "quote", edits: edits.map(([start, end]) => ({ start, end, text: '"' })) as never });
    expect(of([0, 1])).to.equal("quote");
    for (const edits of [
      [[0, 4]],
      [[-1, 0]],
      [[2, 1]],
      [
        [1, 2],
        [0, 1],
      ],
      [[0.5, 1]],
      [[Number.NaN, 1]],
    ] as const)
      expect(of(...(edits as unknown as [number, number][])), JSON.stringify(edits)).to.equal(undefined);
  });
});
