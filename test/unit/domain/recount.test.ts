import { expect } from "chai";
import { type Muting, mutingsByPage } from "../../../src/domain/findings/muting.ts";
import {
  type CountedCheck,
  type CountedFinding,
  type CountedIssue,
  recount,
} from "../../../src/domain/findings/recount.ts";
import { emptyTally } from "../../../src/domain/findings/tally.ts";

const check = (id: string, url: string, numbers = {}) => ({ ...emptyTally(), ...numbers, id, url });
const issue = (id: string, checkId: string, more: Partial<CountedIssue> = {}): CountedIssue => ({
  id,
  checkId,
  commonId: "c1",
  text: "Obsolete element",
  rule: "obsolete",
  howMany: 2,
  mutedCount: 0,
  counts: "errors",
  severity: null,
  mutingId: null,
  ...more,
});
const muting = (id: string, url_match: string, message = "obsolete") => ({ id, url_match, message });
const recounted = (
  checks: CountedCheck[],
  issues: CountedIssue[],
  mutings: Muting[],
  findings: Record<string, CountedFinding[]> = {},
) => recount(checks, issues, new Map(Object.entries(findings)), mutingsByPage(mutings));
const finding = (id: string, fingerprint: string, howMany = 1, mutingId: string | null = null): CountedFinding => ({
  ...{ id, fingerprint, component: fingerprint, howMany, mutingId, selector: null },
});

describe("recounting by mutings", () => {
  it("changes nothing when nothing changed", () => {
    const result = recounted(
      [check("1", "https://a/x", { errors: 2, muted_errors: 2 })],
      [issue("i", "1"), issue("m", "1", { mutingId: "7", text: "other" })],
      [muting("7", "a/", "other")],
    );
    expect(result).to.deep.equal({
      ...{ issues: [], whole: [{ id: "m", mutingId: "7" }], findings: [], checks: [] },
      ...{ common: new Map(), change: emptyTally() },
    });
  });

  it("silences what a new muting matches, regardless of case, and only on the pages that it names", () => {
    const result = recounted(
      [check("1", "https://a/x", { errors: 2 }), check("2", "https://a/y", { errors: 2 })],
      [issue("i", "1"), issue("k", "2")],
      [muting("7", "A/X", "OBSOLETE")],
    );
    expect(result.issues).to.deep.equal([{ id: "i", mutingId: "7", howMany: 2, mutedCount: 0 }]);
    expect(result.whole).to.deep.equal([{ id: "i", mutingId: "7" }]);
    expect(result.checks).to.deep.equal([{ ...emptyTally(), id: "1", muted_errors: 2 }]);
    expect([...result.common]).to.deep.equal([["c1", -2]]);
    expect(result.change).to.deep.equal({ ...emptyTally(), errors: -2, muted_errors: 2 });
  });

  it("counts again what a deleted muting silenced, severities included", () => {
    const result = recounted(
      [check("1", "https://a/x", { muted_warnings: 2 })],
      [issue("i", "1", { mutingId: "7", counts: "warnings", severity: "serious" })],
      [],
    );
    expect(result.change).to.deep.equal({ ...emptyTally(), warnings: 2, serious: 2, muted_warnings: -2 });
    expect([...result.common]).to.deep.equal([["c1", 2]]);
  });

  it("moves an issue from one muting to another without counting it", () => {
    const moved = check("1", "https://a/x", { muted_errors: 2 });
    const result = recounted([moved], [issue("i", "1", { mutingId: "7" })], [muting("8", "x")]);
    expect(result.issues).to.deep.equal([{ id: "i", mutingId: "8", howMany: 2, mutedCount: 0 }]);
    expect([result.checks, [...result.common]]).to.deep.equal([[], []]);
  });

  const a = "a".repeat(20);
  const b = "b".repeat(20);

  it("counts what is left of an issue of which a muting silences one finding", () => {
    const result = recounted(
      [check("1", "https://a/x", { errors: 5 })],
      [issue("i", "1", { howMany: 5 })],
      [{ id: "7", fingerprint: a }],
      { i: [finding("f", a, 3), finding("g", b, 2)] },
    );
    expect(result.issues).to.deep.equal([{ id: "i", mutingId: null, howMany: 2, mutedCount: 3 }]);
    expect(result.findings).to.deep.equal([{ id: "f", mutingId: "7" }]);
    expect(result.whole).to.deep.equal([]);
    expect(result.checks).to.deep.equal([{ ...emptyTally(), id: "1", errors: 2, muted_errors: 3 }]);
    expect([...result.common]).to.deep.equal([["c1", -3]]);
  });

  it("silences an issue as a whole when nothing is left of it, and each finding by its own muting", () => {
    const result = recounted(
      [check("1", "https://a/x", { errors: 2 })],
      [issue("i", "1", { howMany: 2, mutedCount: 3 })],
      [
        { id: "7", fingerprint: a },
        { id: "8", fingerprint: b },
      ],
      { i: [finding("f", a, 3, "7"), finding("g", b, 2)] },
    );
    expect(result.issues).to.deep.equal([{ id: "i", mutingId: "7", howMany: 5, mutedCount: 0 }]);
    expect(result.findings).to.deep.equal([{ id: "g", mutingId: "8" }]);
    expect([...result.common]).to.deep.equal([["c1", -2]]);
  });

  it("counts findings again whose muting is gone, and leaves the others of the issue as they are", () => {
    const result = recounted(
      [check("1", "https://a/x", { muted_errors: 5 })],
      [issue("i", "1", { howMany: 5, mutingId: "7" })],
      [{ id: "8", fingerprint: b }],
      { i: [finding("f", a, 3, "7"), finding("g", b, 2, "8")] },
    );
    expect(result.issues).to.deep.equal([{ id: "i", mutingId: null, howMany: 3, mutedCount: 2 }]);
    expect(result.findings).to.deep.equal([{ id: "f", mutingId: null }]);
    expect(result.change).to.deep.equal({ ...emptyTally(), errors: 3, muted_errors: -3 });
  });
});
