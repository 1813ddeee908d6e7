import { expect } from "chai";
import { startStopwatch } from "../../../src/time/stopwatch.ts";

describe("a stopwatch", () => {
  it("does not count what it is told to leave out, also when that fails", async () => {
    const stopwatch = startStopwatch();
    const begun = performance.now();
    const wait = (fails: boolean) =>
      new Promise<void>((resolve, reject) => {
        const until = performance.now() + 30;
        while (performance.now() < until);
        if (fails) reject(new Error("over"));
        else resolve();
      });
    await stopwatch.without(wait)(false);
    await stopwatch
      .without(wait)(true)
      .catch(() => {});
    expect(stopwatch.ms()).to.be.at.most(performance.now() - begun - 59);
  });
});
