import { expect } from "chai";
import { createGuides } from "../../../../src/domain/guides/guides.ts";
import { readGuides } from "../../../../src/files/read-guides.ts";

const text = (rule: string, title: string) => `---
rule: ${rule}
engine: conformance
title: ${title}
section: https://html.spec.whatwg.org/multipage/dom.html#attributes
---

## What is wrong

The \`value\` is wrong.

## Who is affected

Everybody.

## How to fix it

Write another one.

## Before

\`\`\`html
<p>a</p>
\`\`\`

## After

\`\`\`html
<p>b</p>
\`\`\`
`;

describe("Guides", () => {
  const guides = createGuides(
    new Map([
      ["html/bad-value.md", text("bad-value", "The value is wrong")],
      ["html/bad-value/href.md", text("bad-value/href", "The address is wrong")],
      ["html/bad-value/src.md", "no guide"],
    ]),
  );
  const titleOf = (rule: string) => guides.find("html", rule)?.guide.title;

  it("are found by the very name of a rule, or else by what is before its slash", () => {
    expect(titleOf("bad-value/href")).to.equal("The address is wrong");
    expect(titleOf("bad-value/alt")).to.equal("The value is wrong");
    expect(titleOf("bad-value")).to.equal("The value is wrong");
    expect(titleOf("bad-values")).to.equal(undefined);
    expect(titleOf("")).to.equal(undefined);
    expect(guides.find("a11y", "bad-value")).to.equal(undefined);
    expect(guides.get("html", "bad-value/alt")).to.equal(undefined);
  });

  it("describe the rule without headings and examples", () => {
    expect(guides.find("html", "bad-value")?.description).to.deep.equal({
      text: "The value is wrong.\n\nEverybody.\n\nWrite another one.",
      markdown: "The `value` is wrong.\n\nEverybody.\n\nWrite another one.",
      html: "<p>The <code>value</code> is wrong.</p>\n<p>Everybody.</p>\n<p>Write another one.</p>\n",
    });
  });

  it("are parsed once, and only when they are asked for", () => {
    expect(guides.find("html", "bad-value/alt")).to.equal(guides.find("html", "bad-value/title"));
    expect(() => guides.find("html", "bad-value/src")).to.throw("guides/html/bad-value/src.md:1: ");
  });

  it("that are not there are an error that says what to do", async () => {
    const error = await readGuides("/no/such/folder").catch((reason: Error) => reason);
    expect(String(error)).to.match(/guides cannot be read: .*ENOENT.*install it again/);
  });
});
