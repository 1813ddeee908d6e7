import { expect } from "chai";
import { checkAssertions } from "../../src/assertions/index.ts";
import { parseDocument } from "../../src/parse.ts";
import { type AssertionRow, tryRows } from "../support/assertion-rows.ts";

const SVG = "http://www.w3.org/2000/svg";
const XHTML = "http://www.w3.org/1999/xhtml";

const rows: readonly AssertionRow[] = [
  ["a document without a language", "<!doctype html><html><title>x</title>", "missing-lang?"],
  ["a document that says that its language is unknown", "<!doctype html><html lang><title>x</title>"],
  [
    "xml:lang in place of lang",
    "<!doctype html><html xml:lang=en><title>x</title>",
    "global/xml:lang",
    "missing-lang?",
  ],
  ["the namespaces that elements have", `<p xmlns="${XHTML}">x</p><svg xmlns="${SVG}"></svg>`],
  ["another namespace on HTML", "<p xmlns=foo>x</p>", "bad-value/xmlns"],
  ["a namespace with spaces", `<p xmlns=" ${XHTML} ">x</p>`, "bad-value/xmlns"],
  [
    "another namespace on SVG and MathML",
    "<svg xmlns=a></svg><math xmlns=b></math>",
    "bad-value/xmlns",
    "bad-value/xmlns",
  ],
  ["a prefix of XLink for something else", "<svg xmlns:xlink=foo></svg>", "bad-value/xmlns:xlink"],
  ["a prefix on HTML", "<p xmlns:a=b>x</p>"],
];

/** The rules of the assertions that XHTML does not meet. */
function rulesOf(attributes: string): string[] {
  const source = `<html xmlns="${XHTML}" ${attributes}><head><title>x</title></head><body/></html>`;
  const rules: string[] = [];
  checkAssertions(parseDocument({ source, contentType: "application/xhtml+xml" }).document, { url: "" }, ({ rule }) =>
    rules.push(rule),
  );
  return rules;
}

describe("languages that are not known", () => {
  it("are named once, with a warning", () => {
    const rdf = '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"/>';
    const inkscape = 'xmlns:i="http://www.inkscape.org/namespaces/inkscape"';
    const source = `<svg xmlns="${SVG}" ${inkscape}><metadata>${rdf}</metadata><g i:label="a"/><g i:label="b"/>${rdf}</svg>`;
    const found: string[] = [];
    checkAssertions(parseDocument({ source, contentType: "image/svg+xml" }).document, { url: "" }, (finding) =>
      found.push(`${finding.severity} ${finding.rule}`),
    );
    expect(found).to.deep.equal(["warning not-checked/rdf", "warning not-checked/inkscape"]);
  });
});

describe("languages and namespaces", () => {
  tryRows(rows);

  for (const [attributes, ...rules] of [
    ["", "missing-lang"],
    ["lang='en'"],
    ["xml:lang='en'"],
    ["lang='en' xml:lang='EN'"],
    ["lang='en' xml:lang='de'", "global/xml:lang"],
  ] as const)
    it(`${rules[0] ? `finds ${rules[0]}` : "finds nothing"} in XHTML with ${attributes || "no language"}`, () => {
      expect(rulesOf(attributes)).to.deep.equal(rules);
    });
});
