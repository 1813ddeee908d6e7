import { expect } from "chai";
import type { Findings, RuleResult } from "../../../src/checker/engines/axe/in-page.ts";
import { isShortTextThatFails, settleContrast } from "../../../src/checker/engines/axe/settle-contrast.ts";

const contrast = {
  ...{ fgColor: "#999999", bgColor: "#ffffff", contrastRatio: 2.84, expectedContrastRatio: "4.5:1" },
  ...{ fontSize: "12.0pt (16px)", fontWeight: "normal" },
};
const font = '"Open Sans", sans-serif';
const node = (text: string, target: string): RuleResult["nodes"][number] => ({
  ...{ html: `<b>${text}</b>`, target: [target], failureSummary: "too short", element: null },
  ...{ contrast, short: { text, font } },
});
const rule = (nodes: RuleResult["nodes"], id = "color-contrast", total = nodes.length): RuleResult => ({
  ...{ id, help: "Contrast", helpUrl: "", impact: "serious", tags: ["wcag143"], nodes, total },
});
const targets = (rules: readonly RuleResult[]) =>
  rules.map(({ id, nodes, total }) => [id, nodes.map(({ target }) => target[0]), total]);

describe("contrast that axe-core leaves undecided", () => {
  for (const [what, given, fails] of [
    ["a letter with too little contrast", {}, true],
    ["a digit", { short: { text: "7", font } }, true],
    ["a letter of another script", { short: { text: "字", font } }, true],
    ["a sign", { short: { text: "×", font } }, false],
    ["a character for private use, as icon fonts have them", { short: { text: "\ue001", font } }, false],
    ["a letter in an icon font", { short: { text: "a", font: "MyIcons, serif" } }, false],
    ["two letters, of which axe-core says something else", { short: { text: "ab", font } }, false],
    ["a letter with enough contrast", { contrast: { ...contrast, contrastRatio: 4.5 } }, false],
    ["a letter on a background that is not known", { contrast: { ...contrast, bgColor: undefined } }, false],
    ["a letter with a shadow", { contrast: { ...contrast, shadowColor: "#333333" } }, false],
    ["what is no short text", { short: undefined }, false],
  ] as const)
    it(`${fails ? "is an error" : "stays a review"} for ${what}`, () => {
      expect(isShortTextThatFails({ contrast, short: { text: "a", font }, ...given })).to.equal(fails);
    });

  it("becomes an error beside the others of its rule, and each element is counted once", () => {
    const found: Findings = {
      violations: [rule([node("word", "#w")]), rule([], "image-alt")],
      incomplete: [rule([node("a", "#a"), node("×", "#x")], "color-contrast", 5), rule([node("b", "#b")], "other")],
    };
    const { violations, incomplete } = settleContrast(found);
    expect(targets(violations)).to.deep.equal([
      ["color-contrast", ["#w", "#a"], 2],
      ["image-alt", [], 0],
    ]);
    expect(targets(incomplete)).to.deep.equal([
      ["color-contrast", ["#x"], 4],
      ["other", ["#b"], 1],
    ]);
    expect(violations[0]?.nodes[1]?.failureSummary).to.contain("color contrast of 2.84 (foreground color: #999999");
  });

  it("leaves no review of a rule of which everything is settled", () => {
    const { violations, incomplete } = settleContrast({ violations: [], incomplete: [rule([node("a", "#a")])] });
    expect(targets(violations)).to.deep.equal([["color-contrast", ["#a"], 1]]);
    expect(incomplete).to.deep.equal([]);
  });

  it("is settled by what was measured in a picture: everywhere enough, nowhere, or neither", () => {
    const unknown = { ...contrast, bgColor: undefined, contrastRatio: undefined };
    const [good, bad, mixed] = ["#good", "#bad", "#mixed"].map((target) => ({
      ...{ ...node("Bread", target), contrast: unknown, short: undefined },
    }));
    if (!good || !bad || !mixed) throw new Error("Three texts are measured.");
    const measured = new Map([
      [good, { least: 4.5, most: 9, below: 0 }],
      [bad, { least: 1.2, most: 4.49, below: 1 }],
      [mixed, { least: 2, most: 8, below: 0.25 }],
    ]);
    const found = { violations: [], incomplete: [rule([good, bad, mixed])] };
    const { violations, incomplete } = settleContrast(found, measured);
    expect([targets(violations), targets(incomplete)]).to.deep.equal([
      [["color-contrast", ["#bad"], 1]],
      [["color-contrast", ["#mixed"], 1]],
    ]);
    expect(violations[0]?.nodes[0]?.failureSummary).to.include("between 1.20 and 4.49").and.include("everywhere");
    expect(incomplete[0]?.nodes[0]?.failureSummary).to.include("on 25 % of what is behind it");
  });
});
