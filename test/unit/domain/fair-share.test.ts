import { expect } from "chai";
import { mayTake } from "../../../src/domain/fair-share.ts";

/** Lets callers take places, one after the other, as many as they may. @returns how many each has */
function fill(callers: number, max: number): number[] {
  const own = Array<number>(callers).fill(0);
  const used = () => own.reduce((sum, one) => sum + one, 0);
  for (let caller = 0; caller < callers; caller++)
    while (mayTake(own[caller] ?? 0, used(), max)) own[caller] = (own[caller] ?? 0) + 1;
  return own;
}

describe("a fair share", () => {
  it("is at most two fifths for one, and less for each the more there are, however greedy the first are", () => {
    expect(fill(1, 10)).to.deep.equal([4]);
    expect(fill(2, 10)).to.deep.equal([4, 2]);
    expect(fill(3, 10)).to.deep.equal([4, 2, 1]);
    expect(fill(1, 20)).to.deep.equal([8]);
  });

  it("leaves three of ten for whoever comes after three greedy ones, and one for each of them", () => {
    expect(fill(6, 10)).to.deep.equal([4, 2, 1, 1, 1, 1]);
    expect(fill(7, 10).at(-1)).to.equal(0);
  });

  it("lets one work in small pools, too", () => {
    expect(fill(1, 1)).to.deep.equal([1]);
    expect(fill(1, 3)).to.deep.equal([2]);
  });
});
