import { expect } from "chai";
import { whyHarmless } from "../../apps/harmless.ts";
import { changedRows, keyed } from "../../apps/rows.ts";

const table = (...rows: Record<string, unknown>[]) => new Map([["posts", keyed(rows, ["id"])]]);

describe("what a check has changed in an application", () => {
  it("is each row that came, went, or has other values", () => {
    const before = table({ id: 1, status: "published" }, { id: 2, status: "draft" }, { id: 3, status: "draft" });
    const after = table({ id: 1, status: "trash" }, { id: 3, status: "draft" }, { id: 4, status: "draft" });
    expect(changedRows(before, after).map(({ kind, columns, row }) => [kind, row.id, ...columns])).to.have.deep.members(
      [
        ["changed", 1, "status"],
        ["removed", 2],
        ["added", 4],
      ],
    );
  });

  it("is all of a table that is new or gone", () => {
    expect(changedRows(new Map(), table({ id: 1 })).map(({ kind }) => kind)).to.deep.equal(["added"]);
    expect(changedRows(table({ id: 1 }), new Map()).map(({ kind }) => kind)).to.deep.equal(["removed"]);
  });

  it("counts equal rows without a key", () => {
    const [one, two] = [[{ a: 1 }], [{ a: 1 }, { a: 1 }]].map((rows) => new Map([["log", keyed(rows, [])]]));
    expect(changedRows(one ?? new Map(), two ?? new Map())).to.have.length(1);
  });
});

describe("a harmless change", () => {
  const change = { of: "users", kind: "changed", columns: ["last_login"], row: { id: 7 } } as const;

  it("is one whose table, kind, columns and row are named", () => {
    expect(whyHarmless(change, [{ of: "users", columns: ["last_login", "visits"], why: "last sign-in" }])).to.equal(
      "last sign-in",
    );
    expect(whyHarmless(change, [{ of: /^u/, kinds: ["changed"], row: ({ id }) => id === 7, why: "x" }])).to.equal("x");
  });

  it("is none if any of these is another", () => {
    for (const one of [
      { of: "posts" },
      { of: "users", columns: ["name"] },
      { of: "users", kinds: ["removed"] as const },
      { of: "users", row: () => false },
    ])
      expect(whyHarmless(change, [{ ...one, why: "x" }])).to.equal(undefined);
    // Named columns are those of a row that changed: one that came or went is another thing.
    expect(
      whyHarmless({ ...change, kind: "removed", columns: [] }, [{ of: "users", columns: ["last_login"], why: "x" }]),
    ).to.equal(undefined);
  });
});
