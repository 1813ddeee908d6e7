import { expect, use } from "chai";
import { check, createChecker, isNote, type PackedGrammar, type Preset } from "html-conformance";
import { assertConformingHtml } from "html-conformance/assert";
import { conformingHtml } from "html-conformance/chai";
import { ownGrammars, writeGrammars } from "../../scripts/own-grammars.ts";

use(conformingHtml);

const VALID = '<!DOCTYPE html><html lang="en"><title>Bakery</title><p>Bread';
const INVALID = '<!DOCTYPE html>\n<html lang="en"><title>Bakery</title>\n<p foo=1>Bread<center>Rolls</center>';
const XHTML =
  '<html xmlns="http://www.w3.org/1999/xhtml" lang="en"><head><title>x</title></head><body><p>x</p></body></html>';
const rules = (source: string, options?: Parameters<typeof check>[1]) => check(source, options).map(({ rule }) => rule);

describe("html-conformance", () => {
  let grammars: Record<Preset, PackedGrammar>;
  before(async () => {
    await writeGrammars();
    grammars = await ownGrammars();
  });

  it("says what is wrong, what is allowed, where, by which rule, and where the standard says so", () => {
    const source =
      '<!DOCTYPE html>\n<html lang="en"><title>Bakery</title>\n<form><button type="buton">Order</button></form>';
    expect(check(source)).to.deep.equal([
      {
        type: "error",
        lastLine: 3,
        firstColumn: 7,
        lastColumn: 27,
        message: 'The value "buton" of the attribute "type" on <button> is not valid. Did you mean "button"?',
        extract: 'le>\n<form><button type="buton">Order<',
        hiliteStart: 10,
        hiliteLength: 21,
        meant: "button",
        rule: "bad-value/type",
        section: "https://html.spec.whatwg.org/multipage/form-elements.html#attr-button-type",
      },
    ]);
  });

  it("finds nothing in valid documents, and tells errors from warnings and notes", () => {
    expect(check(VALID)).to.deep.equal([]);
    const found = check("<!DOCTYPE html><title>x</title><br/>");
    expect(found.map(({ type, subType }) => [type, subType])).to.deep.equal([
      ["info", "warning"],
      ["info", undefined],
    ]);
    expect(found.map(isNote)).to.deep.equal([false, true]);
  });

  it("says once that an attribute is not allowed, and by the rule that says why", () => {
    const inputs = [
      ["<input type=hidden required>", "input/required"],
      ["<input type=hidden aria-required=true>", "aria-conflict/aria-required"],
      ["<input type=hidden colour=red>", "attribute-not-allowed/colour"],
    ];
    for (const [input, rule] of inputs) expect(rules(VALID + input)).to.deep.equal([rule]);
  });

  it("reads XHTML and SVG by their content types", () => {
    const svg = '<svg xmlns="http://www.w3.org/2000/svg"><circle r="1"/></svg>';
    expect(rules(XHTML, { contentType: "application/xhtml+xml" })).to.deep.equal([]);
    expect(rules(XHTML.replace("</p>", ""), { contentType: "application/xhtml+xml" })).to.include(
      "parse/not-well-formed",
    );
    expect(rules(svg, { contentType: "image/svg+xml" })).to.deep.equal([]);
    expect(rules(svg.replace("circle", "cirkle"), { contentType: "image/svg+xml" })).to.include("unknown-element");
    expect(rules(XHTML)).to.include("parse/missing-doctype");
  });

  it("speaks of the encoding where it is told how the bytes were decoded", () => {
    expect(rules(VALID, { encoding: { name: "utf-8", from: "default" } })).to.deep.equal(["parse/undeclared-encoding"]);
    expect(rules(VALID, { encoding: { name: "windows-1252", from: "header" } })).to.deep.equal([
      "parse/encoding-not-utf-8",
    ]);
  });

  it("has checkers that load the grammar of a language once, and documents that do not change each other", () => {
    const asked: Preset[] = [];
    const checker = createChecker((preset) => {
      asked.push(preset);
      return grammars[preset];
    });
    const [first, , last] = [INVALID, VALID, INVALID].map((source) => checker.check(source));
    expect(last).to.deep.equal(first);
    checker.check(XHTML, { contentType: "application/xhtml+xml" });
    expect(asked).to.deep.equal(["html", "xhtml"]);
  });

  it("gives the language and the tree, too", () => {
    const { messages, language, tree } = createChecker().run(INVALID);
    expect(messages).to.deep.equal(check(INVALID));
    expect(language).to.equal("en");
    expect(tree.childNodes.map(({ nodeName }) => nodeName)).to.deep.equal(["#documentType", "html"]);
  });
});

describe("the matchers", () => {
  const errors =
    "the document has 2 errors:\n" +
    '3:1: error: The attribute "foo" is not allowed on <p> here. [attribute-not-allowed/foo]\n' +
    "  | y</title> <p foo=1>Bread<\n" +
    "3:15: error: <center> is obsolete; use CSS instead. [obsolete-element]\n" +
    "  | oo=1>Bread<center>Rolls<";
  before(() => writeGrammars());

  it("pass for a document without errors, even if it has warnings", () => {
    expect(VALID).to.be.conformingHtml();
    expect(VALID.replace(' lang="en"', "")).to.be.conformingHtml();
    assertConformingHtml(VALID);
    assertConformingHtml(XHTML, { contentType: "application/xhtml+xml" });
  });

  it("fail with what is wrong, and where", () => {
    expect(() => expect(INVALID).to.be.conformingHtml()).to.throw(errors);
    expect(() => assertConformingHtml(INVALID))
      .to.throw(errors)
      .with.property("code", "ERR_ASSERTION");
  });

  it("are negated", () => {
    expect(INVALID).not.to.be.conformingHtml();
    expect(() => expect(VALID).not.to.be.conformingHtml()).to.throw("the document has no errors, but should have some");
  });

  it("refuse what is no text", () => {
    expect(() => expect(undefined).to.be.conformingHtml()).to.throw("HTML is a string; this is of the type undefined.");
  });
});
