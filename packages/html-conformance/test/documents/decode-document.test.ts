import { expect } from "chai";
import { decodeDocument, encodingOfText } from "../../src/documents/decode-document.ts";

describe("a document's text", () => {
  const utf16 = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from("<p>€", "utf16le")]);
  const shiftJis = Buffer.from([...Buffer.from("<meta charset=shift_jis>"), 0x82, 0xa0]);
  const rows: [what: string, body: Buffer, header: string, text: string, encoding: string][] = [
    ["windows-1252 by header", Buffer.from([0x80]), "text/html; charset=iso-8859-1", "€", "windows-1252 header"],
    ["windows-1252 by default", Buffer.from([0x80]), "text/html", "€", "windows-1252 default"],
    ["UTF-8 by header, quoted", Buffer.from("€"), 'text/html; charset="UTF-8"', "€", "utf-8 header"],
    ["UTF-8 by byte order mark", Buffer.from("\uFEFF€"), "text/html", "€", "utf-8 bom"],
    ["UTF-8 by meta", Buffer.from("<meta charset=utf-8>€"), "text/html", "<meta charset=utf-8>€", "utf-8 meta"],
    ["UTF-16 by byte order mark, against the header", utf16, "text/html; charset=utf-8", "<p>€", "utf-16le bom"],
    ["Shift_JIS by meta", shiftJis, "text/html", "<meta charset=shift_jis>あ", "shift_jis meta"],
    [
      "what the header says, against the meta",
      Buffer.from("<meta charset=shift_jis>ä"),
      "text/html; charset=utf-8",
      "<meta charset=shift_jis>ä",
      "utf-8 header",
    ],
    ["without its unknown label", Buffer.from([0x80]), "text/html; charset=nonsense", "€", "windows-1252 default"],
  ];
  for (const [what, body, header, text, encoding] of rows)
    it(`is read as ${what}`, () => {
      const found = decodeDocument(body, header, "html");
      expect(found.source).to.equal(text);
      expect(`${found.encoding.name} ${found.encoding.from}`).to.equal(encoding);
    });

  it("is UTF-8 for XML and plain text without a declaration", () => {
    for (const [body, header, kind] of [
      ["ä", "text/plain", "text"],
      ["<x>ä", "application/xml", "xml"],
    ] as const)
      expect(decodeDocument(Buffer.from(body), header, kind)).to.deep.equal({
        source: body,
        contentType: header,
        encoding: { name: "utf-8", from: "default" },
      });
    const declared = Buffer.from([...Buffer.from('<?xml version="1.0" encoding="iso-8859-1"?><x>'), 0xe4]);
    expect(decodeDocument(declared, "application/xml", "xml").encoding).to.include({ from: "meta" });
  });

  it("counts what is not valid in its encoding, and not the U+FFFD that are written in it", () => {
    const bytes = Buffer.concat([Buffer.from([0x61, 0xff]), Buffer.from("\uFFFD"), Buffer.from([0xc3, 0x28])]);
    const { source, encoding } = decodeDocument(bytes, "text/html; charset=utf-8", "html");
    expect(source).to.equal("a\uFFFD\uFFFD\uFFFD(");
    expect(encoding).to.deep.equal({ name: "utf-8", from: "header", malformed: 2 });
  });

  it("that a browser decoded has its encoding from the header, from its own declaration, or by default", () => {
    const from = (source: string, header: string) => encodingOfText(source, header, "UTF-8");
    expect(from("<p>", "text/html; charset=utf-8")).to.deep.equal({ name: "utf-8", from: "header" });
    expect(from("<meta charset=utf-8>", "text/html")).to.deep.equal({ name: "utf-8", from: "meta" });
    expect(from("<p>", "text/html")).to.deep.equal({ name: "utf-8", from: "bom" });
    expect(encodingOfText("<p>", "text/html", "windows-1252")).to.deep.equal({ name: "windows-1252", from: "default" });
  });
});
