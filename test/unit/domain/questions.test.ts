import { expect } from "chai";
import { questionOf } from "../../../src/domain/conformance/questions.ts";

describe("A question", () => {
  it("is known for a rule, or asks whether what its title says is as it should be", () => {
    expect(questionOf("sv-list-markup", "x")).to.equal("Is this no list?");
    for (const rule of ["made-up", "constructor", ""])
      expect(questionOf(rule, "Nothing says it"), rule).to.equal("Is this as it should be? “Nothing says it”");
  });
});
