import { expect } from "chai";
import { estimate } from "../../../src/domain/estimate.ts";

const now = new Date("2026-05-05T12:00:00Z");
/** The ends of so many checks, one every so many milliseconds, the last one that long ago. */
const every = (ms: number, count: number, since = 0) =>
  Array.from({ length: count }, (_, index) => new Date(now.getTime() - since - index * ms));

describe("The estimate of how long a report takes", () => {
  it("is what its newest checks took, for those that wait", () => {
    expect(estimate([{ pending: 30, ended: every(1_000, 61) }], now)).to.deep.equal({
      ...{ checksPerMinute: 60, pagesPerMinute: 60, secondsLeft: 30 },
    });
  });

  it("is that of the slower kind, as both are checked side by side", () => {
    const html = { pending: 100, ended: every(100, 101) };
    const a11y = { pending: 40, ended: every(2_000, 31) };
    expect(estimate([html, a11y], now)).to.deep.equal({ checksPerMinute: 630, pagesPerMinute: 30, secondsLeft: 80 });
  });

  it("leaves a kind out of the time left when all of it is checked", () => {
    const html = { pending: 0, ended: every(1_000, 61, 20 * 60_000) };
    const a11y = { pending: 10, ended: every(1_000, 61) };
    expect(estimate([html, a11y], now)).to.deep.equal({ checksPerMinute: 60, pagesPerMinute: 60, secondsLeft: 10 });
  });

  it("is longer when nothing has ended for a while", () => {
    expect(estimate([{ pending: 30, ended: every(1_000, 61, 60_000) }], now)?.secondsLeft).to.equal(60);
  });

  it("is given of a fast report, of whose checks the newest alone are known", () => {
    expect(estimate([{ pending: 6_000, ended: every(5, 301) }], now)).to.deep.equal({
      ...{ checksPerMinute: 12_000, pagesPerMinute: 12_000, secondsLeft: 30 },
    });
  });

  for (const [why, pending, ended] of [
    ["before enough checks have ended", 30, every(1_000, 9)],
    ["when they ended within a moment", 30, every(10, 50)],
    ["when many were stored at once", 30, every(1, 100)],
    ["when they ended long ago, and a page is checked again", 1, every(1_000, 100, 8 * 86_400_000)],
    ["when their times are yet to come, by another clock", 30, every(1_000, 60, -120_000)],
    ["when nothing is left", 0, every(1_000, 61)],
  ] as const)
    it(`is not given ${why}`, () => {
      expect(estimate([{ pending, ended }], now)).to.equal(undefined);
    });

  it("is not given while one of two kinds has too few", () => {
    const kinds = [
      { pending: 30, ended: every(1_000, 61) },
      { pending: 30, ended: [] },
    ];
    expect(estimate(kinds, now)).to.equal(undefined);
  });
});
