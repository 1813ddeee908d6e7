import { expect } from "chai";
import { parseGuide } from "../../../../src/domain/guides/parse-guide.ts";

const guide = `---
rule: img/alt
engine: conformance
title: An image has no text alternative
section: https://html.spec.whatwg.org/multipage/images.html#alt
criteria: [1.1.1]
---

## What is wrong

An \`<img>\` has no \`alt\`.

## Who is affected

People who do not see it.

## How to fix it

Write what it says.

## Before

\`\`\`html
<img src="a.png">
\`\`\`

## After

\`\`\`html document
<!DOCTYPE html>
## not a heading
\`\`\`
`;

const mistakes: readonly (readonly [name: string, change: (text: string) => string, message: RegExp, file?: string])[] =
  [
    ["no front matter", (text) => text.slice(4), /alt\.md:1: .*front matter/],
    ["YAML that cannot be read", (text) => text.replace("title:", "title: ["), /alt\.md:5: invalid YAML/],
    ["a member that is not known", (text) => text.replace("section:", "sections:"), /alt\.md:5: sections is not known/],
    ["a missing title", (text) => text.replace(/title.*\n/, ""), /alt\.md:2: title is missing/],
    [
      "neither section nor criteria",
      (text) => text.replace(/section.*\ncrit.*\n/, ""),
      /section or criteria is missing/,
    ],
    ["a section that is not a URL", (text) => text.replace("https:", "http:"), /alt\.md:5: section must match.*"http:/],
    [
      "an engine that does not exist",
      (text) => text.replace("conformance", "tidy"),
      /alt\.md:3: engine .*html-validate/,
    ],
    [
      "a criterion that does not exist",
      (text) => text.replace("1.1.1", "1.1.9"),
      /alt\.md:6: criteria: 1\.1\.9 is not/,
    ],
    ["the rule of another file", (text) => text.replace("img/alt", "img/src"), /alt\.md:2: rule is img\/src/],
    ["an engine of the other kind", (text) => text.replace("conformance", "axe-core"), /engine is axe-core/],
    ["another folder", (text) => text, /guides\/css\/alt\.md:1: a guide is a file/, "css/alt.md"],
    [
      "text before the first heading",
      (text) => text.replace("\n## What", "Hm.\n## What"),
      /alt\.md:8: there is text before/,
    ],
    ["a missing part", (text) => text.replace("## Who is affected\n", ""), /alt\.md:16: the headings/],
    ["a part more", (text) => `${text}## See also\n\nNothing.\n`, /alt\.md:33: "## See also" is one heading too many/],
    [
      "an empty part",
      (text) => text.replace("People who do not see it.", ""),
      /alt\.md:13: "## Who is affected" is empty/,
    ],
    [
      "an example without a fence",
      (text) => text.replace(/```html\n([^`]*)```/, "$1"),
      /alt\.md:21: "## Before" must have one fenced/,
    ],
    [
      "an example in another language",
      (text) => text.replace("```html\n", "```css\n"),
      /"## Before" must have one fenced/,
    ],
  ];

describe("A guide's file", () => {
  it("is read: what it is about, its parts and its examples", () => {
    const { kind, rule, title, criteria, parts, before, after } = parseGuide("html/img/alt.md", guide);
    expect([kind, rule, title]).to.deep.equal(["html", "img/alt", "An image has no text alternative"]);
    expect(criteria.map((criterion) => criterion.title)).to.deep.equal(["Non-text Content"]);
    expect(parts).to.deep.equal([
      { heading: "What is wrong", markdown: "An `<img>` has no `alt`." },
      { heading: "Who is affected", markdown: "People who do not see it." },
      { heading: "How to fix it", markdown: "Write what it says." },
    ]);
    expect(before).to.deep.equal({ source: '<img src="a.png">\n', language: "html", isDocument: false });
    expect(after).to.deep.equal({
      source: "<!DOCTYPE html>\n## not a heading\n",
      language: "html",
      isDocument: true,
    });
  });

  for (const [name, change, message, file = "html/img/alt.md"] of mistakes)
    it(`is refused, with the line: ${name}`, () => {
      expect(() => parseGuide(file, change(guide))).to.throw(message);
    });
});
