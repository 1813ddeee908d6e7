import { expect } from "chai";
import { gather } from "../../../src/time/gather.ts";

describe("gathering", () => {
  /** @returns a gathered read that answers each key with itself twice, but for `none`, and the keys of each read */
  function echo(most: number) {
    const reads: (readonly string[])[] = [];
    const read = gather(async (keys) => {
      reads.push(keys);
      return new Map(keys.flatMap((key) => (key === "none" ? [] : [[key, key + key] as const])));
    }, most);
    return { read, reads };
  }

  it("lets calls at the same time share one read, in which each key is once", async () => {
    const { read, reads } = echo(10);
    expect(await Promise.all(["a", "b", "a", "none"].map(read))).to.deep.equal(["aa", "bb", "aa", undefined]);
    expect(reads).to.deep.equal([["a", "b", "none"]]);
  });

  it("reads again for a later call", async () => {
    const { read, reads } = echo(10);
    await read("a");
    await read("a");
    expect(reads).to.deep.equal([["a"], ["a"]]);
  });

  it("begins another read for those beyond the most", async () => {
    const { read, reads } = echo(2);
    expect(await Promise.all(["a", "b", "c"].map(read))).to.deep.equal(["aa", "bb", "cc"]);
    expect(reads).to.deep.equal([["a", "b"], ["c"]]);
  });

  it("rejects all calls of a read that fails, and none of the next", async () => {
    let fails = true;
    const read = gather(async (keys) => {
      if (fails) throw new Error("gone");
      return new Map(keys.map((key) => [key, key]));
    }, 10);
    const both = await Promise.allSettled([read("a"), read("b")]);
    expect(both.map(({ status }) => status)).to.deep.equal(["rejected", "rejected"]);
    fails = false;
    expect(await read("a")).to.equal("a");
  });
});
