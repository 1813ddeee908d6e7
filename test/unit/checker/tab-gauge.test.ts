import { expect } from "chai";
import { createTabGauge, tabLimits } from "../../../src/checker/engines/axe/tab-gauge.ts";
import { PageError } from "../../../src/domain/failure.ts";

const limits = { least: 2, most: 16, kept: 3 };

/** A machine whose cores are busy to a part, and whose clock is set by the test. */
function machineOf(busy: number) {
  const machine = { now: 0, memory: 8e9 };
  return {
    machine,
    reads: {
      clock: () => machine.now,
      cores: () => ({ total: machine.now, idle: machine.now * (1 - busy) }),
      memory: () => machine.memory,
    },
  };
}

describe("the gauge of tabs", () => {
  /** Visits as many pages at once as there may be, of 600 ms each. */
  const visitAll = async (
    gauge: ReturnType<typeof createTabGauge>,
    machine: { now: number },
    during = async () => {},
  ) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const visits = Array.from({ length: gauge.tabs() }, () => gauge.run(() => promise));
    await during();
    machine.now += 600;
    resolve();
    await Promise.all(visits);
    return gauge.tabs();
  };

  it("has more while cores are idle, and decides once in half a second", async () => {
    const { machine, reads } = machineOf(0.2);
    const gauge = createTabGauge(limits, reads);
    expect(await visitAll(gauge, machine)).to.equal(8);
    expect(await visitAll(gauge, machine)).to.equal(16);
    const { promise, resolve } = Promise.withResolvers<void>();
    const visits = Array.from({ length: 16 }, () => gauge.run(() => promise));
    machine.now += 100;
    resolve();
    await Promise.all(visits);
    expect(gauge.tabs()).to.equal(16);
  });

  it("has no more when a page waited for its turn by the rate limit", async () => {
    const { machine, reads } = machineOf(0.2);
    const gauge = createTabGauge(limits, reads);
    const wait = () =>
      gauge.waitForRate(async () => {
        machine.now += 50;
      });
    expect(await visitAll(gauge, machine, wait)).to.equal(2);
    expect(await visitAll(gauge, machine)).to.equal(8);
  });

  it("has half as many after trouble", async () => {
    const { machine, reads } = machineOf(0.2);
    const gauge = createTabGauge(limits, reads);
    await visitAll(gauge, machine);
    await visitAll(gauge, machine);
    expect(await visitAll(gauge, machine, async () => gauge.noteEnd(new Error("a fault of ours"), 200))).to.equal(16);
    expect(await visitAll(gauge, machine, async () => gauge.noteEnd(new PageError("timeout", "late"), 0))).to.equal(8);
    expect(await visitAll(gauge, machine, async () => gauge.noteEnd(new PageError("http_error", ""), 503))).to.equal(4);
    const again = gauge.once(async () => {});
    expect(await visitAll(gauge, machine, () => again())).to.equal(16);
    expect(await visitAll(gauge, machine, () => again())).to.equal(8);
  });

  it("keeps two for a browser elsewhere, and never has fewer", () => {
    expect(tabLimits(true)).to.deep.include({ least: 2, most: 2 });
    expect(tabLimits(false).most).to.be.within(2, 12);
  });
});
