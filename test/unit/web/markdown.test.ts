import { expect } from "chai";
import MarkdownIt from "markdown-it";
import type { Resource } from "../../../src/api/documents.ts";
import { faultsOf } from "../../../src/web/page-findings/faults.ts";
import { markdownOf } from "../../../src/web/page-findings/markdown.ts";

/** A finding whose element a page made up, as Markdown that a tracker of issues reads. */
function tokensOf(extract: string, target: string, title = "insert /") {
  const finding = {
    attributes: {
      ...{ kind: "a11y", rule: "image-alt", message: "Images must have alternative text", fault: "f" },
      ...{ url: "https://example.com/", success_criteria: [], element: { extract, target, fix: { title } } },
    },
  } as unknown as Resource<"finding">;
  const [fault] = faultsOf([finding]);
  if (!fault) throw new Error("There is no fault");
  return new MarkdownIt({ html: true }).parse(markdownOf(fault, undefined), {});
}

describe("A finding as Markdown", () => {
  for (const extract of [
    "<img>",
    "<img alt='```'>",
    "<p>\n```\n# Owned\n\n<script>x</script>\n</p>",
    "````html\n`````",
  ])
    it(`has the source of its element as code, whatever is in it: ${JSON.stringify(extract)}`, () => {
      const blocks = tokensOf(extract, "img").filter(({ type }) => ["fence", "html_block"].includes(type));
      expect(blocks.map(({ content, info }) => [info, content])).to.deep.equal([["html", `${extract}\n`]]);
    });

  it("has a change as code, whatever it puts into the page", () => {
    const inline = tokensOf("<img>", "img", "insert `<b>` at 1:1").flatMap(({ children }) => children ?? []);
    expect(inline.filter(({ type }) => type === "html_inline")).to.deep.equal([]);
  });

  for (const target of ["main > img", "[title='`<b>x</b>`']", "`a``", "``"])
    it(`has the place of its element as code, whatever is in it: ${target}`, () => {
      const inline = tokensOf("<img>", target).flatMap(({ children }) => children ?? []);
      expect(inline.filter(({ type }) => type === "code_inline").map(({ content }) => content)).to.deep.equal([
        target,
        "insert /",
      ]);
      expect(inline.filter(({ type }) => type === "html_inline")).to.deep.equal([]);
    });
});
