import { expect } from "chai";
import { type CountedIssue, recount } from "../../../src/domain/recount.ts";
import { emptyTally } from "../../../src/domain/tally.ts";

const check = (id: string, url: string, numbers = {}) => ({ ...emptyTally(), ...numbers, id, url });
const issue = (id: string, checkId: string, more: Partial<CountedIssue> = {}): CountedIssue => ({
  id,
  checkId,
  commonId: "c1",
  text: "Obsolete element",
  howMany: 2,
  counts: "errors",
  severity: null,
  mutingId: null,
  ...more,
});
const muting = (id: string, url_match: string, message = "obsolete") => ({ id, url_match, message });

describe("recounting by mutings", () => {
  it("changes nothing when nothing changed", () => {
    const result = recount(
      [check("1", "https://a/x", { errors: 2 })],
      [issue("i", "1"), issue("m", "1", { mutingId: "7", text: "other" })],
      [muting("7", "a/", "other")],
    );
    expect(result).to.deep.equal({ issues: [], checks: [], common: new Map(), change: emptyTally() });
  });

  it("silences what a new muting matches, regardless of case, and only on the pages that it names", () => {
    const result = recount(
      [check("1", "https://a/x", { errors: 2 }), check("2", "https://a/y", { errors: 2 })],
      [issue("i", "1"), issue("k", "2")],
      [muting("7", "A/X", "OBSOLETE")],
    );
    expect(result.issues).to.deep.equal([{ id: "i", mutingId: "7" }]);
    expect(result.checks).to.deep.equal([{ ...emptyTally(), id: "1" }]);
    expect([...result.common]).to.deep.equal([["c1", -2]]);
    expect(result.change).to.deep.equal({ ...emptyTally(), errors: -2 });
  });

  it("counts again what a deleted muting silenced, severities included", () => {
    const result = recount(
      [check("1", "https://a/x")],
      [issue("i", "1", { mutingId: "7", counts: "warnings", severity: "serious" })],
      [],
    );
    expect(result.change).to.deep.equal({ ...emptyTally(), warnings: 2, serious: 2 });
    expect([...result.common]).to.deep.equal([["c1", 2]]);
  });

  it("moves an issue from one muting to another without counting it", () => {
    const result = recount([check("1", "https://a/x")], [issue("i", "1", { mutingId: "7" })], [muting("8", "x")]);
    expect(result.issues).to.deep.equal([{ id: "i", mutingId: "8" }]);
    expect([result.checks, [...result.common]]).to.deep.equal([[], []]);
  });
});
