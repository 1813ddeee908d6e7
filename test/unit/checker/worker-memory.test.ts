import { expect } from "chai";
import { divideMemory, ownResources } from "../../../src/checker/processes/worker-memory.ts";

describe("the memory of a checker's processes", () => {
  const table: [what: string, wantedMb: number, resources: [cores: number, memoryMb: number], string][] = [
    ["is a heap as wanted and a process a core where there is enough", 1_024, [2, 24_000], "2 of 1024"],
    ["is for as many processes as fit in a pod, whatever the node's cores", 1_024, [64, 2_048], "3 of 1024"],
    ["is for more processes where each wants less", 256, [64, 2_048], "5 of 256"],
    ["is a smaller heap for one process in a small pod", 1_024, [4, 1_024], "1 of 674"],
    ["is never nothing", 1_024, [4, 256], "1 of 128"],
  ];
  for (const [what, wantedMb, [cores, memoryMb], expected] of table)
    it(what, () => {
      const { workers, heapMb } = divideMemory(wantedMb, { cores, memoryMb });
      expect(`${workers} of ${heapMb}`).to.equal(expected);
    });

  it("is that of this machine, or of the container", () => {
    const { cores, memoryMb } = ownResources();
    expect(cores).to.be.at.least(1);
    expect(memoryMb).to.be.within(64, 100_000_000);
  });
});
