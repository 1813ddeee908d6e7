import { expect } from "chai";
import fc from "fast-check";
import { storableJson } from "../../../src/database/stored-text.ts";
import { grantable, monthOf } from "../../../src/domain/accounts/credits.ts";
import { addTally, countIssue, emptyTally } from "../../../src/domain/findings/tally.ts";
import { a11yIssue, htmlIssue } from "../../support/fake-runner.ts";

describe("credits", () => {
  const cases: [wanted: number, uses: { limit: number | null; used: number }[], granted: number][] = [
    [5, [{ limit: null, used: 1_000 }], 5],
    [5, [{ limit: 10, used: 2 }], 5],
    [5, [{ limit: 10, used: 8 }], 2],
    [5, [{ limit: 10, used: 10 }], 0],
    [5, [{ limit: 10, used: 12 }], 0],
    [5, [{ limit: 0, used: 0 }], 0],
    [
      5,
      [
        { limit: 10, used: 2 },
        { limit: 3, used: 0 },
      ],
      3,
    ],
    [
      5,
      [
        { limit: null, used: 2 },
        { limit: 3, used: 3 },
      ],
      0,
    ],
  ];
  for (const [wanted, uses, granted] of cases) {
    it(`grant ${granted} of ${wanted} with ${uses.map(({ limit, used }) => `${used} of ${limit ?? "any"}`).join(", ")} used`, () => {
      expect(grantable(wanted, uses)).to.equal(granted);
    });
  }

  it("belong to the month in UTC", () => {
    expect(monthOf(new Date("2026-01-31T23:59:59Z"))).to.equal("2026-01-01");
    expect(monthOf(new Date("2026-02-01T00:30:00+01:00"))).to.equal("2026-01-01");
  });
});

describe("a tally", () => {
  it("counts elements, reviews as warnings, both by severity, and apart what is muted or outside of the standard", () => {
    const inside = { outside_standard: 0, muted_errors: 0, muted_warnings: 0 };
    const tally = emptyTally();
    countIssue(tally, a11yIssue("serious", 2));
    countIssue(tally, a11yIssue("minor", 3, true));
    expect(tally).to.deep.equal({ errors: 2, warnings: 3, minor: 3, moderate: 0, serious: 2, critical: 0, ...inside });
    countIssue(tally, htmlIssue("m", 4));
    countIssue(tally, htmlIssue("m", 5, "warning"));
    expect(tally).to.deep.equal({ errors: 6, warnings: 8, minor: 3, moderate: 0, serious: 2, critical: 0, ...inside });
    countIssue(tally, htmlIssue("m", 4), 0, 4);
    countIssue(tally, { ...a11yIssue("critical", 7), outside_standard: true }, 7, 2);
    expect(tally).to.deep.equal({
      errors: 6,
      warnings: 8,
      minor: 3,
      moderate: 0,
      serious: 2,
      critical: 0,
      ...inside,
      outside_standard: 7,
      muted_errors: 4,
    });
    addTally(tally, tally, -1);
    expect(tally).to.deep.equal(emptyTally());
  });
});

describe("JSON for PostgreSQL", () => {
  it("is unchanged, except for characters that cannot be stored", () => {
    const text = fc.string({
      unit: fc.constantFrom("a", "\\", "\0", "\ud800", "\udc00", "u0000", "ud800", '"', "😀", "\n"),
    });
    const storable = (value: string): string => value.replaceAll("\0", "\ufffd").toWellFormed();
    fc.assert(
      fc.property(fc.dictionary(text, text), (value) => {
        const expected = Object.entries(value).map(([key, entry]) => [storable(key), storable(entry)]);
        expect(JSON.parse(storableJson(Object.entries(value)))).to.deep.equal(expected);
      }),
    );
  });
});
