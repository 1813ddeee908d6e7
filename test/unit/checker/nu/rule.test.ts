import { expect } from "chai";
import { ruleOf } from "../../../../src/checker/engines/nu/rule.ts";

describe("the rule of a message of Nu's", () => {
  for (const [message, rule] of [
    [
      "Element “p” not allowed as child of element “b” in this context. (Suppressing further errors from this subtree.)",
      "element-not-allowed-as-child-of-element-in-this-context",
    ],
    ["Attribute “foo” not allowed on element “p” at this point.", "attribute-not-allowed-on-element-at-this-point"],
    ["Stray end tag “div”.", "stray-end-tag"],
    ["Duplicate ID “a”.", "duplicate-id"],
    [
      "Bad value “a b” for attribute “href” on element “a”: Illegal character in path segment: space is not allowed.",
      "bad-value-for-attribute-on-element",
    ],
    ["Bad value “” for attribute “id” on element “a”: An ID must not be empty.", "bad-value-for-attribute-on-element"],
    [
      "“&” did not start a character reference. (“&” probably should have been escaped as “&amp;”.)",
      "did-not-start-a-character-reference",
    ],
    [
      "Element “head” is missing one or more of the following attributes: [a, b].",
      "element-is-missing-one-or-more-of-the-following-attributes",
    ],
    [
      "Table column 3 established by element “td” has no cells beginning in it.",
      "table-column-established-by-element-has-no-cells-beginning-in-it",
    ],
    ["CSS: “color”: “12zz” is not a “color” value.", "css/value"],
    ["CSS: “colr”: Property “colr” doesn't exist.", "css/property"],
    ["CSS: Parse Error.", "css/syntax"],
    ["CSS: “@foo”: Unrecognized at-rule “@foo”.", "css/unrecognized-at-rule"],
    ["An “img” element must have an “alt” attribute, except under certain conditions.", "img/alt"],
    ["reference to undeclared general entity nbsp", "reference-to-undeclared-entity"],
    ["required character (found “b”) (expected “p”)", "required-character"],
    ["Forbidden code point U+0001.", "forbidden-code-point"],
    ["Saw U+0000 in stream.", "saw-null-in-stream"],
    ["", "other"],
    ["“”", "other"],
    ["12: 34", "other"],
  ] as const)
    it(`of ${JSON.stringify(message)} is ${rule}`, () => {
      expect(ruleOf(message)).to.equal(rule);
    });

  it("does not depend on what is quoted, whatever that holds", () => {
    const rules = [
      "a",
      "a”b",
      "“a”",
      "a: b. c",
      "a” on element “b",
      "x\ny",
      "\u202e",
      "”".repeat(50),
      "a".repeat(9_000),
    ].map((value) => [
      ruleOf(`Bad value “${value}” for attribute “rel” on element “link”: The string “${value}” is not registered.`),
      ruleOf(`Duplicate ID “${value}”.`),
    ]);
    expect(new Set(rules.map(String))).to.deep.equal(new Set(["bad-value-for-attribute-on-element,duplicate-id"]));
  });

  it("is short and kebab-case for any message", () => {
    const messages = ["word ".repeat(1_000), "“".repeat(1_000), "A”B’C\0\ud800", "日本 語", "x".repeat(5_000)];
    for (const message of messages) expect(ruleOf(message)).to.match(/^[\p{L}-]{1,80}$/u);
  });
});
