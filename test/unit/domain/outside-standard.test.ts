import { expect } from "chai";
import { isOutside, markOutside } from "../../../src/domain/findings/outside-standard.ts";
import { reportStandards } from "../../../src/schema/standards.ts";
import { a11yIssue, htmlIssue } from "../../support/fake-runner.ts";

/** Rules of axe-core by the standards that they are inside of. */
const rules: [name: string, tags: string[], inside: string[]][] = [
  [
    "image-alt",
    ["cat.text-alternatives", "wcag2a", "wcag111", "section508", "section508.22.a", "EN-301-549", "EN-9.1.1.1"],
    ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa", "section508", "en301549", "all"],
  ],
  [
    "color-contrast",
    ["cat.color", "wcag2aa", "wcag143", "EN-301-549", "EN-9.1.4.3"],
    ["wcag2aa", "wcag21aa", "wcag22aa", "section508", "en301549", "all"],
  ],
  [
    "avoid-inline-spacing",
    ["cat.structure", "wcag21aa", "wcag1412", "EN-301-549"],
    ["wcag21aa", "wcag22aa", "en301549", "all"],
  ],
  ["target-size", ["cat.sensory-and-visual-cues", "wcag22aa", "wcag258"], ["wcag22aa", "all"]],
  ["color-contrast-enhanced", ["cat.color", "wcag2aaa", "wcag146"], ["all"]],
  ["heading-order", ["cat.semantics", "best-practice"], ["all"]],
];

describe("what is outside of a standard", () => {
  for (const [name, tags, inside] of rules)
    it(`leaves ${name} inside of ${inside.join(", ")}`, () => {
      expect(reportStandards.filter((standard) => !isOutside(tags, standard))).to.deep.equal(inside);
    });

  it("is never an HTML issue", () => {
    const issue = htmlIssue("Obsolete");
    expect(markOutside("html", issue, "wcag2a")).to.equal(issue);
    expect(markOutside("a11y", a11yIssue("minor", 1), "wcag2a").outside_standard).to.equal(true);
  });
});
