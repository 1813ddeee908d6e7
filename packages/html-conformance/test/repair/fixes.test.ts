import { expect } from "chai";
import { loadConformance } from "../../comparison/engine.ts";
import type { Message } from "../../src/messages/message.ts";
import { searchMistakes } from "../../src/repair/search-mistakes.ts";

const page = (body: string, head = "") =>
  `<!DOCTYPE html>\n<html lang="en"><head><title>x</title>${head}</head><body><h1>x</h1>\n${body}\n</body></html>\n`;

/** What is written, what is done first, and how many errors are no consequences. Line 3 is the first one of the body. */
const rows: readonly [written: string, title: string, own?: number][] = [
  ['<p><a href="/a>one</a> two</p>\n<p class="b">three</p>', 'insert " at 3:15'],
  ["<p><a href='/a>one</a> two</p>\n<p class='b'>three</p>", "insert ' at 3:15"],
  ['<p><a href=/a" class="b">one</a></p>', 'insert " at 3:12'],
  ['<p><a href="/a class="b">one</a></p>', 'insert " at 3:15'],
  ['<p class="a"">one</p>', 'delete " at 3:13'],
  ["<p class=“a b”>one</p>", 'replace “ by " at 3:10, replace ” by " at 3:14'],
  ['<p class="a"id="b">one</p>', "insert a space at 3:13"],
  ["<p <b>one</b></p>", "insert > at 3:3"],
  ['<p class="a"<b>one</b></p>', "insert > at 3:13"],
  ["<p>one <b>two</b</p>", "insert > at 3:17"],
  ["<h2Title</h2>", "insert > at 3:4"],
  ["<p>one <b>two<b> three</p>\n<p>four</p>", "insert / at 3:15"],
  ["<div>\n  <p>one</p>\n<div>\n<p>two</p>", "insert / at 5:2"],
  ["<section>\n  <h2>x</h2>\n  <p>one</p>\n<p>two</p>", "insert </section> at 5:13"],
  ["<p>one <b>two</p>\n<p>three</p>\n<p>four</p>", "insert </b> at 3:14"],
  ["<p>one <b><i>two</b></i></p>", "replace </b></i> by </i></b> at 3:17"],
  ["<p>one <stron>two</strong></p>", "replace stron by strong at 3:9"],
  ["<p>one <strong>two</strng></p>", "replace </strng> by </strong> at 3:19"],
  ["<select name=a><option>one</option>two</option></select>", "insert <option> at 3:36"],
  ['<p><img scr="/a.png" alt="a"></p>', "replace scr by src at 3:9"],
  ['<p><img src="/a.png" src="/b.png" alt="a"></p>', 'delete src="/b.png" at 3:21'],
  ["<ul><ul><li>one</li></ul>", "delete <ul> at 3:5"],
  ["<p>one &nbps; two</p>", "replace nbps by nbsp at 3:9"],
  ["<p>one &#8212 two</p>", "insert ; at 3:14"],
  ["<p>AT&T;</p>", "insert amp; at 3:7"],
  ["<!- note -->\n<p>one</p>", "replace - by -- at 3:3"],
  ['<div id="a"/>\n<p>one</p>', "replace /> by ></div> at 3:12"],
  ['<form><button type="buton">Go</button></form>', "replace buton by button at 3:21"],
];

describe("a change that undoes a mistake", () => {
  let run: Awaited<ReturnType<typeof loadConformance>>["run"];
  before(async () => {
    ({ run } = await loadConformance());
  });

  for (const [written, title, own = 1] of rows)
    it(`of ${JSON.stringify(written)} is: ${title}`, () => {
      const { messages } = run(page(written), "text/html; charset=utf-8", "fixes");
      const errors = messages.filter(({ type }) => type === "error");
      const causes = errors.filter(({ causedBy }) => causedBy === undefined);
      expect(causes.flatMap(({ fix }) => fix?.title ?? [])).to.deep.equal([title]);
      expect(causes.map(({ rule }) => rule)).to.have.length(own);
      for (const { causedBy } of errors) if (causedBy !== undefined) expect(messages[causedBy]?.fix).to.be.an("object");
    });

  it("is a message of its own where none says the mistake", () => {
    const { messages } = run(
      page('<p><a href="/a>one</a> two</p>\n<p class="b">three</p>'),
      "text/html; charset=utf-8",
      true,
    );
    const [cause] = messages.filter(({ rule }) => rule === "likely-mistake");
    expect(cause).to.deep.include({ lastLine: 3, lastColumn: 15 });
    expect(cause?.message).to.match(/^A quote \("\) is probably missing here: with it, \d+ other findings go\.$/);
  });

  it("says its place at the end of a document, too", () => {
    const source = "<!DOCTYPE html><html lang=en><title>x</title><p>one <!-- two";
    const { messages } = run(source, "text/html; charset=utf-8", "fixes");
    const [fix] = messages.flatMap((message) => message.fix ?? []);
    expect(fix?.title).to.equal(`insert --> at 1:${source.length + 1}`);
  });

  it("is not tried for what has no consequences where only these are asked for", () => {
    const { messages } = run(page("<p>one &nbps; two</p>"), "text/html; charset=utf-8", true);
    expect(messages.filter(({ fix, causedBy }) => fix || causedBy !== undefined)).to.deep.equal([]);
  });

  it("is checked in a part of a long page, where only consequences are asked for, with the same result", () => {
    const filling = "<p>Some text.</p>\n".repeat(3_000);
    for (const typo of ["<p>one <b><i>two</b></i></p>", '<p><a href="/a>one</a> two</p>\n<p class="b">three</p>']) {
      const source = page(`${filling}${typo}\n${filling}`);
      const check = (text: string) => run(text, "text/html; charset=utf-8");
      const checked = check(source);
      let whole = 0;
      const folded = searchMistakes(source, checked, (text, part) => {
        if (part !== "parse" && text.length > source.length / 2) whole++;
        return check(text);
      });
      const asked = searchMistakes(source, checked, check, { alone: true });
      expect(whole).to.equal(0);
      expect(folded).to.deep.equal(asked);
      expect(folded).to.have.length(1);
    }
  });

  it("is no part of what the parser knows to follow from an element that is not closed", () => {
    const { messages } = run(page("<div>\n<p>one</p>"), "text/html; charset=utf-8", true);
    const errors = messages.filter(({ type }) => type === "error");
    expect(errors.map(({ rule }) => rule)).to.deep.equal([
      "parse/unclosed-element",
      "parse/end-tag-with-open-elements",
    ]);
    expect(errors[1]?.causedBy).to.equal(messages.indexOf(errors[0] as Message));
    expect(messages.flatMap((message) => Object.keys(message))).to.not.include("follows");
    expect(run(page("<div>"), "text/html").messages.flatMap((message) => Object.keys(message))).to.not.include(
      "follows",
    );
  });

  it("is not looked for in XML, where a mistake ends the check", () => {
    const { messages } = run("<svg xmlns='http://www.w3.org/2000/svg'><g></svg>", "image/svg+xml", "fixes");
    expect(messages.filter(({ fix }) => fix)).to.deep.equal([]);
  });

  it("costs a bounded number of characters, however many mistakes there are", () => {
    const source = page("<p>one <b>two<b> three</p>\n".repeat(300));
    const check = (text: string) => run(text, "text/html; charset=utf-8");
    let characters = 0;
    const mistakes = searchMistakes(source, check(source), (text, part) => {
      // Parsing takes a part of the time of a check.
      characters += (part === "parse" ? 0.4 : 1) * text.length;
      return check(text);
    });
    expect(mistakes).to.have.length.above(0);
    expect(characters).to.be.at.most(30_000 + source.length);
  });
});
