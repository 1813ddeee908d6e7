import { expect } from "chai";
import fc from "fast-check";
import {
  type Assignment,
  assignmentState,
  heldKinds,
  nearest,
  type Said,
} from "../../../../src/domain/causes/assignment.ts";

const day = fc.constantFrom("2026-12-09", "2026-12-10", "2026-12-11", null);
const assignment: fc.Arbitrary<Assignment> = fc.record({
  assignee: fc.string(),
  holder: fc.constant("name" as const),
  person_id: fc.constant(null),
  team_id: fc.constant(null),
  due_on: day,
  note: fc.constant(null),
  done_at: fc.option(fc.date({ noInvalidDate: true })),
});
const maybe = fc.option(assignment, { nil: undefined });
const said: fc.Arbitrary<Said> = fc.record({ site: maybe, section: maybe, cause: maybe });
const now = new Date("2026-12-10T12:00:00Z");

describe("What holds for a cause", () => {
  it("is what is said nearest to it, whatever is said elsewhere", () => {
    fc.assert(
      fc.property(said, (all) => {
        const held = nearest(all);
        const [expected] = heldKinds.toReversed().filter((kind) => all[kind] !== undefined);
        expect(held?.of).to.equal(expected);
        if (expected) expect(held).to.include({ ...all[expected], of: expected });
      }),
    );
  });

  it("is another's only when what is nearer is taken away", () => {
    fc.assert(
      fc.property(said, assignment, (all, own) => {
        expect(nearest({ ...all, cause: own })).to.include({ ...own, of: "cause" });
        const { cause: _, ...others } = all;
        expect(nearest({ ...all, cause: undefined })).to.deep.equal(nearest(others));
      }),
    );
  });

  it("is in one state, which is nobody's only when nobody is said", () => {
    fc.assert(
      fc.property(said, fc.date({ noInvalidDate: true }), (all, seenAt) => {
        const held = nearest(all);
        const state = assignmentState(held, seenAt, now);
        expect(state === "nobody").to.equal(held === undefined);
        if (held?.done_at) expect(state).to.equal(held.done_at >= seenAt ? "done" : "seen_again");
        if (state === "open") expect(held?.of).to.not.equal("cause");
        if (state === "taken") expect(held?.of).to.equal("cause");
      }),
    );
  });
});
