import { expect } from "chai";
import {
  createEncryptor,
  isSigned,
  keyIdOf,
  keyIdOfSecret,
  signingKeyOf,
} from "../../../src/domain/accounts/encryption.ts";

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

  it("opens what a further key encrypted, and encrypts with its own, whose id is in what it encrypts", () => {
    const late = createEncryptor("later secret", { secrets: ["secret"] });
    expect(late.decrypt(encryptor.encrypt("text", "p"), "p")).to.equal("text");
    const encrypted = late.encrypt("text", "p");
    expect(encryptor.decrypt(encrypted, "p")).to.equal(undefined);
    expect([keyIdOf(encrypted), late.keyId]).to.deep.equal([
      keyIdOfSecret("later secret"),
      keyIdOfSecret("later secret"),
    ]);
    expect(keyIdOf(encrypted))
      .to.match(/^[0-9a-f]{8}$/)
      .and.not.equal(encryptor.keyId);
  });

  it("knows signatures of its own, of further keys and of kept ones, and no others", () => {
    const given = encryptor.sign("text");
    const kept = createEncryptor("later secret", { signingKeys: [signingKeyOf("secret")] });
    for (const one of [encryptor, createEncryptor("later secret", { secrets: ["secret"] }), kept]) {
      expect(isSigned(one, "text", given)).to.equal(true);
      for (const wrong of ["", given.slice(1), `${given}A`, given.toUpperCase(), "ä".repeat(11)])
        expect(isSigned(one, "text", wrong), wrong).to.equal(false);
      expect(isSigned(one, "other", given)).to.equal(false);
    }
    expect(kept.sign("text")).to.equal(createEncryptor("later secret").sign("text")).and.not.equal(given);
    expect(isSigned(createEncryptor("later secret"), "text", given)).to.equal(false);
  });
});
