import axe from "axe-core";
import { expect } from "chai";
import { designRules, type Role, roleOf } from "../../../src/domain/findings/role.ts";

describe("the role of a component", () => {
  const table: [rule: string, numPages: number, role: Role][] = [
    ["image-alt", 1, "content"],
    ["image-alt", 2, "content"],
    ["image-alt", 3, "template"],
    ["img/alt", 500, "template"],
    ["", 3, "template"],
    ["color-contrast", 1, "design"],
    ["color-contrast", 500, "design"],
    ["target-size", 2, "design"],
  ];
  for (const [rule, numPages, role] of table)
    it(`of ${rule || "no rule"} on ${numPages} pages is ${role}`, () => {
      expect(roleOf({ rule, numPages })).to.equal(role);
    });

  it("depends on rules that the engine has", () => {
    expect(axe.getRules().map(({ ruleId }) => ruleId)).to.include.members([...designRules]);
  });
});
