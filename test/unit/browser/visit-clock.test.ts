import { cpus } from "node:os";
import { expect } from "chai";
import { reachedLimit, startVisitClock, type Usage, usedTime } from "../../../src/browser/visit-clock.ts";

const cores = cpus().length;

describe("The time of a visit", () => {
  /** Ten seconds in which the browser and the machine's cores did so much, as shares of one core. */
  const usedWith = (browser: number | undefined, idleCores: number): number => {
    const before: Usage = { clock: 5_000, browser: browser === undefined ? undefined : 3_000, total: 0, idle: 0 };
    return usedTime(before, {
      clock: 15_000,
      browser: browser === undefined ? undefined : 3_000 + browser * 10_000,
      total: cores * 10_000,
      idle: idleCores * 10_000,
    });
  };

  it("is the clock's on a machine with an idle core, also of a page that only waits", () => {
    expect(usedWith(0, 1)).to.equal(10_000);
    expect(usedWith(1, 1)).to.equal(10_000);
  });

  it("is the browser's CPU time on a machine without an idle core", () => {
    expect(usedWith(0.2, 0)).to.equal(2_000);
  });

  it("is never more than the clock's, however many processes work", () => {
    expect(usedWith(5, 0)).to.equal(10_000);
  });

  it("is the clock's for a browser that runs elsewhere", () => {
    expect(usedWith(undefined, 0)).to.equal(10_000);
  });
});

describe("The limit of a visit", () => {
  const limits: [string, number, number, ReturnType<typeof reachedLimit>][] = [
    ["is not reached before its time is used up", 29_000, 60_000, undefined],
    ["is reached when its time is used up", 30_000, 60_000, { ms: 30_000, isClock: false }],
    [
      "is reached after three times as long by the clock, however busy the machine is",
      10,
      90_000,
      { ms: 90_000, isClock: true },
    ],
  ];
  for (const [name, used, clock, expected] of limits)
    it(name, () => {
      expect(reachedLimit(used, clock, 30_000)).to.deep.equal(expected);
    });
});

describe("The clock of a visit", () => {
  /** Resolves when a clock of this limit is over. */
  const over = (limitMs: number) => {
    const ended = Promise.withResolvers<void>();
    const clock = startVisitClock(0, limitMs, () => ended.resolve());
    return { clock, ended: ended.promise };
  };

  it("stands still during what is not the page's time, and goes on after it", async () => {
    let isOver = false;
    const { clock, ended } = over(100);
    void ended.then(() => {
      isOver = true;
    });
    await clock.untimed(async () => {
      // Also when one wait begins within another.
      await Promise.all([over(500).ended, clock.untimed(() => over(300).ended)]);
      expect(isOver).to.equal(false);
    });
    expect(isOver).to.equal(false);
    await ended;
  });

  it("does not go on once it is stopped", async () => {
    const { clock, ended } = over(50);
    await clock.untimed(async () => clock.stop());
    expect(await Promise.race([ended.then(() => "over"), over(500).ended.then(() => "stopped")])).to.equal("stopped");
  });
});
