import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { expect } from "chai";
import { migrations } from "../../../src/database/migrations/index.ts";

/** SHA-256 of each file. There are databases that have been through them: what is wrong in one is mended by the next. */
const landed: Record<string, string> = {
  "0001-initial": "835d285d5315ed4a17543791bc0d47b5911bb7adb32f4fedf6f50b9315ea4907",
  "0002-fencing": "7902fcfa0c0586281cf4b3de0c45882a88e72db2494babd54a474efc9abb24d9",
  "0003-html-engines": "ec9913a7712923a5d3c3efbc57e48d260f9378c200c174751460617345c8674a",
  "0004-lone-checks": "75886f182a4e3fba23539d082eaad804d4d3c308964651a64c2e60ffa173bfb6",
  "0005-stored-bytes": "0d426925da9433ec46c7c8f09397d78e877c89d239e13ef5865be4648c2b1ee4",
  "0007-job-role": "f7dbd85b21d1cad410c7e09732250e2643b8440701d9a58966ed36a7ca29210c",
  "0008-findings": "c557abfd85b4079ba16deb2e437cbaae2df27ba2de5c0ee5d446186583393403",
  "0009-account-resources": "f19a806482d0cacbae852cf8281af9348120c40052b01d3458df397ee69c5f5e",
};

describe("The migrations", () => {
  it("are those that are listed here: a new one must be added", () => {
    expect(Object.keys(migrations)).to.deep.equal(Object.keys(landed));
  });

  it("run in the order of their names", () => {
    expect(Object.keys(migrations)).to.deep.equal(Object.keys(migrations).sort());
  });

  for (const [name, hash] of Object.entries(landed))
    it(`keep ${name} byte for byte`, async () => {
      const file = path.resolve(import.meta.dirname, "../../../src/database/migrations", `${name}.ts`);
      const now = createHash("sha256")
        .update(await readFile(file))
        .digest("hex");
      expect(now, "databases would be left as they are: add a migration instead").to.equal(hash);
    });
});
