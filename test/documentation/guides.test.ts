import axe from "axe-core";
import { expect } from "chai";
import { parserCodes } from "html-conformance/rules";
import { rulesInCode } from "../../packages/html-conformance/test/support/rules-in-code.ts";
import { htmlRules } from "../../src/checker/engines/html-validate/rules.ts";
import { type ActingRuleName, actingRules, tagsOfRule } from "../../src/domain/acting/rules.ts";
import { actRulesOf } from "../../src/domain/findings/act-rules.ts";
import { successCriteriaOf } from "../../src/domain/findings/success-criteria.ts";
import { readGuides } from "../../src/files/read-guides.ts";

const guides = await readGuides();
const actingRuleNames = Object.keys(actingRules) as ActingRuleName[];

/** Rules whose findings are about the check itself. */
const ofTheCheck = ["not-checked-further", "too-many-findings", "css/not-checked"];
/** Not of the page, but of a frame that was not checked: no example shows it. */
const withoutExample = ["frame-tested"];

describe("A guide to accessibility", () => {
  const ofA11y = guides.list().filter(({ kind }) => kind === "a11y");

  it("names the ACT rules that its rule has, in axe-core's metadata or ours", () => {
    const named = Object.fromEntries(ofA11y.map(({ rule, act }) => [rule, act.map(({ id }) => id)]));
    const rules = new Map([
      ...axe.getRules().map(({ ruleId, actIds = [] }) => [ruleId, actIds] as const),
      ...actingRuleNames.map((rule) => [rule as string, actRulesOf(tagsOfRule(rule)).map(({ id }) => id)] as const),
    ]);
    expect(named).to.deep.equal(Object.fromEntries(ofA11y.map(({ rule }) => [rule, rules.get(rule) ?? []])));
    expect(named["image-alt"]).to.deep.equal(["23a2a8"]);
  });

  it("names the success criteria that the rule has by its tags, and none for good practice", () => {
    const named = ofA11y.map(({ rule, criteria }) => [rule, criteria.map(({ number }) => number)]);
    const rules = new Map([
      ...axe.getRules().map(({ ruleId, tags }) => [ruleId, successCriteriaOf(tags)] as const),
      ...actingRuleNames.map((rule) => [rule as string, successCriteriaOf(tagsOfRule(rule))] as const),
    ]);
    expect(named).to.deep.equal(
      named.map(([rule]) => [rule, (rules.get(String(rule)) ?? []).map(({ number }) => number)]),
    );
  });
});

describe("There is a guide", () => {
  it("to every rule of acting", () => {
    const named = guides.list().flatMap(({ engine, rule }) => (engine === "acting" ? [rule] : []));
    expect(named).to.have.members(actingRuleNames);
  });

  it("to every rule of the conformance engine", () => {
    const rules = [
      ...rulesInCode().map((rule) => rule.replaceAll("…", "x")),
      ...parserCodes.map((code) => `parse/${code}`),
    ];
    expect(rules).to.have.length.above(150);
    expect(rules.filter((rule) => !ofTheCheck.includes(rule) && !guides.find("html", rule))).to.deep.equal([]);
  });

  it("to every rule of html-validate that is on", () => {
    const on = Object.entries(htmlRules).filter(([, { severity }]) => severity !== "off");
    expect(on.map(([rule]) => rule).filter((rule) => !guides.find("html", rule))).to.deep.equal([]);
  });

  it("to every rule that axe-core runs by default", () => {
    const rules = axe
      .getRules()
      .filter(({ tags }) => !tags.some((tag) => ["experimental", "deprecated"].includes(tag)));
    const { rules: all } = (axe as unknown as { _audit: { rules: { id: string; enabled: boolean }[] } })._audit;
    const isOn = new Set(all.filter(({ enabled }) => enabled).map(({ id }) => id));
    const on = rules.map(({ ruleId }) => ruleId).filter((rule) => isOn.has(rule) && !withoutExample.includes(rule));
    expect(on).to.have.length.above(80);
    expect(on.filter((rule) => !guides.find("a11y", rule))).to.deep.equal([]);
  });
});
