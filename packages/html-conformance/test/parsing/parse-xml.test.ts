import { expect } from "chai";
import { type DocumentLanguage, parseDocument } from "../../src/parse.ts";
import { type Element, isElement, type Node } from "../../src/tree.ts";

const XHTML = "http://www.w3.org/1999/xhtml";

function parse(source: string, contentType = "application/xhtml+xml") {
  return parseDocument({ source, contentType });
}

/** The messages of a document whose body is given, behind a doctype. */
function messages(body: string, doctype = ""): string[] {
  const source = `${doctype}<html xmlns="${XHTML}"><body>${body}</body></html>`;
  return parse(source).problems.map(({ message }) => message.replace(" Nothing after this is checked.", ""));
}

const notWellFormed: readonly (readonly [body: string, message: string])[] = [
  ["<p>", "</body> was found where </p> should be"],
  ["a & b", 'a "&" does not begin a reference; to show one, write "&amp;"'],
  ["&nbsp;", 'the entity "nbsp" is not declared'],
  ["<p a='1' a='2'/>", "duplicate attribute: a"],
  ["<p a=1/>", "unquoted attribute value"],
  ["<a:p/>", 'the prefix "a" of the element is not declared'],
  ["<p a:b='x'/>", 'the prefix "a" of an attribute is not declared'],
  ["\u0001", "disallowed character"],
  ["<!-- -- -->", "malformed comment"],
  ["<p :a='x'/>", "a name begins with a colon, before which a prefix must be"],
  [
    "<p xmlns:xml='http://a.com'/>",
    'the prefix "xml" and the namespace http://www.w3.org/XML/1998/namespace belong together',
  ],
  [
    "<p xmlns:a='http://www.w3.org/2000/xmlns/'/>",
    'the prefix "xmlns" and the namespace http://www.w3.org/2000/xmlns/ belong together',
  ],
];

const languages: readonly (readonly [contentType: string, root: string, language: DocumentLanguage])[] = [
  ["application/xhtml+xml; charset=utf-8", `<html xmlns="${XHTML}"/>`, "xhtml"],
  ["application/xml", `<html xmlns="${XHTML}"/>`, "xhtml"],
  ["text/xml", '<svg xmlns="http://www.w3.org/2000/svg"/>', "svg"],
  ["image/svg+xml", '<x:svg xmlns:x="http://www.w3.org/2000/svg"/>', "svg"],
  ["application/xml", "<html/>", "unknown"],
  ["text/html", "<svg/>", "html"],
  ["", "<p>", "html"],
];

describe("The syntax of XML", () => {
  it("is right where the document is well-formed", () => {
    expect(messages("<p>a&amp;<![CDATA[&]]></p><?marker?><!-- c -->")).to.deep.equal([]);
  });

  for (const [body, message] of notWellFormed)
    it(`is wrong in ${JSON.stringify(body)}, once: ${message}`, () => {
      expect(messages(body)).to.deep.equal([`The XML is not well-formed: ${message}.`]);
    });

  for (const [contentType, source, language] of languages)
    it(`is of language ${language} for ${source} sent as "${contentType}"`, () => {
      expect(parse(source, contentType).language).to.equal(language);
    });

  it("names the elements whose end it did not come to", () => {
    const source = `<html xmlns="${XHTML}"><p/><div><ul><li></li></b></div></html>`;
    expect([...parse(source).unended].map(({ tagName }) => tagName)).to.have.members(["html", "div", "ul"]);
  });

  for (const [source, found] of [
    [" \n x <html/>", "x"],
    [`<html xmlns="${XHTML}"\n<head>`, "\n"],
    [`<html xmlns="${XHTML}"><!>\n<p/></html>`, ">"],
  ] as const)
    it(`is wrong where the wrong character of ${JSON.stringify(source)} is`, () => {
      expect(parse(source).problems.map(({ start, end }) => source.slice(start, end))).to.deep.equal([found]);
    });

  it("allows HTML's character references behind an XHTML doctype only", () => {
    const doctype = '<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" "x">';
    expect(messages("&nbsp;&alpha;", doctype)).to.deep.equal([]);
    expect(messages("&foo;", doctype)).to.have.length(1);
  });

  it("warns of control characters that XML allows, as they are and as references", () => {
    const found = parse(`<html xmlns="${XHTML}"><body title="\u0080">&#x85; &#128;</body></html>`).problems;
    expect(found.map(({ severity, message }) => `${severity}: ${message.slice(0, 28)}`)).to.deep.equal([
      "warning: The control character U+0080",
      "warning: The control character U+0085",
      "warning: The control character U+0080",
    ]);
  });

  it("expands the entities that a document declares, up to a bound", () => {
    const declare = (entities: string) => `<!DOCTYPE html [${entities}]>`;
    expect(messages("&a;", declare('<!ENTITY a "x&b;"><!ENTITY b "&#38;">'))).to.deep.equal([]);
    expect(messages("&a;", declare('<!ENTITY a "&a;">'))[0]).to.include("expands beyond the limit");
    const names = [..."abcdefghij"];
    const bomb = names.map((name, i) => `<!ENTITY ${name} "${i === 0 ? "x" : `&${names[i - 1]};`.repeat(10)}">`);
    expect(messages("&j;", declare(bomb.join("")))[0]).to.include("expands beyond the limit");
  });

  it("takes the markup of entities into the tree, at the place of the reference", () => {
    const doctype = `<!DOCTYPE html [<!ENTITY a "<b id='x'>&#60;i>&b;</i></b>"><!ENTITY b "&lt;<br/>c">]>`;
    const source = `${doctype}<html xmlns="${XHTML}"><body>\n<p>&a;</p></body></html>`;
    const { document, problems } = parse(source);
    expect(problems).to.deep.equal([]);
    const names = (node: { childNodes: readonly Node[] }): string =>
      node.childNodes
        .map((child) =>
          isElement(child) ? `${child.tagName}(${names(child)})` : "value" in child ? child.value.trim() : "",
        )
        .join("");
    expect(names(document)).to.equal("html(body(p(b(i(<br()c)))))");
    const html = document.childNodes.find(isElement) as Element;
    const paragraph = html.childNodes.filter(isElement)[0]?.childNodes.find(isElement) as Element;
    const { startOffset = 0, endOffset } = paragraph.childNodes[0]?.sourceCodeLocation ?? {};
    expect(source.slice(startOffset, endOffset)).to.equal("&a;");
  });

  for (const [what, entities, body, message] of [
    ["an entity that does not close its elements", '<!ENTITY a "<b>x">', "&a;", 'in the entity "a", unclosed tag: b'],
    [
      "an entity with one that is not declared",
      '<!ENTITY a "&nope;">',
      "&a;",
      'in the entity "a", the entity "nope" is not declared',
    ],
    ["an entity that closes others", '<!ENTITY a "x</p>">', "<p>&a;", 'in the entity "a", unmatched closing tag: p'],
    [
      "markup in an attribute",
      '<!ENTITY a "<b/>">',
      "<p class='&a;'/>",
      'the entity "a" contains "<", which is not allowed in an attribute',
    ],
  ] as const)
    it(`does not allow ${what}`, () => {
      expect(messages(body, `<!DOCTYPE html [${entities}]>`)).to.deep.equal([
        `The XML is not well-formed: ${message}.`,
      ]);
    });

  it("knows that the text of an entity, or its declaration, may be in another file", () => {
    expect(messages("&a;", '<!DOCTYPE html [<!ENTITY a SYSTEM "a.xml">]>')).to.deep.equal([]);
    expect(messages("&a;", '<!DOCTYPE html [<!ENTITY % b SYSTEM "b.dtd"> %b;]>')).to.deep.equal([
      'The entity "a" is not declared in the document, and its DTD is not read.',
    ]);
  });

  it("bounds markup in entities, too", () => {
    const names = [..."abcdefghij"];
    const nested = names.map((name, i) => `<!ENTITY ${name} "${i === 0 ? "<b/>" : `&${names[i - 1]};`.repeat(10)}">`);
    expect(messages("&j;", `<!DOCTYPE html [${nested.join("")}]>`).join()).to.include("expands beyond the limit");
    expect(messages("&a;", '<!DOCTYPE html [<!ENTITY a "<b>&a;</b>">]>').join()).to.include("expands beyond the limit");
  });

  for (const [declaration, contentType, ...rules] of [
    ["", "application/xml"],
    [" encoding='UTF-8'", "application/xml; charset=utf-8"],
    [" encoding='us-ascii'", "application/xml"],
    [" encoding='iso-8859-1'", "application/xml; charset=utf-8", "parse/xml-encoding-conflict"],
    [" encoding='iso-8859-1'", "application/xml", "parse/xml-encoding-not-utf"],
    [" encoding='bogus'", "application/xml", "parse/unknown-encoding"],
    ["", "application/xml; charset=bogus", "parse/unknown-encoding"],
  ] as const)
    it(`${rules[0] ?? "finds nothing"} for the declaration${declaration || " without encoding"} sent as ${contentType}`, () => {
      const { problems } = parse(`<?xml version="1.0"${declaration}?><html xmlns="${XHTML}"/>`, contentType);
      expect(problems.map(({ rule }) => rule)).to.deep.equal(rules);
    });

  for (const [declaration, ...rules] of [
    ["xmlns:a='http://a.com'"],
    ["xmlns:a=''", "parse/prefix-without-namespace"],
    ["xmlns:a='b'", "parse/relative-namespace"],
  ] as const)
    it(`${rules[0] ?? "finds nothing"} for ${declaration}`, () => {
      const { problems } = parse(`<html xmlns="${XHTML}" ${declaration}/>`);
      expect(problems.map(({ rule }) => rule)).to.deep.equal(rules);
    });

  it("makes the tree of parse5, with namespaces and places", () => {
    const source =
      '<s:svg xmlns:s="http://www.w3.org/2000/svg" xmlns:l="http://www.w3.org/1999/xlink"><s:a l:href="b&amp;c">t</s:a></s:svg>';
    const { document } = parse(source, "image/svg+xml");
    const svg = document.childNodes[0] as Element;
    const link = svg.childNodes.find(isElement) as Element;
    expect(svg).to.include({ tagName: "svg", namespaceURI: "http://www.w3.org/2000/svg" });
    expect(link.attrs).to.deep.equal([
      { name: "href", value: "b&c", namespace: "http://www.w3.org/1999/xlink", prefix: "xlink" },
    ]);
    const { startTag, endTag, attrs } = link.sourceCodeLocation ?? {};
    const text = (at?: { startOffset: number; endOffset: number }) => at && source.slice(at.startOffset, at.endOffset);
    expect([text(startTag), text(endTag), text(attrs?.["l:href"])]).to.deep.equal([
      '<s:a l:href="b&amp;c">',
      "</s:a>",
      'l:href="b&amp;c"',
    ]);
  });

  it("knows the positions of attributes that are named like members of objects", () => {
    const { document } = parse('<p __proto__="a" constructor="b"/>', "application/xml");
    const element = document.childNodes[0] as Element;
    expect(Object.keys(element.sourceCodeLocation?.attrs ?? {})).to.deep.equal(["__proto__", "constructor"]);
  });
});
