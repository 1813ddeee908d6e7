import { expect } from "chai";
import { type AddressSpace, mayApproach } from "../../../src/domain/addresses/address-space.ts";

describe("the way into private networks", () => {
  const plain = { isNamed: false, onlyNamed: false };
  const may = (from: AddressSpace[], to: AddressSpace, more = {}) => mayApproach({ ...plain, from, to, ...more });

  it("leads from each address space to itself and outwards", () => {
    const spaces: AddressSpace[] = ["loopback", "private", "public"];
    const table = spaces.map((from) => spaces.map((to) => may([from], to)));
    expect(table).to.deep.equal([
      [true, true, true],
      [false, true, true],
      [false, false, true],
    ]);
  });

  it("is closed if anybody from outside had a hand in a request, and open to what we ask for ourselves", () => {
    expect(may(["loopback", "public"], "loopback")).to.equal(false);
    expect(may(["public", "loopback"], "private")).to.equal(false);
    expect(may(["private", "loopback"], "private")).to.equal(true);
    expect(may([], "loopback")).to.equal(true);
  });

  it("leads back to a host that is named for pages that steps lead to, and for nothing else", () => {
    expect(may(["public"], "loopback", { isNamed: true, isStep: true })).to.equal(true);
    expect(may(["public"], "loopback", { isNamed: true })).to.equal(false);
    expect(may(["public"], "loopback", { isStep: true })).to.equal(false);
  });

  it("leads nowhere else, whoever asks, where only what is named is open", () => {
    expect(may([], "loopback", { onlyNamed: true })).to.equal(false);
    expect(may(["loopback"], "private", { onlyNamed: true })).to.equal(false);
    expect(may(["loopback"], "loopback", { onlyNamed: true, isNamed: true })).to.equal(true);
    expect(may(["loopback"], "public", { onlyNamed: true })).to.equal(true);
  });
});
