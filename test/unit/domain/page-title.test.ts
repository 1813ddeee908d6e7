import { expect } from "chai";
import { pageTitle } from "../../../src/domain/page/page-title.ts";

describe("The title of a page", () => {
  for (const [what, source, title] of [
    ["is the text of its element", "<title>Rye bread</title>", "Rye bread"],
    ["is in one line", "<title>\n  Rye\n  bread </title>", "Rye bread"],
    ["has no character references", "<title>Bread &amp; cheese</title>", "Bread & cheese"],
    ["is no title of a drawing", "<svg><title>Logo</title></svg><title>Bread</title>", "Bread"],
    ["is the first one", "<title>One</title><title>Two</title>", "One"],
    ["has no markup", "<title><b>Bold</b></title>", "<b>Bold</b>"],
    ["is none where there is no text", "<title> </title>", null],
    ["is none in a document without one", "<p>title</p>", null],
    ["is read as far as it goes", "<title>Bread", "Bread"],
    ["cannot be stored with a null character", "<title>a\0b</title>", "ab"],
  ] as const)
    it(what, () => {
      expect(pageTitle(source)).to.equal(title);
    });

  it("is shortened between characters", () => {
    expect(pageTitle(`<title>${"🥖".repeat(400)}</title>`)).to.equal("🥖".repeat(300));
  });
});
