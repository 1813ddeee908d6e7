import { expect } from "chai";
import { createSlotQueue } from "../../../src/time/slot-queue.ts";

/** A queue whose slots the test gives, and what it asked for: numbers of slots, and pauses as `12 ms`. */
function queueOf(slots: readonly (number | Error)[], rateLimit = 100) {
  const asked: (number | string)[] = [];
  const left = [...slots];
  const next = createSlotQueue({
    rateLimit,
    async take(wanted) {
      asked.push(wanted);
      const given = left.shift() ?? wanted;
      if (given instanceof Error) throw given;
      return { taken: Math.min(given, wanted), waitMs: 12 };
    },
    async sleep(ms) {
      asked.push(`${ms} ms`);
    },
  });
  return { next, asked };
}

describe("The queue for slots of a rate limit", () => {
  it("asks for as many as wait, at most what leaves between two ticks of a timer, and lets them leave in their order", async () => {
    const { next, asked } = queueOf([]);
    const left: number[] = [];
    await Promise.all([1, 2, 3, 4, 5].map((name) => next().then(() => left.push(name))));
    expect({ asked, left }).to.deep.equal({ asked: [1, 2, 2], left: [1, 2, 3, 4, 5] });
  });

  it("waits as long as it is told only when it got none", async () => {
    const { next, asked } = queueOf([0, 1, 0]);
    await Promise.all([next(), next()]);
    expect(asked).to.deep.equal([1, "12 ms", 2, 1, "12 ms", 1]);
  });

  it("works again for those that come after a pause", async () => {
    const { next, asked } = queueOf([]);
    await next();
    await next();
    expect(asked).to.deep.equal([1, 1]);
  });

  it("tells all that wait what went wrong, and begins anew", async () => {
    const { next } = queueOf([new Error("the database is away")]);
    const ends = await Promise.allSettled([next(), next(), next()]);
    expect(ends.map((end) => (end.status === "rejected" ? end.reason.message : end.status))).to.deep.equal(
      Array(3).fill("the database is away"),
    );
    await next();
  });

  it("asks nobody where there is no limit", async () => {
    const { next, asked } = queueOf([], 0);
    await Promise.all([next(), next()]);
    expect(asked).to.deep.equal([]);
  });
});
