import { expect } from "chai";
import { load } from "cheerio";
import { successCriteriaOf } from "../../../src/domain/findings/success-criteria.ts";
import { html, render } from "../../../src/web/html.ts";
import { criteria, engineText } from "../../../src/web/parts/finding.ts";

describe("A finding's rule on pages", () => {
  const a11y = {
    success_criteria: successCriteriaOf(["wcag143", "wcag111"]),
  };

  it("is followed by what the engine says of it, unless that is its title", () => {
    const said = (title: string, message: string | null) => render(html`<p>${engineText({ title, message })}</p>`);
    expect(load(said("An element is obsolete", "<center> is obsolete."))("p").text()).to.equal("<center> is obsolete.");
    expect(load(said("Stray end tag", "Stray end tag"))("p").text()).to.equal("");
    expect(load(said("An element is obsolete", null))("p").text()).to.equal("");
  });

  it("has success criteria with links to their explanations", () => {
    const $ = load(render(html`<p>${criteria(a11y.success_criteria)}</p>`));
    expect($("p").text()).to.equal("1.1.1 Non-text Content (A), 1.4.3 Contrast (Minimum) (AA)");
    expect($("a").last().attr("href")).to.equal("https://www.w3.org/WAI/WCAG22/Understanding/contrast-minimum.html");
  });
});
