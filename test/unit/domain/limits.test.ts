import { expect } from "chai";
import { resourceFault, storageFault } from "../../../src/domain/accounts/limits.ts";

describe("an account", () => {
  it("gets reports while its results take less than its limit", () => {
    expect(storageFault(1_999_999_999, 2_000_000_000)).to.equal(undefined);
    expect(storageFault(2_000_000_000, 2_000_000_000)).to.equal(
      "The account's results take 2,000 MB of 2,000 MB: delete reports. Their space is freed some time later.",
    );
  });

  it("gets resources while their definitions take less than the limit", () => {
    expect(resourceFault(19_999_999, 20_000_000)).to.equal(undefined);
    expect(resourceFault(20_040_000, 20_000_000)).to.match(/, take 20\.0 MB of 20\.0 MB: wait /);
  });
});
