import { getEventListeners } from "node:events";
import { mock } from "node:test";
import { expect } from "chai";
import { createNotifier } from "../../../src/time/notifier.ts";

describe("a loop that waits for a notification", () => {
  beforeEach(() => mock.timers.enable({ apis: ["setTimeout"] }));
  afterEach(() => {
    mock.restoreAll();
    mock.timers.reset();
  });

  it("goes on at a notification", async () => {
    const { notify, wait } = createNotifier();
    const notified = wait(100);
    notify();
    expect(await notified).to.equal(true);
  });

  it("goes on when its time is over, and knows that there was no notification", async () => {
    const { wait } = createNotifier();
    const notified = wait(100);
    mock.timers.tick(100);
    expect(await notified).to.equal(false);
  });

  it("does not wait after notifications that came while it did not wait, which count as one", async () => {
    const { notify, wait } = createNotifier();
    notify();
    notify();
    expect(await wait(100)).to.equal(true);
    const second = wait(100);
    mock.timers.tick(100);
    expect(await second).to.equal(false);
  });

  it("goes on when its signal aborts, does not wait after that, and leaves nothing at the signal", async () => {
    const { wait } = createNotifier();
    const stop = new AbortController();
    const waiting = wait(100, stop.signal);
    stop.abort();
    expect(await waiting).to.equal(false);
    expect(await wait(100, stop.signal)).to.equal(false);
    expect(getEventListeners(stop.signal, "abort")).to.deep.equal([]);
  });

  it("leaves nothing at the signal after a notification, and no timer", async () => {
    const { mock: cleared } = mock.method(globalThis, "clearTimeout");
    const { notify, wait } = createNotifier();
    const { signal } = new AbortController();
    const waiting = wait(100_000, signal);
    notify();
    await waiting;
    expect(getEventListeners(signal, "abort")).to.deep.equal([]);
    expect(cleared.callCount()).to.equal(1);
  });
});
