import { expect } from "chai";
import { nearest } from "../../../src/web/nearest.ts";

describe("What was probably meant", () => {
  const known = ["image-alt", "label", "color-contrast", "link-name"];

  it("is the known text with the fewest other letters", () => {
    expect(nearest("imgae-alt", known)).to.equal("image-alt");
    expect(nearest("Colour-contrast", known)).to.equal("color-contrast");
    expect(nearest("label", ["lable", "label"])).to.equal("label");
  });

  it("is nothing when most of it is something else", () => {
    expect(nearest("heading", known)).to.equal(undefined);
    expect(nearest("", known)).to.equal(undefined);
    expect(nearest("x".repeat(1_000), ["x".repeat(1_000)])).to.equal(undefined);
  });
});
