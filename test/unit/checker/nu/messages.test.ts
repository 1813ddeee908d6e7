import { expect } from "chai";
import { readResponse } from "../../../../src/checker/engines/nu/messages.ts";

const read = (messages: unknown, contentType = "text/html") =>
  readResponse({ status: 200, text: JSON.stringify({ messages }), isCut: false }, contentType);
const found = (result: ReturnType<typeof readResponse>) => ("messages" in result ? result.messages : []);

describe("a response of Nu's", () => {
  it("becomes messages with a rule, at Nu's places", () => {
    const place = {
      lastLine: 3,
      firstLine: 2,
      lastColumn: 9,
      firstColumn: 4,
      extract: "a<p>b",
      hiliteStart: 1,
      hiliteLength: 3,
    };
    expect(read([{ type: "error", ...place, message: "Stray end tag “p”." }])).to.deep.equal({
      messages: [{ type: "error", ...place, message: "Stray end tag “p”.", rule: "stray-end-tag", section: "" }],
    });
  });

  it("keeps errors and warnings, and leaves notes out", () => {
    const messages = [
      { type: "error", message: "a a" },
      { type: "error", subType: "fatal", message: "b b" },
      { type: "info", subType: "warning", message: "c c" },
      { type: "info", message: "Using the preset" },
    ];
    expect(found(read(messages)).map(({ type, subType, message }) => [type, subType, message])).to.deep.equal([
      ["error", undefined, "a a"],
      ["error", undefined, "b b"],
      ["info", "warning", "c c"],
    ]);
  });

  it("places a message about the whole document at its start", () => {
    expect(found(read([{ type: "error", message: "Empty document, with no root element." }]))[0]).to.include({
      lastLine: 1,
      lastColumn: 1,
      extract: "",
      hiliteStart: 0,
      hiliteLength: 0,
    });
  });

  it("can be stored, whatever the page has", () => {
    const [message] = found(
      read([
        { type: "error", message: "a\0\ud800", extract: "\0\udfff", hiliteStart: -1, hiliteLength: 99, lastLine: -1 },
      ]),
    );
    expect(message).to.include({
      message: "a\ufffd\ufffd",
      extract: "\ufffd\ufffd",
      hiliteStart: 0,
      hiliteLength: 2,
      lastLine: 1,
    });
  });

  it("is bounded in each message", () => {
    const [message] = found(read([{ type: "error", message: "x".repeat(9_000), extract: "y".repeat(9_000) }]));
    expect(message?.message).to.have.length(500);
    expect(message?.extract).to.have.length(1_000);
  });

  it("says nothing of the encoding that the text was given to Nu in, unless the page itself was UTF-8", () => {
    const message =
      "Internal encoding declaration “iso-8859-1” disagrees with the actual encoding of the document (“utf-8”).";
    expect(found(read([{ type: "error", message }]))).to.have.length(0);
    expect(found(read([{ type: "error", message }], "text/html; charset=windows-1251"))).to.have.length(0);
    expect(found(read([{ type: "error", message }], 'text/html; charset="UTF-8"'))).to.have.length(1);
  });

  it("says that there are more findings, as a warning, where Nu gave up", () => {
    const result = found(
      read([
        { type: "info", subType: "warning", message: "a a", lastLine: 7 },
        { type: "error", subType: "fatal", message: "Too many messages." },
      ]),
    );
    expect(result).to.have.length(2);
    expect(result[1]).to.include({ type: "info", subType: "warning", rule: "too-many-findings", lastLine: 7 });
  });

  it("keeps the whole messages of a text that was cut off", () => {
    const one = { type: "error", lastLine: 1, message: 'a "},{" b' };
    const text = JSON.stringify({ version: "1", messages: [one, one, one] });
    for (let length = text.length - 1; length > text.indexOf('},{"type"') + 9; length--) {
      const messages = found(readResponse({ status: 200, text: text.slice(0, length), isCut: true }, ""));
      expect(messages.at(-1)?.rule, String(length)).to.equal("too-many-findings");
      expect(messages.slice(0, -1).every(({ message }) => message === one.message)).to.equal(true);
    }
  });

  for (const [what, response, said] of [
    [
      "a document that Nu refuses",
      { messages: [{ type: "non-document-error", subType: "io", message: "Non-XML" }] },
      "did not check it: Non-XML",
    ],
    [
      "an error of Nu's own",
      { messages: [{ type: "non-document-error", subType: "internal", message: "Oops" }] },
      "by an error of its own",
    ],
    ["something else", { messages: "x" }, "no list of messages"],
    ["nothing", null, "no list of messages"],
  ] as const)
    it(`fails the page for ${what}`, () => {
      const result = readResponse({ status: 200, text: JSON.stringify(response), isCut: false }, "");
      expect(result).to.have.property("engineError").that.contains(said);
    });

  for (const [text, status, isCut] of [
    ["<html>", 200, false],
    ["", 200, false],
    ["", 500, false],
    ['{"messages":[{"type":"error","message":"x', 200, true],
    ['{"messages":[null,1,"x"]}', 503, false],
  ] as const)
    it(`fails the page for ${status} ${JSON.stringify(text)}`, () => {
      expect(readResponse({ status, text, isCut }, "")).to.have.property("engineError");
    });
});
