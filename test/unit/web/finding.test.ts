import { expect } from "chai";
import { load } from "cheerio";
import { successCriteriaOf } from "../../../src/domain/findings/success-criteria.ts";
import { html, render } from "../../../src/web/html.ts";
import { criteria, ruleOf } from "../../../src/web/parts/finding.ts";

describe("A finding's rule on pages", () => {
  const a11y = {
    ...({ help: "Elements must meet contrast", rule: "color-contrast", impact: "serious" } as const),
    ...{ outside_standard: false, success_criteria: successCriteriaOf(["wcag143", "wcag111"]) },
  };

  it("is a warning where a person has to judge, and an error otherwise", () => {
    expect(ruleOf("a11y", { ...a11y, review: true })).to.include({ kind: "a11y", type: "warning", title: a11y.help });
    expect(ruleOf("a11y", { ...a11y, review: false }).type).to.equal("error");
  });

  it("is what the engine of HTML calls it, without an impact", () => {
    const rule = ruleOf("html", { message: "Stray end tag", rule: null, issue_type: "warning" });
    expect(rule).to.include({ kind: "html", type: "warning", title: "Stray end tag", impact: null, outside: false });
  });

  it("has success criteria with links to their explanations", () => {
    const $ = load(render(html`<p>${criteria(a11y.success_criteria)}</p>`));
    expect($("p").text()).to.equal("1.1.1 Non-text Content (A), 1.4.3 Contrast (Minimum) (AA)");
    expect($("a").last().attr("href")).to.equal("https://www.w3.org/WAI/WCAG22/Understanding/contrast-minimum.html");
  });
});
