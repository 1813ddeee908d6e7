import { expect } from "chai";
import { createPace } from "../../../src/domain/scope/pace.ts";

/** Asks a site as often at once as its pace allows. @returns how often at once, after each round */
function rounds(answerMs: (atOnce: number) => number, wanted = 8, count = 12): number[] {
  const pace = createPace();
  pace.note(answerMs(1), 1);
  return Array.from({ length: count }, () => {
    const atOnce = Math.min(wanted, pace.limit());
    for (let answer = 0; answer < 6; answer += 1) pace.note(answerMs(atOnce), atOnce);
    return Math.min(wanted, pace.limit());
  });
}

describe("The pace of requests", () => {
  it("falls while a site answers more slowly the more it is asked", () => {
    const answered = rounds((atOnce) => 400 * atOnce);
    expect(answered.slice(0, 3)).to.deep.equal([8, 4, 2].map((_, index) => answered[index]));
    expect(answered.at(-1)).to.be.at.most(2);
  });

  it("stays where a site is fast, or slow however little it is asked", () => {
    expect(rounds(() => 30)).to.deep.equal(Array(12).fill(8));
    expect(rounds((atOnce) => 20 * atOnce)).to.deep.equal(Array(12).fill(8));
    expect(rounds(() => 3_000)).to.deep.equal(Array(12).fill(8));
  });

  it("comes back where fewer at once have not helped: only the first page was fast", () => {
    const times = [5];
    expect(rounds(() => times.pop() ?? 2_000).slice(-6)).to.deep.equal(Array(6).fill(8));
  });

  it("comes back when the site has recovered", () => {
    const busy = Array(30).fill(500);
    const site = (atOnce: number) => (busy.pop() ?? 0) * atOnce || 40;
    expect(rounds(site, 8, 30).at(-1)).to.equal(8);
  });
});
