import { expect } from "chai";
import { parseDocument } from "../../src/parse.ts";

const head = "<!doctype html><title>x</title>";

/** The rules without their prefix, each with the source that it points at. */
function problems(source: string): string[] {
  return parseDocument({ source }).problems.map(
    ({ rule, start, end }) => `${rule.slice("parse/".length)} ${source.slice(start, end)}`,
  );
}

/** What stands after a title, and the problems that are found in it. */
const bodies: readonly (readonly [source: string, ...problems: string[]])[] = [
  // What is allowed.
  ["<p>one<p>two"],
  ["<ul><li>one<li>two</ul><dl><dt>a<dd>b</dl>"],
  ["<table><tr><td>1<td>2<tr><td>3</table>"],
  ["<ruby>a<rp>(<rt>b<rp>)</ruby>"],
  ["<select><option>a<option>b<hr><optgroup label=c><option>d</select>"],
  ["<select><button><b>x</b></button><option><div>a</div></option></select>"],
  ["<svg><g/><a/></svg><math><mi/></math>"],
  ["<?marker name='x'?><?m>"],
  ["&copy; &#169; & &x a&b <a href='?a&copy=1'></a>"],
  ["<pre>\n\nx</pre><template><td>x</td></template>"],
  ["<ruby><b><rt></b></ruby>", "start-tag-with-open-elements <rt>", "end-tag-violates-nesting </b>"],
  // Start tags.
  ["<a><a></a>", "start-tag-already-open <a>"],
  ["<button><button></button>", "start-tag-already-open <button>"],
  ["<h1><h2></h2>", "heading-in-heading <h2>"],
  ["<form><form></form>", "form-in-form <form>"],
  ["<image>", "image-start-tag <image>"],
  ["<td>", "stray-start-tag <td>"],
  ["<div><body></div>", "start-tag-already-open <body>"],
  ["<div><html></div>", "stray-start-tag <html>"],
  ["<select><select>", "select-in-select <select>"],
  ["<select><input>", "start-tag-in-select <input>"],
  ["<rt></rt>", "start-tag-outside-ruby <rt>"],
  ["<table><td></table>", "cell-outside-row <td>"],
  ["<table><b></table></b>", "start-tag-in-table <b>", "stray-end-tag </b>"],
  ["<table><table></table>", "table-in-table <table>"],
  ["<table><tr>x</table>", "text-in-table x</table>"],
  ["<table><input type=hidden></table>", "start-tag-in-table <input type=hidden>"],
  ["<svg><p></p>", "html-start-tag-in-foreign-content <p>"],
  ["<div/></div>", "self-closing-start-tag <div/>"],
  ["<br/>", "trailing-slash-on-void-element <br/>"],
  ["<li><b><li>x</b>", "unclosed-element <b>", "implied-end-tag-with-open-elements <li>"],
  // End tags.
  ["</div>", "stray-end-tag </div>"],
  ["</p>", "stray-end-tag </p>"],
  ["</br>", "br-end-tag </br>"],
  ["<b><i></b></i>", "end-tag-violates-nesting </b>", "stray-end-tag </i>"],
  ["<div><span></div>", "unclosed-element <span>", "end-tag-with-open-elements </div>"],
  ["<table><tr><td><i></td></table>", "unclosed-element <i>", "end-tag-with-open-elements </td>"],
  ["<svg><g></svg>", "end-tag-with-open-elements </svg>"],
  ["</body>x", "text-after-body x"],
  ["</body><p>", "start-tag-after-body <p>"],
  ["</body></html></p>", "end-tag-after-body </p>", "stray-end-tag </p>"],
  ["<p></body></html>"],
  // The end of the file.
  ["<div>", "unclosed-element <div>", "end-of-file-with-open-elements >"],
  ["<script>x", "unclosed-element <script>", "end-of-file-in-text x"],
  // Tags and characters.
  ["<p a a>", "duplicate-attribute a"],
  ["<p a=>", "missing-attribute-value >"],
  ["<p a='b'c>", "missing-whitespace-between-attributes c"],
  ["<p a=b=c>", "unexpected-character-in-unquoted-attribute-value ="],
  ["<p a<b>", "unexpected-character-in-attribute-name <"],
  ["<p =a>", "unexpected-equals-sign-before-attribute-name ="],
  ["<p / a>", "unexpected-solidus-in-tag  "],
  ["<p></p a>", "end-tag-with-attributes >"],
  ["<1", "invalid-first-character-of-tag-name 1"],
  ["</>", "missing-end-tag-name >"],
  ["<p", "eof-in-tag p"],
  ["<", "eof-before-tag-name <"],
  ["<!x>", "incorrectly-opened-comment x"],
  ["<!-->", "abrupt-closing-of-empty-comment >"],
  ["<!-- --!>", "incorrectly-closed-comment >"],
  ["<!-- <!-- -->", "hyphens-in-comment <!-- <!-- ", "nested-comment  "],
  ["<!-- a -- b -- c -->", "hyphens-in-comment <!-- a -- "],
  ["<!---> a -->", "abrupt-closing-of-empty-comment >"],
  ["<!----><!-- - -->"],
  ["a\fb", "form-feed \f"],
  ["<!--", "eof-in-comment -"],
  ["<?xml?>", "disallowed-processing-instruction-target <?xml"],
  ["<?1>", "invalid-first-character-of-processing-instruction-target <?1"],
  ["<?a:b>", "invalid-processing-instruction-target <?a"],
  ["<?a", "eof-in-processing-instruction a"],
  ["<?", "eof-in-processing-instruction ?"],
  ["&amp", "missing-semicolon-after-character-reference &amp"],
  ["&foo;", "unknown-named-character-reference &foo;"],
  ["&#;", "absence-of-digits-in-numeric-character-reference &#;"],
  ["&#0;", "null-character-reference &#0;"],
  ["&#xd800;", "surrogate-character-reference &#xd800;"],
  ["&#x110000;", "character-reference-outside-unicode-range &#x110000;"],
  ["&#xfdd0;", "noncharacter-character-reference &#xfdd0;"],
  ["&#x80;", "control-character-reference &#x80;"],
  ["a\0", "unexpected-null-character \0"],
  ["a\u0001", "control-character-in-input-stream \u0001"],
  ["a\uFDD0", "noncharacter-in-input-stream \uFDD0"],
  ["a\uD800", "surrogate-in-input-stream \uD800"],
  ["a\uE000", "private-use-character \uE000"],
  ["<p>a\u0301</p>", "text-not-normalized a\u0301"],
  ["<p>\u0e31x</p>"],
  ["<p title=\u0301></p>", "attribute-composing-character-first <p title=\u0301>"],
  ["<p title='\u0301'>", "attribute-composing-character-first <p title='\u0301'>"],
  ["<!doctype html>", "stray-doctype <!doctype html>"],
];

/** Whole documents. */
const documents: readonly (readonly [source: string, ...problems: string[]])[] = [
  ["<!DOCTYPE html>"],
  ["\uFEFF<!DOCTYPE html>"],
  ["<p>", "missing-doctype <p>"],
  [
    "<!doctype html system 'about:legacy-compat'>",
    "legacy-compat-doctype <!doctype html system 'about:legacy-compat'>",
  ],
  ["<!doctype html public 'x'>", "obsolete-doctype <!doctype html public 'x'>"],
  ["<!doctype x>", "quirks-mode-doctype <!doctype x>"],
  ["<!doctype html><head></head><link>", "start-tag-after-head <link>"],
  ["<!doctype html><noscript>x</noscript>", "text-in-head-noscript x", "stray-end-tag </noscript>"],
  ["<!doctype html><frameset>x</frameset>", "text-in-frameset x"],
];

describe("The syntax of HTML", () => {
  for (const [source, ...expected] of bodies)
    it(`${expected.length === 0 ? "is right" : expected.join(" and ")} in ${JSON.stringify(source)}`, () => {
      expect(problems(head + source)).to.have.members(expected);
    });
  for (const [source, ...expected] of documents)
    it(`${expected.length === 0 ? "is right" : expected.join(" and ")} in the document ${JSON.stringify(source)}`, () => {
      expect(problems(source)).to.have.members(expected);
    });

  it("names the elements and the standard's section", () => {
    const [stray] = parseDocument({ source: `${head}</div>` }).problems;
    expect(stray).to.include({
      severity: "error",
      message: "The end tag </div> closes nothing: no <div> is open that it could close.",
      section: "https://html.spec.whatwg.org/multipage/parsing.html#parsing-main-inbody",
    });
  });

  it("warns of a deep tree once", () => {
    const deep = `${head}${"<div>".repeat(600)}${"</div>".repeat(600)}`;
    expect(problems(deep)).to.deep.equal(["deep-tree <div>"]);
  });

  it("needs no end tag of the head, even where something in it is not closed", () => {
    expect(problems("<!doctype html><head><title>x</title><noscript>")).to.have.members([
      "unclosed-element <noscript>",
      "end-of-file-with-open-elements >",
    ]);
  });
});
