import { expect } from "chai";
import fc from "fast-check";
import { createReferenceRepair } from "../../../src/crawler/xml-references.ts";

/** The text of chunks, and how many unknown names they had. */
function repaired(...chunks: string[]): [text: string, unknown: number] {
  const repair = createReferenceRepair();
  const text = chunks.map((chunk) => repair.repair(chunk)).join("") + repair.end();
  return [text, repair.unknownNames()];
}

describe("References in a sitemap", () => {
  for (const [what, xml, text, unknown] of [
    ["leaves what XML knows", "&amp; &lt; &gt; &quot; &apos; &#8364; &#x20ac;", undefined, 0],
    ["makes names of HTML numbers", "caf&eacute; &NotEqualTilde;", "caf&#233; &#8770;&#824;", 0],
    ["escapes a bare sign", "?a=1&b=2 & c&", "?a=1&amp;b=2 &amp; c&amp;", 0],
    [
      "escapes names that nobody knows, and counts each once",
      "&nope; &nope; &ampx;",
      "&amp;nope; &amp;nope; &amp;ampx;",
      2,
    ],
    ["leaves CDATA as it is", "<![CDATA[a&b &eacute;]]>&b", "<![CDATA[a&b &eacute;]]>&amp;b", 0],
    [
      "begins a second CDATA after the first",
      "<![CDATA[&a]]>&b<![CDATA[&c]]>",
      "<![CDATA[&a]]>&amp;b<![CDATA[&c]]>",
      0,
    ],
  ] as const)
    it(`repair ${what}`, () => {
      expect(repaired(xml)).to.deep.equal([text ?? xml, unknown]);
    });

  it("are the same wherever the text is cut", () => {
    const parts = fc.constantFrom(
      "&amp;",
      "&eacute;",
      "&",
      "&#233;",
      "<![CDATA[",
      "]]>",
      "a",
      "; ",
      "&b=",
      "é",
      "<loc>",
    );
    fc.assert(
      fc.property(fc.array(parts, { maxLength: 12 }), fc.array(fc.nat(60), { maxLength: 4 }), (texts, cuts) => {
        const xml = texts.join("");
        const at = [0, ...cuts.filter((cut) => cut < xml.length).toSorted((a, b) => a - b), xml.length];
        const chunks = at.slice(1).map((end, index) => xml.slice(at[index], end));
        expect(repaired(...chunks)).to.deep.equal(repaired(xml));
      }),
    );
  });
});
