import { expect } from "chai";
import { contrastOf } from "../../../src/domain/findings/contrast.ts";

const grey = {
  ...{ fgColor: "#999999", bgColor: "#ffffff", contrastRatio: 2.84, expectedContrastRatio: "4.5:1" },
  ...{ fontSize: "12.0pt (16px)", fontWeight: "normal" },
};

describe("the contrast of a text", () => {
  it("is what axe-core measured, with the least that the text needs", () => {
    expect(contrastOf(grey)).to.deep.equal({
      ...{ ratio: 2.84, required: 4.5, foreground: "#999999", background: "#ffffff", shadow: null },
      ...{ font_size: 16, font_weight: "normal" },
    });
    expect(
      contrastOf({ ...grey, shadowColor: "#333333", fontSize: "18.4pt (24.5px)", fontWeight: "bold" }),
    ).to.deep.include({ shadow: "#333333", font_size: 24.5, font_weight: "bold" });
  });

  it("has no ratio where a colour is not known", () => {
    const unknown = { ...grey, bgColor: undefined, contrastRatio: 0, messageKey: "bgImage" };
    expect(contrastOf(unknown)).to.deep.include({ ratio: null, background: null, foreground: "#999999" });
  });

  for (const [what, data] of [
    ["nothing", null],
    ["a text", "4.5:1"],
    ["data of another check", { role: "button" }],
    ["a ratio that is required of nothing", { ...grey, expectedContrastRatio: "4.5" }],
    ["a size that is no size", { ...grey, fontSize: "<b>(1px)</b>" }],
  ] as const)
    it(`is null for ${what}`, () => {
      expect(contrastOf(data)).to.equal(null);
    });

  it("has no colour that is none, and no ratio that cannot be", () => {
    expect(contrastOf({ ...grey, fgColor: "red;}" })).to.deep.include({ foreground: null, ratio: null });
    for (const contrastRatio of [0, 22, Number.NaN, "2.84"])
      expect(contrastOf({ ...grey, contrastRatio })?.ratio).to.equal(null);
  });
});
