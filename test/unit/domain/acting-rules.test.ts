import { readFileSync } from "node:fs";
import axe from "axe-core";
import { expect } from "chai";
import { type Acted, actingIssues } from "../../../src/domain/acting/issues.ts";
import {
  type ActingRuleName,
  actingRules,
  axeRulesOfActing,
  criterionOfRule,
  tagsOfRule,
} from "../../../src/domain/acting/rules.ts";
import { isKnownTag, standardsOf } from "../../../src/domain/findings/standards.ts";
import { successCriteriaOf } from "../../../src/domain/findings/success-criteria.ts";

const names = Object.keys(actingRules) as ActingRuleName[];
/** What docs/acting.md says of each rule: the criteria, and whether it says an error, a warning or advice. */
const told = readFileSync(new URL("../../../docs/acting.md", import.meta.url), "utf8")
  .split("\n\n")
  .flatMap((part) => (part.startsWith("| rule | finds | WCAG | says |") ? part.split("\n") : []))
  .flatMap((line) => {
    const [rules = "", , criteria = "", says = ""] = line.replace(/^\| | \|$/g, "").split(" | ");
    return [...rules.matchAll(/`(sv-[a-z-]+)`/g)].map(([, name = ""]) => ({ name, criteria, says }));
  });

describe("the rules of acting", () => {
  for (const name of names)
    it(`have tags by which ${name} is of its criterion and its standards`, () => {
      const tags = tagsOfRule(name);
      expect(tags.filter((tag) => !isKnownTag(tag))).to.deep.equal([]);
      expect(successCriteriaOf(tags).map(({ number }) => number)).to.deep.equal([actingRules[name].criterion]);
      // Of what is of level AAA, a report by a lower one says that it is outside of its standard.
      const standard = criterionOfRule(name).level === "AAA" ? "wcag22aaa" : "wcag22aa";
      expect(standardsOf(tags)).to.include(standard);
    });

  it("are all in the documentation, which says whether they may be errors", () => {
    expect(told.map(({ name }) => name)).to.have.members(names);
    const mayFail = told.filter(({ says }) => /\berror\b/.test(says)).map(({ name }) => name);
    expect(mayFail).to.have.members(names.filter((name) => actingRules[name].canFail));
    for (const { name, criteria } of told)
      expect(criteria.split(", "), name).to.include(actingRules[name as ActingRuleName].criterion);
  });

  it("run with rules of axe-core that it leaves off, and are about its criteria", () => {
    for (const [name, { criterion }] of Object.entries(axeRulesOfActing)) {
      const rule = axe.getRules().find(({ ruleId }) => ruleId === name);
      expect(
        successCriteriaOf(rule?.tags ?? []).map(({ number }) => number),
        name,
      ).to.deep.equal([criterion]);
    }
  });

  it("are of the standards that have their criteria", () => {
    expect(standardsOf(tagsOfRule("sv-keyboard-trap"))).to.include.members(["wcag2a", "section508"]);
    expect(standardsOf(tagsOfRule("sv-reflow")))
      .to.include("wcag21aa")
      .and.not.to.include("wcag2aa");
  });

  it("give one issue for each rule, errors apart from what a person has to judge", () => {
    const found = (rule: ActingRuleName, review: boolean, name: string): Acted => ({
      ...{ rule, review, summary: `It is ${name}.` },
      element: {
        ...{ extract: `<${name}>`, target: name, box: null },
        element: { name, attributes: [], ancestors: [] },
      },
    });
    const all = [
      found("sv-zoom-clips-text", false, "p"),
      found("sv-zoom-clips-text", true, "td"),
      found("sv-zoom-clips-text", false, "li"),
    ];
    const told = (withReviews: boolean) =>
      actingIssues(all, withReviews, "https://example.com").map(({ issue_type, html }) => [
        issue_type,
        html.map(({ extract, failure_summary }) => `${extract} ${failure_summary}`),
      ]);
    const errors = ["error", ["<p> It is p.", "<li> It is li."]];
    expect(told(true)).to.deep.equal([errors, ["warning", ["<td> It is td."]]]);
    expect(told(false)).to.deep.equal([errors]);
  });
});
