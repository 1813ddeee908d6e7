import { expect } from "chai";
import { memoryLimits, processToKill } from "../../../src/browser/memory-guard.ts";

const GB = 1e9;
const limits = { perProcess: 1.5 * GB, total: 2.5 * GB };
const plenty = 100 * GB;
const processes = (...gigabytes: number[]) => gigabytes.map((size, index) => ({ pid: index + 1, bytes: size * GB }));

describe("the guard of a browser's memory", () => {
  const cases: [string, number[], number, number | undefined][] = [
    ["lets processes below the limits live", [0.2, 1.4, 0.8], plenty, undefined],
    ["kills a process above its limit", [0.2, 1.6, 0.1], plenty, 2],
    ["kills the largest one when all together are above the limit", [0.3, 1.1, 1.2], plenty, 3],
    ["kills the largest one when the machine has less left than that uses", [0.1, 0.9], 0.8 * GB, 2],
    ["kills no small process when the machine is short of memory", [0.1, 0.2], 0, undefined],
    ["does nothing without processes", [], plenty, undefined],
  ];
  for (const [name, sizes, available, expected] of cases)
    it(name, () => {
      expect(processToKill(processes(...sizes), limits, available)?.pid).to.equal(expected);
    });

  it("leaves room in a container", () => {
    expect(memoryLimits(2 * GB, 64 * GB)).to.deep.equal({ perProcess: 1.5 * GB, total: 1.6 * GB });
    expect(memoryLimits(1 * GB, 64 * GB)).to.deep.equal({ perProcess: 0.8 * GB, total: 0.8 * GB });
    expect(memoryLimits(0, 64 * GB)).to.deep.equal(limits);
    // What Linux says without a limit.
    expect(memoryLimits(2 ** 63, 64 * GB)).to.deep.equal(limits);
  });
});
