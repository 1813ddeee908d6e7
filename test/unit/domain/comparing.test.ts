import { expect } from "chai";
import { MAX_OF_GUESTS, MAX_REQUESTS, mayRequest } from "../../../src/domain/findings/comparing.ts";
import { sumsOfLargest } from "../../../src/domain/findings/components.ts";
import { type UnpairedFacts, unpairedState, unpairedStates } from "../../../src/domain/findings/finding-state.ts";
import { pairingSteps } from "../../../src/domain/findings/pairing.ts";

describe("the state of a finding without a pair", () => {
  const looked = { isPerformed: true, engine: "same", hasRule: false } as const;
  const cases: [string, UnpairedFacts][] = [
    ["new", { ...looked, isOwn: true, page: "checked" }],
    ["new", { ...looked, isOwn: true, page: "none" }],
    ["unknown", { ...looked, isOwn: true, page: "failed" }],
    ["unknown", { ...looked, isOwn: true, page: "gone" }],
    ["fixed", { ...looked, isOwn: false, page: "checked" }],
    ["gone", { ...looked, isOwn: false, page: "gone" }],
    ["unknown", { ...looked, isOwn: false, page: "failed" }],
    ["unknown", { ...looked, isOwn: false, page: "none" }],
    ["new_rule", { ...looked, isOwn: true, page: "checked", isPerformed: false }],
    ["unknown", { ...looked, isOwn: false, page: "checked", isPerformed: false }],
    ["new_rule", { ...looked, isOwn: true, page: "checked", engine: "changed" }],
    ["new", { ...looked, isOwn: true, page: "checked", engine: "changed", hasRule: true }],
    ["unknown", { ...looked, isOwn: false, page: "checked", engine: "changed" }],
    ["fixed", { ...looked, isOwn: false, page: "checked", engine: "changed", hasRule: true }],
    ["new_rule", { ...looked, isOwn: true, page: "checked", engine: "another", hasRule: true }],
    ["unknown", { ...looked, isOwn: false, page: "gone", engine: "another", hasRule: true }],
  ];
  for (const [state, facts] of cases)
    it(`is ${state} for ${Object.entries(facts)
      .map(([name, value]) => `${name}: ${value}`)
      .join(", ")}`, () => {
      expect(unpairedState(facts)).to.equal(state);
    });

  it("is decided for everything that can be known, once each", () => {
    const all = unpairedStates();
    expect(new Set(all.map(({ state: _, ...facts }) => JSON.stringify(facts))).size).to.equal(96);
    expect(all).to.have.length(96);
    for (const { state, ...facts } of all) expect(unpairedState(facts)).to.equal(state);
  });
});

describe("the steps of pairing", () => {
  it("begin with the same finding, and then compare only findings of the same rule", () => {
    expect(pairingSteps[0]?.keys).to.deep.equal(["fingerprint"]);
    for (const { keys } of pairingSteps.slice(1)) expect(keys).to.include.members(["kind", "rule"]);
  });
});

describe("a request for a comparison", () => {
  const waiting = (total: number, ofGuests = 0) => ({ total, ofGuests });
  it("is refused when the account has as many as it may have", () => {
    expect(mayRequest(waiting(MAX_REQUESTS - 1), false)).to.equal(true);
    expect(mayRequest(waiting(MAX_REQUESTS), false)).to.equal(false);
  });
  it("of a guest leaves room for the account itself", () => {
    expect(mayRequest(waiting(MAX_OF_GUESTS, MAX_OF_GUESTS), true)).to.equal(false);
    expect(mayRequest(waiting(MAX_OF_GUESTS, MAX_OF_GUESTS), false)).to.equal(true);
    expect(mayRequest(waiting(MAX_OF_GUESTS, MAX_OF_GUESTS - 1), true)).to.equal(true);
  });
});

describe("the largest components", () => {
  it("are added up for some numbers of them, as far as there are so many", () => {
    expect(sumsOfLargest([9, 5, 5, 1])).to.deep.equal([
      { components: 1, how_many: 9 },
      { components: 2, how_many: 14 },
      { components: 3, how_many: 19 },
    ]);
    expect(sumsOfLargest([])).to.deep.equal([]);
  });
});
