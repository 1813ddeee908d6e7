import { expect } from "chai";
import { limitConcurrency } from "../../../src/time/limit-concurrency.ts";

describe("Work of which only so much runs at a time", () => {
  it("runs as much as it may, the rest in the order in which it came, also after a failure", async () => {
    const limited = limitConcurrency(2);
    const begun: number[] = [];
    const ends = [0, 1, 2, 3].map(() => Promise.withResolvers<number>());
    const results = ends.map(({ promise }, at) =>
      limited(() => {
        begun.push(at);
        return promise;
      }).catch((error: Error) => error.message),
    );
    const seen = [[...begun]];
    ends[1]?.reject(new Error("failed"));
    await results[1];
    seen.push([...begun]);
    for (const [at, { resolve }] of ends.entries()) resolve(at);
    expect({ seen, results: await Promise.all(results), begun }).to.deep.equal({
      seen: [
        [0, 1],
        [0, 1, 2],
      ],
      results: [0, "failed", 2, 3],
      begun: [0, 1, 2, 3],
    });
    // All places are free again.
    await Promise.all([limited(async () => begun.push(4)), limited(async () => begun.push(5))]);
    expect(begun.slice(4)).to.deep.equal([4, 5]);
  });
});
