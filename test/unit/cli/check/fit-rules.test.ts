import { expect } from "chai";
import fc from "fast-check";
import { fitRules } from "../../../../src/cli/check/output/fit-rules.ts";

const rule = (name: string, components: number, lines = 2) => ({
  head: [name],
  components: Array.from({ length: components }, (_, index) =>
    Array.from({ length: lines }, (_, line) => `${name} ${index + 1}.${line + 1}`),
  ),
});

describe("rules in the room that there is", () => {
  it("are all there if they fit", () => {
    expect(fitRules([rule("a", 2, 1), rule("b", 1, 1)], 7)).to.deep.equal([
      "a",
      "a 1.1",
      "a 2.1",
      "",
      "b",
      "b 1.1",
      "",
    ]);
    expect(fitRules([rule("a", 500)], Number.POSITIVE_INFINITY)).to.have.length(1002);
    expect(fitRules([], 10)).to.deep.equal([]);
  });

  it("have one place each before the first ones have more", () => {
    expect(fitRules([rule("a", 4, 1), rule("b", 4, 1)], 10)).to.deep.equal([
      ...["a", "a 1.1", "a 2.1", "    and 2 more places", ""],
      ...["b", "b 1.1", "    and 3 more places", ""],
      "All places: --verbose",
    ]);
  });

  it("are counted where there is no room for them", () => {
    expect(fitRules([rule("a", 1), rule("b", 1), rule("c", 1)], 8)).to.deep.equal([
      ...["a", "a 1.1", "a 1.2", ""],
      "2 more rules, and all places: --verbose",
    ]);
  });

  it("never take more than the room, and lose no rule without a word", () => {
    const rules = fc.array(
      fc.record({ components: fc.integer({ min: 1, max: 6 }), lines: fc.integer({ min: 1, max: 12 }) }),
      { maxLength: 12 },
    );
    fc.assert(
      fc.property(rules, fc.integer({ min: 1, max: 60 }), (sizes, room) => {
        const subject = sizes.map(({ components, lines }, index) => rule(`r${index}`, components, lines));
        const lines = fitRules(subject, room);
        expect(lines.length).to.be.at.most(room);
        const shown = lines.filter((line) => /^r\d+$/.test(line)).length;
        const missing = /^(\d+) more rule/.exec(lines.at(-1) ?? "")?.[1] ?? "0";
        expect(shown + Number(missing)).to.equal(sizes.length);
      }),
    );
  });
});
