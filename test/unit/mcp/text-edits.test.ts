import { expect } from "chai";
import fc from "fast-check";
import { applied, withoutOverlaps } from "html-conformance/edits";
import { editsOf, textEdits } from "../../../src/mcp/text-edits.ts";

const texts = fc.string({ unit: fc.constantFrom("a", "<", '"', "\n", "\r", "\r\n", "ä", "😀"), maxLength: 40 });

describe("edits by line and column", () => {
  it("make of any source what the same edits by offsets make of it", () => {
    const scene = texts.chain((source) =>
      fc.record({
        source: fc.constant(source),
        edits: fc.array(
          fc
            .tuple(fc.nat(source.length), fc.nat(source.length), texts)
            .map(([one, other, text]) => ({ start: Math.min(one, other), end: Math.max(one, other), text })),
          { maxLength: 4 },
        ),
      }),
    );
    fc.assert(
      fc.property(scene, ({ source, edits }) => {
        const own = withoutOverlaps(edits);
        const back = editsOf(source, textEdits(source, own));
        expect(applied(source, back).source).to.equal(applied(source, own).source);
      }),
    );
  });

  it("are refused where something else stands, beyond the end, and where they overlap", () => {
    const edit = (line: number, column: number, old: string) => ({ line, column, old, new: "" });
    expect(() => editsOf("ab\ncd", [edit(2, 1, "ab")])).to.throw(
      'The edit at 2:1 replaces "ab", and "cd" stands there',
    );
    for (const [line, column, why] of [
      [3, 1, "there are 2 lines"],
      [2, 9, "the line ends before that"],
      [1, 4, "the line ends before that"],
      [1, 5, "the line ends before that"],
    ] as const)
      expect(() => editsOf("ab\ncd", [edit(line, column, "")]), `${line}:${column}`).to.throw(
        `The edit at ${line}:${column} replaces "", and ${why}`,
      );
    expect(editsOf("ab\ncd", [edit(1, 3, "\n"), edit(2, 3, "")]).map(({ start }) => start)).to.deep.equal([2, 5]);
    expect(() => editsOf("ab\ncd", [edit(1, 1, "ab"), edit(1, 2, "b")])).to.throw("overlaps with another one");
  });
});
