import { expect } from "chai";
import fc from "fast-check";
import { answer, fitting, MAX_BYTES, shown, text } from "../../../src/mcp/answer.ts";

const strangers = fc.string({
  unit: fc.constantFrom("`", "\n", '"', "\\", "a", "}", "\u202e", "\u0000", "\u2028", "ä", "😀", "::", "\u{e0041}"),
  maxLength: 400,
});

describe("an answer", () => {
  it("has what strangers wrote on lines of JSON that nothing in them can end", () => {
    fc.assert(
      fc.property(fc.array(strangers, { minLength: 1, maxLength: 40 }), (given) => {
        const entries = fitting(given.map((one) => ({ raw: one.slice(0, 300), shown: text(one) })));
        const lines = answer(["Ours."], entries, ["After."]).split("\n");
        const begin = lines.indexOf("```jsonl");
        const end = lines.lastIndexOf("```");
        expect(lines.filter((line) => line.startsWith("```"))).to.have.length(2);
        const quoted = lines.slice(begin + 1, end).map((line) => JSON.parse(line));
        expect(quoted.map(({ raw }) => raw)).to.deep.equal(entries.map(({ raw }) => raw));
        expect(Buffer.byteLength(lines.join("\n"))).to.be.at.most(MAX_BYTES);
        // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be there
        expect(lines.join("\n")).to.not.match(/[\u0000-\u0009\u000b-\u001f\u202e\u2028]|\udb40/);
      }),
    );
  });

  it("says which entries it has, and how to read on", () => {
    expect(shown(1, 3, 3, "t")).to.deep.equal([]);
    expect(shown(1, 20, 21, "t")).to.deep.equal(["These are 1 to 20 of 21. For more, call t again with from: 21."]);
    expect(shown(21, 1, 21, "t")).to.deep.equal(["These are 21 to 21 of 21."]);
    expect(shown(22, 0, 21, "t")).to.deep.equal(["There are 21; none from 22 on."]);
  });
});
