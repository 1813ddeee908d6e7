import { expect } from "chai";
import { createSealer } from "../../src/domain/seal.ts";

describe("sealing", () => {
  const sealer = createSealer("secret");

  it("gives back what was sealed, and never seals alike", () => {
    for (const text of ["", "text", "ä€😀", "x".repeat(10_000)]) {
      const [one, two] = [sealer.seal(text, "p"), sealer.seal(text, "p")];
      expect(one.equals(two)).to.equal(false);
      expect([sealer.open(one, "p"), createSealer("secret").open(two, "p")]).to.deep.equal([text, text]);
      expect(one.includes(Buffer.from("text"))).to.equal(false);
    }
  });

  it("opens nothing with another key, for another purpose, or once changed", () => {
    const sealed = sealer.seal("text", "p");
    expect(createSealer("other").open(sealed, "p")).to.equal(undefined);
    expect(sealer.open(sealed, "q")).to.equal(undefined);
    expect(sealer.open(Buffer.alloc(0), "p")).to.equal(undefined);
    for (let index = 0; index < sealed.length; index += 1) {
      const changed = Buffer.from(sealed);
      changed.writeUInt8(changed.readUInt8(index) ^ 1, index);
      expect(sealer.open(changed, "p")).to.equal(undefined);
      expect(sealer.open(sealed.subarray(0, index), "p")).to.equal(undefined);
    }
  });
});
