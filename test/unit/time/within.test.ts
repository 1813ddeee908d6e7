import { mock } from "node:test";
import { expect } from "chai";
import { succeedsWithin, within } from "../../../src/time/within.ts";

const errorOf = (work: Promise<unknown>): Promise<unknown> => work.catch((error: unknown) => error);
const never = new Promise<never>(() => {});

describe("a wait for something, for a limited time,", () => {
  beforeEach(() => mock.timers.enable({ apis: ["setTimeout"] }));
  afterEach(() => {
    mock.restoreAll();
    mock.timers.reset();
  });

  it("gives the result that is there in time", async () => {
    const work = Promise.withResolvers<string>();
    const result = within(100, work.promise, "late");
    mock.timers.tick(99);
    work.resolve("in time");
    expect(await result).to.equal("in time");
  });

  it("gives what was given for that when it takes longer, and ignores how that ends", async () => {
    const work = Promise.withResolvers<string>();
    const result = within(100, work.promise, "late");
    mock.timers.tick(100);
    expect(await result).to.equal("late");
    // Mocha fails on a rejection that nobody handles.
    work.reject(new Error("too late"));
  });

  it("leaves no timer behind, which would keep a program from ending", async () => {
    const { mock: cleared } = mock.method(globalThis, "clearTimeout");
    await within(100_000, Promise.resolve("in time"), "late");
    expect(cleared.callCount()).to.equal(1);
  });

  it("throws the error of what fails in time", async () => {
    const work = Promise.reject(new Error("failed"));
    expect(String(await errorOf(within(100, work, "late")))).to.contain("failed");
  });

  it("says whether something succeeds in time: what fails does not, and what takes longer does not", async () => {
    expect(await succeedsWithin(100, Promise.resolve(0))).to.equal(true);
    expect(await succeedsWithin(100, Promise.reject(new Error("failed")))).to.equal(false);
    const late = succeedsWithin(100, never);
    mock.timers.tick(100);
    expect(await late).to.equal(false);
  });
});
