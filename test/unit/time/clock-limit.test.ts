import { mock } from "node:test";
import { setImmediate } from "node:timers/promises";
import { expect } from "chai";
import { withinUsed } from "../../../src/time/clock-limit.ts";

describe("a wait that is limited by work", () => {
  const never = new Promise<never>(() => {});
  beforeEach(() => mock.timers.enable({ apis: ["setTimeout"] }));
  afterEach(() => mock.timers.reset());

  /** Lets time pass, and what waits for it go on. */
  const pass = async (ms: number) => {
    mock.timers.tick(ms);
    await setImmediate();
  };

  it("ends when the work is used up, though its result is not there", async () => {
    let used = 0;
    const result = withinUsed(100, () => used, never, "over");
    used = 100;
    await pass(100);
    expect(await result).to.equal("over");
  });

  it("goes on while nothing is used, as on a machine that others keep busy", async () => {
    const work = Promise.withResolvers<string>();
    const result = withinUsed(100, () => 0, work.promise, "over");
    await pass(100);
    await pass(100);
    work.resolve("done");
    expect(await result).to.equal("done");
  });

  it("has a limit by the clock, three times as long", async () => {
    const result = withinUsed(100, () => 0, never, "over");
    for (let times = 0; times < 3; times += 1) await pass(100);
    expect(await result).to.equal("over");
  });

  it("fails as the work fails", async () => {
    const failure = new Error("It broke.");
    const error = await withinUsed(100, () => 0, Promise.reject(failure), "over").catch((thrown: unknown) => thrown);
    expect(error).to.equal(failure);
  });
});
