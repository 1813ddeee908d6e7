import { expect } from "chai";
import { baselineText, MAX_FIXED_SHOWN } from "../../../../src/cli/check/output/baseline-text.ts";

describe("What the command says of a baseline", () => {
  const none = { errors: 0, warnings: 0 };
  const terminal = { width: Number.POSITIVE_INFINITY, colour: false };
  const said = (numFixed: number, more: object = {}) => {
    const fixed = Array.from({ length: Math.min(numFixed, MAX_FIXED_SHOWN) }, (_, index) => ({
      attributes: { rule: "no-x", url: `https://example.com/${index}`, element: null },
    }));
    const states = { new: none, persisting: { errors: 2, warnings: 1 }, fixed: { errors: numFixed, warnings: 0 } };
    const others = { gone: none, unknown: none, new_rule: none };
    const all = { ...states, ...others, ...more } as Parameters<typeof baselineText>[0]["states"];
    return baselineText({ file: "b.ndjson", states: all, fixed }, terminal, (url) => new URL(url).pathname);
  };

  it("are the known, new and fixed findings, the fixed ones by name", () => {
    expect(said(1)).to.deep.equal(["fixed  no-x  /0", "", "Baseline b.ndjson: 3 known, 0 new, 1 fixed", ""]);
  });

  it("has no list of what is fixed when nothing is, and says what is gone and what is of new rules", () => {
    expect(said(0, { gone: { errors: 1, warnings: 1 }, new_rule: { errors: 1, warnings: 0 } })).to.deep.equal([
      "Baseline b.ndjson: 3 known, 0 new, 0 fixed, 2 gone with their pages",
      "1 finding of rules or checks that the baseline does not have: --update-baseline adds them.",
      "",
    ]);
  });

  it("counts the fixed findings that it does not name", () => {
    const lines = said(MAX_FIXED_SHOWN + 2);
    expect(lines.filter((line) => line.startsWith("fixed"))).to.have.length(MAX_FIXED_SHOWN);
    expect(lines).to.include("       and 2 more fixed findings");
    expect(said(MAX_FIXED_SHOWN).join("\n")).to.not.include("more fixed");
  });
});
