import axe from "axe-core";
import { expect } from "chai";
import { faultOf, type Topic, topics } from "../../../src/domain/findings/fault.ts";
import { criterionOfTag } from "../../../src/domain/findings/success-criteria.ts";
import { readGuides } from "../../../src/files/read-guides.ts";

const table = Object.entries<Topic>(topics);
const element = { tag: "tag", path: "path" };
const finding = { kind: "a11y", rule: "image-alt", page: "/", element };

describe("the topics of rules", () => {
  const byId = new Map(axe.getRules().map((rule) => [rule.ruleId, rule]));

  for (const [name, { a11y, html, act, criterion }] of table) {
    it(`have rules of both kinds, which there are: ${name}`, async () => {
      const guides = await readGuides();
      expect(Math.min(a11y.length, html.length)).to.be.above(0);
      expect([...byId.keys()]).to.include.members([...a11y]);
      for (const rule of html) expect(guides.find("html", rule), rule).not.to.equal(undefined);
    });

    it(`have the ACT rules and success criteria of the engine's rules: ${name}`, () => {
      const rules = a11y.map((rule) => byId.get(rule));
      const known = new Set(rules.flatMap((rule) => rule?.actIds ?? []));
      expect([...known]).to.include.members([...act]);
      const criteria = new Set(rules.flatMap((rule) => (rule?.tags ?? []).map((tag) => criterionOfTag(tag)?.number)));
      if (criterion !== null) expect([...criteria]).to.include(criterion);
      else expect([...criteria].filter(Boolean)).to.deep.equal([]);
    });
  }

  it("have each rule once", () => {
    for (const kind of ["a11y", "html"] as const) {
      const rules = table.flatMap(([, topic]) => topic[kind]);
      expect(rules).to.have.length(new Set(rules).size);
    }
  });
});

describe("the fault of a finding", () => {
  it("is that of equivalent rules about the same element of a page", () => {
    expect(faultOf({ ...finding, kind: "html", rule: "img/alt" }))
      .to.equal(faultOf(finding))
      .and.match(/^[0-9a-f]{20}$/);
  });

  const others: [string, Partial<typeof finding>][] = [
    ["another page", { page: "/about" }],
    ["another element", { element: { ...element, tag: "other" } }],
    ["another place", { element: { ...element, path: "other" } }],
    ["another topic", { rule: "empty-heading" }],
  ];
  for (const [what, other] of others)
    it(`is not that of ${what}`, () => {
      expect(faultOf({ ...finding, ...other })).not.to.equal(faultOf(finding));
    });

  it("of the document is the same whatever element is named", () => {
    const lang = { ...finding, rule: "html-has-lang" };
    expect(faultOf({ ...lang, kind: "html", rule: "missing-lang", element: { tag: "x", path: "" } })).to.equal(
      faultOf(lang),
    );
  });

  it("is its own for a rule without equivalents, and for a kind that has no such rule", () => {
    expect(faultOf({ ...finding, rule: "color-contrast" })).to.equal(null);
    expect(faultOf({ ...finding, kind: "links" })).to.equal(null);
  });
});
