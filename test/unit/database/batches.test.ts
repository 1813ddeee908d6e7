import { expect } from "chai";
import { type BatchSizes, inBatches, nextBatchSize } from "../../../src/database/batches.ts";

const timeout = () => Object.assign(new Error("canceling statement due to statement timeout"), { code: "57014" });

describe("The size of a batch of rows", () => {
  const sizes: [after: string, size: number, took: number | "timeout", next: number][] = [
    ["a quick statement is doubled", 50, 100, 100],
    ["a quick statement is never above the most", 800, 100, 1_000],
    ["a statement that takes a second stays", 50, 1_000, 50],
    ["a slow statement is halved", 50, 3_000, 25],
    ["a slow statement for one row stays one", 1, 3_000, 1],
    ["an exceeded time limit is an eighth", 500, "timeout", 63],
    ["an exceeded time limit is never below one", 2, "timeout", 1],
  ];
  for (const [after, size, took, next] of sizes)
    it(`after ${after}`, () => expect(nextBatchSize(size, took, 1_000)).to.equal(next));
});

describe("Rows that are handled in batches", () => {
  /** A table of rows that each take some time, on a server that ends a statement after `limitMs`. */
  function table(rows: number, rowMs: number, limitMs: number) {
    let left = rows;
    let now = 0;
    const asked: number[] = [];
    const handle = async (size: number): Promise<number> => {
      asked.push(size);
      const count = Math.min(size, left);
      now += Math.min(limitMs, count * rowMs);
      if (count * rowMs > limitMs) throw timeout();
      left -= count;
      return count;
    };
    return { asked, handle, left: () => left, clock: () => now };
  }
  const all = ({ handle, clock }: ReturnType<typeof table>, batch: BatchSizes) =>
    inBatches(batch, handle, undefined, clock);

  it("are all handled, by few statements if they cost little", async () => {
    const cheap = table(20_000, 0.01, 12_000);
    expect(await all(cheap, { first: 500, most: 5_000 })).to.equal(20_000);
    expect(cheap.asked).to.deep.equal([500, 1_000, 2_000, 4_000, 5_000, 5_000, 5_000]);
  });

  it("are all handled, by many statements if each takes nearly as long as a statement may", async () => {
    const dear = table(5, 10_000, 12_000);
    expect(await all(dear, { first: 50, most: 1_000 })).to.equal(5);
    expect(dear.asked).to.deep.equal([50, 7, 1, 1, 1, 1, 1, 1]);
  });

  it("fail if one of them alone exceeds the limit, with the server's error", async () => {
    const never = table(5, 20_000, 12_000);
    const error = await all(never, { first: 50, most: 1_000 }).catch((thrown: unknown) => thrown);
    expect(error).to.include({ code: "57014" });
    expect(never.left()).to.equal(5);
  });

  it("fail at once with any other error", async () => {
    let calls = 0;
    const failing = () => {
      calls += 1;
      return Promise.reject(new Error("no such table"));
    };
    const error = await inBatches({ first: 50, most: 100 }, failing).catch((thrown: unknown) => thrown);
    expect([calls, String(error)]).to.deep.equal([1, "Error: no such table"]);
  });

  it("are followed until none is left, where locked ones are skipped", async () => {
    const counts = [50, 3, 40, 0, 9];
    expect(await inBatches({ first: 50, most: 50, skips: true }, async () => counts.shift() ?? 0)).to.equal(93);
    expect(counts).to.deep.equal([9]);
  });

  it("wait for the next call once the signal aborts", async () => {
    const stop = new AbortController();
    const handle = async (size: number) => {
      stop.abort();
      return size;
    };
    expect(await inBatches({ first: 50, most: 50 }, handle, stop.signal)).to.equal(50);
    expect(await inBatches({ first: 50, most: 50 }, handle, stop.signal)).to.equal(0);
  });
});
