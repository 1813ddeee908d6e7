import { expect } from "chai";
import { toHtml, toPlainText } from "../../../../src/domain/guides/render-markdown.ts";

describe("The Markdown of guides", () => {
  it("becomes HTML and plain text", () => {
    const text = "Write `<img alt>`\n*here* and [there](https://example.org/).\n\n- one\n- two";
    expect(toHtml(text)).to.equal(
      '<p>Write <code>&lt;img alt&gt;</code>\n<em>here</em> and <a href="https://example.org/">there</a>.</p>\n' +
        "<ul>\n<li>one</li>\n<li>two</li>\n</ul>\n",
    );
    expect(toPlainText(text)).to.equal("Write <img alt> here and there.\n\none\n\ntwo");
  });

  const hostile = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "[a](javascript:alert(1))",
    "[a](data:text/html,<script>alert(1)</script>)",
    "![a](vbscript:x)",
    '[a](https://example.org/ "\\" onclick=\\"alert(1)")',
    "<https://example.org/\"onclick='alert(1)'>",
    "`</code><script>alert(1)</script>`",
  ];
  for (const text of hostile)
    it(`gets no tag or attribute that can run a script: ${text}`, () => {
      const tags = toHtml(text).match(/<[^>]*>/g) ?? [];
      const allowed = /^<\/?(?:p|code|em|strong|ul|ol|li|pre|a)>$|^<a href="https:[^"]*"(?: title="[^"]*")?>$/;
      expect(tags.filter((tag) => !allowed.test(tag))).to.deep.equal([]);
    });
});
