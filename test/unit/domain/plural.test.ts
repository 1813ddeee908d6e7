import { expect } from "chai";
import { number, plural } from "../../../src/domain/plural.ts";

describe("a number in a text for people", () => {
  for (const [value, text] of [
    [0, "0"],
    [999, "999"],
    [1_000, "1,000"],
    [1_234_567, "1,234,567"],
  ] as const)
    it(`is written ${text}`, () => expect(number(value)).to.equal(text));

  it("has its noun in the plural, except for one", () => {
    expect([0, 1, 2, 1_001].map((value) => plural(value, "page"))).to.deep.equal([
      "0 pages",
      "1 page",
      "2 pages",
      "1,001 pages",
    ]);
  });
});
