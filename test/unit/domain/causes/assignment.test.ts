import { expect } from "chai";
import { type Assignment, assignmentState } from "../../../../src/domain/causes/assignment.ts";

const now = new Date("2026-12-10T23:30:00Z");
const report = new Date("2026-12-01T00:00:00Z");
const taken: Assignment = {
  ...{ assignee: "Web team", holder: "name", person_id: null, team_id: null },
  due_on: null,
  note: null,
  done_at: null,
};

describe("The state of a cause", () => {
  for (const [what, assignment, state] of [
    ["is that nobody has it", undefined, "nobody"],
    ["is that somebody has it", taken, "taken"],
    ["is not late on its day", { ...taken, due_on: "2026-12-10" }, "taken"],
    ["is late when its day is over", { ...taken, due_on: "2026-12-09" }, "late"],
    ["is done when somebody says so after the report", { ...taken, due_on: "2026-12-09", done_at: now }, "done"],
    [
      "is seen again when a later report has it still",
      { ...taken, done_at: new Date("2026-11-30T00:00:00Z") },
      "seen_again",
    ],
    ["is not taken by who has its site", { ...taken, of: "site" }, "open"],
    ["is late by the day of its section", { ...taken, of: "section", due_on: "2026-12-09" }, "late"],
  ] as const)
    it(what, () => {
      expect(assignmentState(assignment, report, now)).to.equal(state);
    });
});
