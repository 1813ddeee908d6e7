import { expect } from "chai";
import { type DocumentLanguage, parseDocument } from "../../../../src/checker/engines/conformance/parse.ts";
import { type Element, isElement } from "../../../../src/checker/engines/conformance/tree.ts";

const XHTML = "http://www.w3.org/1999/xhtml";

function parse(source: string, contentType = "application/xhtml+xml") {
  return parseDocument({ source, url: "http://localhost/", contentType });
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

  it("expands the entities that a document declares, up to a bound", () => {
    const declare = (entities: string) => `<!DOCTYPE html [${entities}]>`;
    expect(messages("&a;", declare('<!ENTITY a "x&b;"><!ENTITY b "&#38;">'))).to.deep.equal([]);
    expect(messages("&a;", declare('<!ENTITY a "&a;">'))[0]).to.include("expands beyond the limit");
    const names = [..."abcdefghij"];
    const bomb = names.map((name, i) => `<!ENTITY ${name} "${i === 0 ? "x" : `&${names[i - 1]};`.repeat(10)}">`);
    expect(messages("&j;", declare(bomb.join("")))[0]).to.include("expands beyond the limit");
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
});
