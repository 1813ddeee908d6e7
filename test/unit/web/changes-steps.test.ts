import { expect } from "chai";
import { type FindingState, findingStates, type StateTotals } from "../../../src/domain/findings/finding-state.ts";
import { stepsOf } from "../../../src/web/plot/changes-steps.ts";

function states(errors: Partial<Record<FindingState, number>>): StateTotals {
  const all = Object.keys(findingStates) as FindingState[];
  return Object.fromEntries(all.map((state) => [state, { errors: errors[state] ?? 0, warnings: 9 }])) as StateTotals;
}
const shown = (from: number, to: number, errors: Partial<Record<FindingState, number>>) =>
  stepsOf({ from, to, states: states(errors) }, { from: "19 Nov", to: "26 Nov" }).map(({ name, value }) => [
    name,
    value,
  ]);

describe("The steps from the errors of one run to those of another", () => {
  it("add up, with what is on pages that were not checked in both", () => {
    const found = shown(473, 303, { fixed: 170, gone: 5, unknown: 7, new: 12, persisting: 291 });
    expect(found).to.deep.equal([
      ["19 Nov", 473],
      ["fixed", -170],
      ["page gone", -5],
      ["unknown", -7],
      ["new", 12],
      ["26 Nov", 303],
    ]);
  });

  it("leave out what did not happen, but not that nothing was fixed", () => {
    expect(shown(3, 5, { new_rule: 2, persisting: 3 })).to.deep.equal([
      ["19 Nov", 3],
      ["fixed", 0],
      ["new rule", 2],
      ["26 Nov", 5],
    ]);
  });

  it("say that more is unknown than before, if it is", () => {
    expect(shown(3, 7, { unknown: 4, persisting: 3 })).to.deep.include(["unknown", 4]);
  });
});
