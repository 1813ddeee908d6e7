import axe from "axe-core";
import { expect } from "chai";
import { isKnownTag, type Standard, standardsOf } from "../../../src/domain/findings/standards.ts";
import { successCriteria, successCriteriaOf } from "../../../src/domain/findings/success-criteria.ts";

const rules = axe.getRules();
const tagsOf = (id: string): string[] => rules.find(({ ruleId }) => ruleId === id)?.tags ?? [];
const numbers = (tags: readonly string[]): string[] => successCriteriaOf(tags).map(({ number }) => number);

describe("the success criteria and standards of rules", () => {
  it("are known for every tag of every rule of the installed axe-core", () => {
    expect(rules.length).to.be.above(90);
    const unknown = rules.flatMap(({ ruleId, tags }) =>
      tags.filter((tag) => !isKnownTag(tag)).map((tag) => `${ruleId}: ${tag}`),
    );
    expect(unknown).to.deep.equal([]);
    expect(isKnownTag("wcag999")).to.equal(false);
    expect(isKnownTag("constructor")).to.equal(false);
  });

  const table: [rule: string, criteria: string[], standards: Standard[]][] = [
    ["image-alt", ["1.1.1"], ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa", "wcag22aaa", "section508", "en301549"]],
    ["color-contrast", ["1.4.3"], ["wcag2aa", "wcag21aa", "wcag22aa", "wcag22aaa", "section508", "en301549"]],
    ["avoid-inline-spacing", ["1.4.12"], ["wcag21aa", "wcag22aa", "wcag22aaa", "en301549"]],
    ["label-content-name-mismatch", ["2.5.3"], ["wcag21aa", "wcag22aa", "wcag22aaa", "en301549"]],
    ["target-size", ["2.5.8"], ["wcag22aa", "wcag22aaa"]],
    ["color-contrast-enhanced", ["1.4.6"], ["wcag22aaa"]],
    ["duplicate-id", ["4.1.1"], []],
    ["heading-order", [], ["best-practice"]],
  ];
  for (const [rule, criteria, standards] of table)
    it(`of ${rule} are ${[...criteria, ...standards].join(", ")}`, () => {
      expect(numbers(tagsOf(rule))).to.deep.equal(criteria);
      expect(standardsOf(tagsOf(rule))).to.deep.equal(standards);
    });

  it("have numbers, titles and levels that agree with the tags of each rule", () => {
    const levels = { A: /^wcag2[12]?a(-obsolete)?$/, AA: /^wcag2[12]?aa$/, AAA: /^wcag2[12]?aaa$/ };
    const wrong = rules.filter(({ tags }) => {
      const criteria = successCriteriaOf(tags);
      // axe-core gives a rule the lowest of its criteria's levels.
      return criteria.length > 0 && !criteria.some(({ level }) => tags.some((tag) => levels[level].test(tag)));
    });
    expect(wrong.map(({ ruleId }) => ruleId)).to.deep.equal([]);
  });

  it("say for every rule which standards it is of, except for those of an obsolete criterion", () => {
    const none = rules.filter(({ tags }) => standardsOf(tags).length === 0);
    expect(none.filter(({ tags }) => !tags.includes("wcag2a-obsolete")).map(({ ruleId }) => ruleId)).to.deep.equal([]);
  });

  it("have axe-core's own mapping to Section 508 and EN 301 549 within them", () => {
    for (const { ruleId, tags } of rules) {
      const standards = standardsOf(tags);
      if (tags.includes("section508")) expect(standards, ruleId).to.include("wcag2aa");
      expect(tags.includes("EN-301-549"), ruleId).to.equal(standards.includes("wcag21aa"));
      expect(standards.includes("en301549"), ruleId).to.equal(standards.includes("wcag21aa"));
    }
  });

  it("are as many as WCAG 2.2 has, and the one that it has removed", () => {
    const count = (level: string) => [...successCriteria.values()].filter((entry) => entry.level === level).length;
    // https://www.w3.org/TR/WCAG22/: 31 at level A, 24 at AA, 31 at AAA.
    expect({ A: count("A"), AA: count("AA"), AAA: count("AAA") }).to.deep.equal({ A: 32, AA: 24, AAA: 31 });
    expect(new Set([...successCriteria.values()].map(({ title }) => title)).size).to.equal(successCriteria.size);
  });
});
