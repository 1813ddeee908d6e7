import { expect } from "chai";
import { createEncryptor } from "../../../src/domain/accounts/encryption.ts";

describe("encryption", () => {
  const encryptor = createEncryptor("secret");

  it("decrypts what it encrypted, and never encrypts twice to the same bytes", () => {
    for (const text of ["", "text", "ä€😀", "x".repeat(10_000)]) {
      const [one, two] = [encryptor.encrypt(text, "p"), encryptor.encrypt(text, "p")];
      expect(one.equals(two)).to.equal(false);
      expect([encryptor.decrypt(one, "p"), createEncryptor("secret").decrypt(two, "p")]).to.deep.equal([text, text]);
      expect(one.includes(Buffer.from("text"))).to.equal(false);
    }
  });

  it("does not decrypt with another key, for another purpose, or after a change", () => {
    const encrypted = encryptor.encrypt("text", "p");
    expect(createEncryptor("other").decrypt(encrypted, "p")).to.equal(undefined);
    expect(encryptor.decrypt(encrypted, "q")).to.equal(undefined);
    expect(encryptor.decrypt(Buffer.alloc(0), "p")).to.equal(undefined);
    for (let index = 0; index < encrypted.length; index += 1) {
      const changed = Buffer.from(encrypted);
      changed.writeUInt8(changed.readUInt8(index) ^ 1, index);
      expect(encryptor.decrypt(changed, "p")).to.equal(undefined);
      expect(encryptor.decrypt(encrypted.subarray(0, index), "p")).to.equal(undefined);
    }
  });
});
