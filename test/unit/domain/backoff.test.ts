import { expect } from "chai";
import { backoffDelay } from "../../../src/domain/backoff.ts";

describe("the backoff", () => {
  for (const [failures, random, expected] of [
    [0, 0, 50],
    [0, 1, 100],
    [3, 1, 800],
    [3, 0, 400],
    [50, 1, 30_000],
    [5_000, 0, 15_000],
  ] as const) {
    it(`waits ${expected} ms after ${failures} failures and one more with a random number of ${random}`, () => {
      expect(backoffDelay(failures, random)).to.equal(expected);
    });
  }

  it("starts and ends with the given pauses", () => {
    const backoff = { baseMs: 5, maxMs: 20 };
    expect([0, 1, 2, 3].map((failures) => backoffDelay(failures, 1, backoff))).to.deep.equal([5, 10, 20, 20]);
  });
});
