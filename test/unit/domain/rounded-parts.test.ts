import { expect } from "chai";
import fc from "fast-check";
import { roundedParts } from "../../../src/domain/rounded-parts.ts";

describe("Parts that are rounded", () => {
  it("add up to their sum as it is rounded", () => {
    expect(roundedParts([0.86, 2.69, 0.47], 1)).to.deep.equal([0.8, 2.7, 0.5]);
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 5_000 }), { minLength: 1 }),
        fc.integer({ min: 1, max: 999 }),
        (counts, pages) => {
          const parts = counts.map((count) => count / pages);
          const sum = parts.reduce((total, part) => total + part, 0);
          const rounded = roundedParts(parts, 1);
          expect(rounded.reduce((total, part) => total + part, 0)).to.be.closeTo(Number(sum.toFixed(1)), 1e-6);
          for (const [index, part] of rounded.entries()) expect(part).to.be.closeTo(parts[index] ?? 0, 0.1 + 1e-9);
        },
      ),
    );
  });
});
