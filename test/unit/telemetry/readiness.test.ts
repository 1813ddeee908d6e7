import { mock } from "node:test";
import { expect } from "chai";
import { readiness } from "../../../src/telemetry/metrics.ts";

const LONGER_THAN_ANYBODY_WAITS = 60_000;

describe("whether a program is ready", () => {
  beforeEach(() => mock.timers.enable({ apis: ["setTimeout"] }));
  afterEach(() => mock.timers.reset());

  function probes() {
    const started: PromiseWithResolvers<void>[] = [];
    const isReady = readiness(() => {
      const probe = Promise.withResolvers<void>();
      started.push(probe);
      return probe.promise;
    });
    const ask = () => {
      const answer = isReady();
      mock.timers.tick(LONGER_THAN_ANYBODY_WAITS);
      return answer;
    };
    return { started, isReady, ask };
  }

  it("is asked by one probe at a time, however often those who ask do not wait for it", async () => {
    const { started, ask } = probes();
    expect([await ask(), await ask(), await ask(), started.length]).to.deep.equal([false, false, false, 1]);
  });

  it("is asked again after a probe that failed, too late or not", async () => {
    const { started, isReady, ask } = probes();
    await ask();
    started[0]?.reject(new Error("away"));
    expect(await isReady()).to.equal(false);
    const again = isReady();
    expect(started).to.have.length(2);
    started[1]?.resolve();
    expect([await again, await isReady(), started.length]).to.deep.equal([true, true, 2]);
  });

  it("is known from a probe that succeeds after those who asked have left", async () => {
    const { started, isReady, ask } = probes();
    expect(await ask()).to.equal(false);
    started[0]?.resolve();
    expect([await isReady(), await isReady(), started.length]).to.deep.equal([true, true, 1]);
  });
});
