import { cpus } from "node:os";
import { expect } from "chai";
import { timedOut } from "../../../src/browser/load.ts";
import { startVisitClock, type Usage, usedTime } from "../../../src/browser/visit-clock.ts";

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

describe("The limits of a visit", () => {
  /** A browser that gets this share of one core, and a machine with so many idle cores. @returns when what ended it */
  const endOf = (limitMs: number, { browser, idleCores }: { browser: number; idleCores: number }) => {
    let now = 0;
    const ends: { at: number; over: string }[] = [];
    const due: { at: number; run: () => void }[] = [];
    const clock = startVisitClock(1, limitMs, (over) => ends.push({ at: now, over }), {
      now: () => now,
      usage: () => ({ clock: now, browser: browser * now, total: cores * now, idle: idleCores * now }),
      setTimeout: (run, ms) => {
        due.push({ at: now + ms, run });
        return undefined as unknown as NodeJS.Timeout;
      },
    });
    for (let next = due.shift(); next; next = due.shift()) {
      now = next.at;
      next.run();
    }
    clock.stop();
    return ends;
  };

  it("are one by the clock on a machine with an idle core", () => {
    expect(endOf(30_000, { browser: 0, idleCores: 1 })).to.deep.equal([{ at: 30_000, over: "work" }]);
  });

  it("are one of work on a busy machine: a page gets its time, even if that takes longer", () => {
    const [end] = endOf(30_000, { browser: 0.5, idleCores: 0 });
    expect(end).to.deep.include({ over: "work" });
    expect(end?.at).to.be.within(60_000, 61_000);
  });

  it("are three times as much by the clock on a busy machine, however little the browser works", () => {
    for (const browser of [0, 0.1, 0.3]) {
      const [end, ...others] = endOf(30_000, { browser, idleCores: 0 });
      expect(end).to.deep.equal({ at: 90_000, over: "clock" });
      expect(others).to.deep.equal([]);
    }
  });

  it("are not used up while this process is suspended", () => {
    let now = 0;
    const steps: { at: number; run: () => void }[] = [];
    const ends: number[] = [];
    const clock = startVisitClock(0, 30_000, () => ends.push(now), {
      now: () => now,
      usage: () => ({ clock: now, browser: undefined, total: 0, idle: 0 }),
      setTimeout: (run, ms) => {
        steps.push({ at: now + ms, run });
        return undefined as unknown as NodeJS.Timeout;
      },
    });
    for (let next = steps.shift(); next; next = steps.shift()) {
      // For 40 s after the fifth second.
      now = next.at === 5_000 ? 45_000 : next.at;
      next.run();
    }
    clock.stop();
    expect(ends).to.deep.equal([70_000]);
  });

  it("say which of them has ended it", () => {
    const failure = (over: "work" | "clock") =>
      timedOut(undefined, "https://example.com/", () => true, 30_000, over).message;
    expect(failure("work")).to.equal("https://example.com/ did not respond within 30 s.");
    expect(failure("clock")).to.equal(
      "https://example.com/ did not respond within 90 s by the clock (this machine was too busy to give it 30 s of work).",
    );
  });

  it("blame the browser for what its server was not asked, or has answered", () => {
    const failure = (requested: string) => {
      const watch = { received: () => "nothing" as const, requestedUrl: () => requested };
      const isAwaiting = (url: string) => url === "https://example.com/moved";
      return timedOut(watch, "https://example.com/", isAwaiting, 30_000, "work");
    };
    expect(failure("https://example.com/moved").waitedFor).to.equal("server");
    for (const requested of ["", "https://example.com/"]) expect(failure(requested).waitedFor).to.equal("browser");
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

  it("says how much time is used, without what is not the page's", async () => {
    let clock = 0;
    const usage = () => ({ clock, browser: undefined, total: 0, idle: 0 });
    const visit = startVisitClock(0, 60_000, () => {}, { now: () => clock, usage, setTimeout });
    clock = 50;
    expect(visit.usedMs()).to.equal(50);
    await visit.untimed(async () => {
      clock = 350;
      expect(visit.usedMs()).to.equal(50);
    });
    clock = 360;
    expect(visit.usedMs()).to.equal(60);
    visit.stop();
  });

  it("does not look at the processes of the browser again within 50 ms", () => {
    let clock = 0;
    let looks = 0;
    const usage = () => {
      looks += 1;
      return { clock, browser: clock / 10, total: cores * clock, idle: 0 };
    };
    const visit = startVisitClock(1, 60_000, () => {}, { now: () => clock, usage, setTimeout });
    const used: number[] = [];
    for (clock = 10; clock <= 100; clock += 10) used.push(visit.usedMs());
    visit.stop();
    expect(looks).to.equal(3);
    // What is not looked at counts by the clock, and only until the next look.
    expect(used).to.deep.equal([10, 20, 30, 40, 5, 15, 25, 35, 45, 10]);
  });

  it("does not go on once it is stopped", async () => {
    const { clock, ended } = over(50);
    await clock.untimed(async () => clock.stop());
    expect(await Promise.race([ended.then(() => "over"), over(500).ended.then(() => "stopped")])).to.equal("stopped");
  });
});
