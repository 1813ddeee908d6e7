import { expect } from "chai";
import { selectorFault } from "../../../src/schema/selector-fault.ts";
import { stepFaults } from "../../../src/schema/steps.ts";

describe("a selector that is given", () => {
  it("is one of CSS, of any level", () => {
    const right = [
      "#ads",
      ".a > .b",
      "#x:has(> img)",
      ":is(a, b)",
      "[data-a='x' i]",
      "a, b",
      "li:nth-child(2n+1 of .c)",
      "svg|a",
      ".é",
    ];
    for (const text of right) expect(selectorFault(text), text).to.equal(undefined);
  });

  it("is refused, and it is said where, if browsers would refuse it for its syntax", () => {
    const wrong = [
      "div[",
      "..a",
      "a >> b",
      ">",
      "> a",
      "a >",
      "a,",
      "a,, b",
      "",
      " ",
      "a{}",
      "//div",
      "text/foo",
      "$x",
      "a:",
      "@media",
      "<a>",
    ];
    for (const text of wrong) expect(selectorFault(text), text).to.match(/^is not a CSS selector: /);
    expect(stepFaults({ hide: ["#ads", "div["] })).to.deep.equal([
      { path: ["hide", 1], message: '"div[" is not a CSS selector: Unexpected end of input' },
    ]);
  });
});
