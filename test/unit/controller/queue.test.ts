import { expect } from "chai";
import { createQueue, type Timer } from "../../../src/controller/queue.ts";

describe("the keyed queue", () => {
  let stop: AbortController;
  let running: Promise<void>;

  function start(options: Partial<Parameters<typeof createQueue>[0]> = {}) {
    stop = new AbortController();
    const queue = createQueue({
      work: async () => undefined,
      onError: () => {},
      concurrency: 4,
      minIntervalMs: 0,
      ...options,
    });
    running = queue.run(stop.signal);
    return queue;
  }
  afterEach(async () => {
    stop.abort();
    await running;
  });

  it("processes a key once that was added several times", async () => {
    const worked: string[] = [];
    const done = Promise.withResolvers<void>();
    const queue = start({
      concurrency: 1,
      work: async (key) => {
        worked.push(key);
        if (key === "last") done.resolve();
        return undefined;
      },
    });
    for (const key of ["first", "a", "a", "b", "a", "last"]) queue.add(key);
    await done.promise;
    expect(worked).to.deep.equal(["first", "a", "b", "last"]);
  });

  it("processes a key only once at a time, and once more if it was added meanwhile", async () => {
    const gate = Promise.withResolvers<void>();
    const second = Promise.withResolvers<void>();
    let active = 0;
    let calls = 0;
    const queue = start({
      work: async () => {
        expect(++active).to.equal(1);
        if (++calls === 1) await gate.promise;
        else second.resolve();
        active--;
        return undefined;
      },
    });
    queue.add("a");
    queue.add("a");
    queue.add("a");
    gate.resolve();
    await second.promise;
    expect(calls).to.equal(2);
  });

  it("processes several keys at once, up to its limit", async () => {
    const gate = Promise.withResolvers<void>();
    const all = Promise.withResolvers<void>();
    let active = 0;
    let most = 0;
    let ended = 0;
    const queue = start({
      concurrency: 2,
      work: async () => {
        most = Math.max(most, ++active);
        await gate.promise;
        active--;
        if (++ended === 5) all.resolve();
        return undefined;
      },
    });
    for (const key of ["a", "b", "c", "d", "e"]) queue.add(key);
    gate.resolve();
    await all.promise;
    expect(most).to.equal(2);
  });

  it("processes a key again if the work asks for it", async () => {
    const done = Promise.withResolvers<void>();
    let calls = 0;
    const queue = start({
      work: async () => {
        if (++calls < 3) return 1;
        done.resolve();
        return undefined;
      },
    });
    queue.add("a");
    await done.promise;
    expect(calls).to.equal(3);
  });

  it("retries a key that failed, and does not delay the others", async () => {
    const failures: number[] = [];
    const done = Promise.withResolvers<void>();
    const worked: string[] = [];
    const queue = start({
      concurrency: 1,
      work: async (key) => {
        worked.push(key);
        if (key === "bad" && failures.length < 2) throw new Error("no");
        if (key === "bad") done.resolve();
        return undefined;
      },
      onError: (_, __, count) => failures.push(count),
    });
    queue.add("bad");
    queue.add("good");
    await done.promise;
    expect(worked).to.deep.equal(["bad", "good", "bad", "bad"]);
    expect(failures).to.deep.equal([1, 2]);
  });

  describe("with a key that fails each time", () => {
    const failing = () => {
      const time = fakeTimer();
      const tries: number[] = [];
      /** What happens while the key is processed. */
      const during = { event: () => {} };
      const queue = start({
        timer: time.timer,
        work: async () => {
          tries.push(time.timer.now());
          await undefined;
          during.event();
          throw new Error("no");
        },
      });
      queue.add("bad");
      const gaps = () => tries.slice(1).map((at, index) => Math.round(at - (tries[index] ?? 0)));
      return { time, queue, tries, during, gaps };
    };
    /** The longest pause after so many earlier failures. Half of it is random. */
    const longest = (failures: number) => Math.min(30_000, 100 * 2 ** failures);

    it("makes ever longer pauses", async () => {
      const { time, tries, gaps } = failing();
      while (tries.length < 14) await time.next();
      for (const [failures, gap] of gaps().entries())
        expect(gap).to.be.within(longest(failures) / 2, longest(failures));
    });

    for (const when of ["between the tries", "during the tries"])
      it(`makes ever longer pauses, up to some seconds, while events add it many times a second: ${when}`, async () => {
        const { time, queue, tries, during, gaps } = failing();
        if (when === "during the tries") during.event = () => queue.add("bad");
        else time.every(200, () => queue.add("bad"));
        while (tries.length < 14) await time.next();
        for (const [failures, gap] of gaps().entries())
          expect(gap).to.be.within(Math.min(5_000, longest(failures) / 2), Math.min(5_000, longest(failures)));
      });

    it("processes it at once again after it has succeeded", async () => {
      const time = fakeTimer();
      const tries: number[] = [];
      const queue = start({
        timer: time.timer,
        work: async () => {
          tries.push(time.timer.now());
          if (tries.length < 10) throw new Error("no");
          return undefined;
        },
      });
      queue.add("bad");
      while (tries.length < 10) await time.next();
      await time.settle();
      queue.add("bad");
      expect(tries[10]).to.equal(tries[9]);
    });
  });

  it("processes a key although the machine's clock was set back", async () => {
    const now = Date.now;
    const again = Promise.withResolvers<void>();
    const worked: string[] = [];
    try {
      const queue = start({
        minIntervalMs: 1,
        work: async (key) => {
          worked.push(key);
          if (worked.length === 2) again.resolve();
          return undefined;
        },
      });
      const HOUR = 3_600_000;
      Date.now = () => now() + HOUR;
      queue.add("a", 1);
      Date.now = now;
      queue.add("b");
      await again.promise;
      expect(worked.sort()).to.deep.equal(["a", "b"]);
    } finally {
      Date.now = now;
    }
  });

  it("asks for the interval between two starts each time, as it depends on what the work costs", async () => {
    const again = Promise.withResolvers<void>();
    let interval = 3_600_000;
    let worked = 0;
    const queue = start({
      minIntervalMs: () => interval,
      work: async () => {
        worked += 1;
        interval = 0;
        if (worked === 2) again.resolve();
        return worked === 1 ? 0 : undefined;
      },
    });
    queue.add("a");
    await again.promise;
    expect(worked).to.equal(2);
  });

  it("processes a key at the earliest of the times that were asked for", async () => {
    const processed: string[] = [];
    const both = Promise.withResolvers<void>();
    const queue = start({
      async work(key) {
        processed.push(key);
        if (processed.length === 2) both.resolve();
        return undefined;
      },
    });
    queue.add("moved forward", 1_000_000);
    queue.add("moved forward", 2);
    queue.add("not put off", 1);
    queue.add("not put off", 1_000_000);
    queue.add("later", 1_000_000);
    await both.promise;
    expect(processed).to.have.members(["not put off", "moved forward"]);
  });

  it("says nothing of a time that passes while it is being set", async () => {
    const warnings: Error[] = [];
    const note = (warning: Error) => void warnings.push(warning);
    process.on("warning", note);
    try {
      const processed = Promise.withResolvers<void>();
      const queue = start({
        async work() {
          processed.resolve();
          return undefined;
        },
      });
      queue.add("in a nanosecond", 1e-6);
      await processed.promise;
      await new Promise(setImmediate);
      expect(warnings.map(String)).to.deep.equal([]);
    } finally {
      process.off("warning", note);
    }
  });

  it("waits for its current work when it stops", async () => {
    const gate = Promise.withResolvers<void>();
    let ended = false;
    const queue = start({
      work: async () => {
        await gate.promise;
        ended = true;
        return undefined;
      },
    });
    queue.add("a");
    stop.abort();
    gate.resolve();
    await running;
    expect(ended).to.equal(true);
  });
});

/** Time that passes only when `next` is called. */
function fakeTimer() {
  let now = 0;
  const calls = new Set<{ at: number; call: () => void }>();
  const timer: Timer = {
    now: () => now,
    callAfter(milliseconds, call) {
      const entry = { at: now + milliseconds, call };
      calls.add(entry);
      return () => calls.delete(entry);
    },
  };
  /** Lets everything happen that does not wait for the timer. */
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  return {
    timer,
    settle,
    every(milliseconds: number, call: () => void) {
      const again = () => {
        timer.callAfter(milliseconds, again);
        call();
      };
      again();
    },
    /** Goes on to the next call, and makes it. */
    async next() {
      await settle();
      const [first] = [...calls].toSorted((a, b) => a.at - b.at);
      if (!first) throw new Error("Nothing is left to wait for.");
      calls.delete(first);
      now = Math.max(now, first.at);
      first.call();
      await settle();
    },
  };
}
