import { expect } from "chai";
import { createVisitMemory } from "../../../src/net/visit-memory.ts";

describe("What visits have shown of a session", () => {
  it("is first what tells when it has ended, the newest first", () => {
    const memory = createVisitMemory();
    for (const [url, tells] of [
      ["a", false],
      ["b", true],
      ["c", false],
      ["d", true],
    ] as const)
      memory.note(url, tells);
    expect(memory.witnesses()).to.deep.equal([
      ["d", true],
      ["b", true],
      ["c", false],
      ["a", false],
    ]);
    expect([memory.telling(""), memory.telling("d")]).to.deep.equal(["d", "b"]);
    // What told once tells, and is the newest when it is seen again.
    memory.note("b", false);
    expect(memory.witnesses()[0]).to.deep.equal(["b", true]);
  });

  it("keeps five, and those that tell longest", () => {
    const memory = createVisitMemory();
    for (const url of "abcdefg") memory.note(url, url === "a");
    expect(memory.witnesses().map(([url]) => url)).to.deep.equal(["a", "g", "f", "e", "d"]);
    for (const url of "hijklm") memory.note(url, true);
    expect(memory.witnesses().map(([url]) => url)).to.deep.equal(["m", "l", "k", "j", "i"]);
  });

  it("suspects whoever asked to sign in, then what did not, the newest first, and at most the last 32", () => {
    const memory = createVisitMemory();
    for (const [url, signedOut] of [
      ["a", false],
      ["b", true],
      ["c", false],
      ["a", false],
    ] as const)
      memory.saw(url, signedOut);
    expect(memory.suspects("b")).to.deep.equal(["b", "a", "c"]);
    expect(memory.suspects("d")).to.deep.equal(["d", "a", "c", "b"]);
    for (let at = 0; at < 40; at += 1) memory.saw(`page ${at}`, false);
    expect(memory.suspects("page 0")).to.have.length(33);
    expect(memory.suspects("page 39").at(-1)).to.equal("page 8");
    memory.clear();
    expect(memory.suspects("d")).to.deep.equal(["d"]);
    expect(memory.telling("")).to.equal(undefined);
  });
});
