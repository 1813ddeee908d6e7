import { expect } from "chai";
import { changesOf } from "../../../../src/domain/audit/changes.ts";
import { nameIn } from "../../../../src/domain/audit/entry.ts";

const names = (...all: string[]) => new Set(all);
const changed = (field: string, before: string | null, after: string | null) => ({
  ...{ field, before, after, hidden: false },
});
const hidden = (field: string) => ({ field, before: null, after: null, hidden: true });

describe("what has changed of a thing", () => {
  it("is what differs of the fields that can be set, objects by their members", () => {
    const before = { name: "a", gate: { max_errors: 10, min_impact: "serious" }, tags: ["x"], updated_at: 1 };
    const after = { name: "a", gate: { max_errors: 5, min_impact: "serious" }, tags: ["x", "y"], updated_at: 2 };
    expect(changesOf({ before, after, given: {} }, names("name", "gate", "tags"))).to.deep.equal([
      changed("gate.max_errors", "10", "5"),
      changed("tags", '["x"]', '["x","y"]'),
    ]);
  });

  it("is all that was set of what is deleted, and what was given of what is created", () => {
    const all = { name: "a", limit: 5, other: null };
    const settable = names("name", "limit", "other");
    expect(changesOf({ before: all, after: undefined, given: {} }, settable)).to.deep.equal([
      changed("name", "a", null),
      changed("limit", "5", null),
    ]);
    expect(changesOf({ before: undefined, after: all, given: { name: "a" } }, settable)).to.deep.equal([
      changed("name", null, "a"),
    ]);
  });

  it("names without values what no document shows, or shows in part", () => {
    const shown = { url: "https://hooks.example/…", sign_in: { steps: ["type"] } };
    const given = {
      password: "p",
      url: "https://hooks.example/T0/B0/secret",
      sign_in: { steps: [{ type: "change", value: "secret" }] },
    };
    expect(changesOf({ before: shown, after: shown, given }, names("password", "url", "sign_in"))).to.deep.equal([
      hidden("password"),
      hidden("url"),
      hidden("sign_in"),
    ]);
  });

  it("is no copy: long values and many fields are cut, and say so", () => {
    const [change] = changesOf(
      { before: undefined, after: { file: "x".repeat(10_000_000) }, given: { file: "" } },
      names("file"),
    );
    expect(change?.after).to.match(/^x{1000}… \(10000000 characters\)$/);
    const many = Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`f${n}`, n + 1]));
    const changes = changesOf({ before: { of: {} }, after: { of: many }, given: {} }, names("of"));
    expect(changes).to.have.length(100);
    expect(changes.at(-1)).to.deep.equal(changed("…", null, "401 fields"));
  });
});

describe("a name in the log", () => {
  it("is one line that is not too long, whatever somebody calls a thing", () => {
    expect(nameIn("CI\n2026-01-01 owner deleted everything\u202e\u2028x")).to.equal(
      "CI 2026-01-01 owner deleted everything x",
    );
    expect(nameIn("x".repeat(1_000))).to.have.length(200);
  });
});
