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
  "0010-lists": "5c766f6811b9c8c7b646bbfff3390f5d35acdc6c59512aeaeea69f2409f2d9e9",
  "0011-gates": "208d231f77ea308418639527e64b8b754e0f50cbe3c1ad4369ff778788ce3fac",
  "0012-lasting-mutings": "43cb4e1a2227abd8d896974cdd25435272376b97c83bbf5f07c5d69626c953bd",
  "0013-site-headers": "8165536b78cc09ba9586e4ef103d87dcaddcae65564a45ab25df53b258b28451",
  "0014-boxes": "4dc7754995b7e87e4211abeb5c5d2ac5c912777996e2a9f56bb896567b7d3fa9",
  "0015-web-sessions": "7de05f9312d1e344eb477f2c748835e270fa0bbe9a679928b75cbf12496c5f2c",
  "0016-component-lists": "f938a80870440e4c8e4696b1c76a20c1c81a6adfefecff03a81d2ab1390309fc",
  "0017-kept-sources": "c5db59233463cffb0c91bc5671798686610704a1fe0b1fc8bee61eb3c332ae2a",
  "0018-compressed-raw-checks": "77378141ee5831d3a2e88bfcaa8d6fe43eb360f97b4746142bbd0376ec48a312",
  "0019-components": "a5adc13d72b14774669ce307a433b795c4bb66b28595821b858baf95e379091d",
  "0020-spec-bytes": "dbf072aa8e2f10c7ad3e4a256261b7e24ad0f08b820af904850af7cd1e9ffc8e",
  "0021-last-jobs": "5922571f76abeff9a8bce5579830824ddb0b3267cfe0290cbfc90a0f61e6e84d",
  "0022-identities": "df951fd866e132dc189930b97a0d8e1c677f142b41679e64d9eb99f81bab65f7",
  "0023-comparison-requests": "97df64646c01fd3eb836f87ac17b879ab97e7ded50599fb58a8ff8e57f07b0b4",
  "0024-fetched-pages": "dfdeb74c7b17661056d3ad726d48c156f1c2c9a4299718f95e8bfc6850d22efe",
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
