import { expect } from "chai";
import fc from "fast-check";
import { changeOf } from "../../../../src/domain/causes/changes.ts";
import { mend } from "../../../../src/domain/causes/mend.ts";

/** What an HTML rule's fix makes of a tag. */
function mended(rule: string, markup: string, message = ""): string | undefined {
  const { fix } = changeOf("html", rule).change;
  return fix && mend(fix, { markup, message })?.markup;
}

describe("the change that mends an element", () => {
  const table: [rule: string, before: string, message: string, after: string | undefined][] = [
    ["img/alt", '<img src="a.png">', "", '<img src="a.png" alt="Text alternative">'],
    ["img/alt", "<img src=a.png />", "", '<img src=a.png alt="Text alternative" />'],
    ["missing-lang", "<html>", "", '<html lang="en">'],
    ["duplicate-id", '<p class="a" id="note">', "", '<p class="a" id="note-2">'],
    ["obsolete-element", "<center>", "", '<div style="text-align: center">'],
    ["obsolete-element", '<font color="red" id="x">', "", '<span id="x">'],
    ["obsolete-element", "<x-unknown>", "", undefined],
    [
      "obsolete-attribute",
      '<td align="right">',
      'The attribute "align" on <td> is obsolete.',
      '<td style="text-align: right">',
    ],
    ["obsolete-attribute", `<td align='"><script>'>`, 'The attribute "align" on <td> is obsolete.', "<td>"],
    [
      "heading-level-skipped",
      '<h4 class="t">',
      "The heading <h4> follows <h1>; at most level 2 may follow.",
      '<h2 class="t">',
    ],
    ["missing-attribute/href", '<a rel="prev">', '<a> needs the attribute "href".', '<a rel="prev" href="#">'],
    ["bad-value/href", '<a href="a b|c">', "", '<a href="a%20b%7Cc">'],
    ["bad-value/role", '<details role="navigation" open>', "", "<details open>"],
    ["parse/missing-semicolon-after-character-reference", "&#xf17c", "", "&#xf17c;"],
    [
      "bad-value/xmlns",
      '<ol xmlns="" start="2">',
      'The value "" of the attribute "xmlns" on <ol> is not valid.',
      '<ol start="2">',
    ],
    ["listitem", '<li role="menuitem">', "", undefined],
    ["no-rule-of-this-name", "<p>", "", undefined],
  ];
  for (const [rule, before, message, after] of table)
    it(`of ${rule} makes of ${before} ${after ?? "nothing"}`, () => {
      expect(mended(rule, before, message)).to.equal(after);
    });

  it("leaves what follows the tag as it is, and never throws, whatever a page has", () => {
    const rules = fc.constantFrom(...table.map(([rule]) => rule));
    const rest = fc.string({ unit: "binary", maxLength: 80 });
    fc.assert(
      fc.property(rules, rest, rest, (rule, attributes, after) => {
        mended(rule, `<img ${attributes}>${after}`, `The attribute "${attributes}" is obsolete.`);
        const whole = mended(rule, `<img src="a.png">${after}`);
        if (whole !== undefined && rule === "img/alt") expect(whole.endsWith(`>${after}`)).to.equal(true);
      }),
    );
  });
});
