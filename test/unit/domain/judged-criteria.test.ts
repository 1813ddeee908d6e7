import axe from "axe-core";
import { expect } from "chai";
import { ORIENTATION_LOCK } from "../../../src/checker/engines/axe/rules.ts";
import { tagsOf } from "../../../src/checker/engines/html/tags.ts";
import { criteriaOfStandard, judgeCriteria, judgedBy } from "../../../src/domain/findings/judged-criteria.ts";
import { successCriteriaOf } from "../../../src/domain/findings/success-criteria.ts";

type Audit = { rules: { id: string; enabled: boolean; tags: string[] }[] };

describe("the success criteria of a report", () => {
  const counts = [
    ["wcag2a", 24],
    ["wcag2aa", 37],
    ["section508", 37],
    ["wcag21aa", 49],
    ["en301549", 49],
    ["wcag22aa", 55],
    ["all", 86],
  ] as const;
  for (const [standard, count] of counts)
    it(`are ${count} of ${standard}`, () => {
      expect(criteriaOfStandard(standard)).to.have.length(count);
    });

  it("are judged as far as rules that run are about them", () => {
    const { rules } = (axe as unknown as { _audit: Audit })._audit;
    const running = rules.filter(
      ({ id, enabled, tags }) => id === ORIENTATION_LOCK || (enabled && !tags.includes("experimental")),
    );
    expect(judgedBy.a11y).to.have.members(
      successCriteriaOf(running.flatMap(({ tags }) => tags)).map(({ number }) => number),
    );
    expect(judgedBy.html).to.deep.equal(
      successCriteriaOf(tagsOf("conformance", "img/alt")).map(({ number }) => number),
    );
  });

  it("fail with errors, and are not judged where nothing was checked", () => {
    const found = [
      { number: "1.4.3", errors: 7, warnings: 1 },
      { number: "1.1.1", errors: 0, warnings: 2 },
    ];
    const judged = (
      kinds: ("html" | "a11y")[],
      of = found,
      a11yDepth: "static" | "acting" = "static",
      standard: "wcag2aa" | "wcag22aa" = "wcag2aa",
      storeIncompleteChecks = false,
    ) =>
      Object.fromEntries(
        judgeCriteria({ standard, a11yDepth, storeIncompleteChecks }, kinds, of).map(({ number, state }) => [
          number,
          state,
        ]),
      );
    expect(judged(["html", "a11y"])).to.include({
      ...{ "1.4.3": "fails", "1.1.1": "nothing_found", "4.1.2": "nothing_found", "1.2.1": "not_judged" },
    });
    expect(judged(["html"], [])).to.include({ "1.1.1": "nothing_found", "4.1.2": "not_judged" });
    expect(judged(["a11y"], [])).to.include({ "2.1.2": "not_judged", "2.4.7": "not_judged" });
    expect(judged(["a11y"], [], "acting")).to.include({ "2.1.2": "nothing_found", "2.4.7": "nothing_found" });
    // Only a person can judge what acting finds of it, which is not kept without reviews.
    expect(judged(["a11y"], [], "acting", "wcag22aa")).to.include({ "1.4.10": "not_judged" });
    expect(judged(["a11y"], [], "acting", "wcag22aa", true)).to.include({ "1.4.10": "nothing_found" });
    expect(judged(["html"], [], "acting")).to.include({ "2.1.2": "not_judged" });
    expect(Object.values(judged([], []))).to.deep.equal(Array(37).fill("not_judged"));
  });
});
