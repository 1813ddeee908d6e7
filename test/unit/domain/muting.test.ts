import { expect } from "chai";
import fc from "fast-check";
import { type Muting, type MutingCriteria, muteIssue, mutingsByPage } from "../../../src/domain/findings/muting.ts";
import { mutingOf } from "../../support/mutings.ts";

const URL = "https://example.com/Shop?a=1";
const a = "a".repeat(20);
const b = "b".repeat(20);
const muting = (criteria: MutingCriteria, id = "1"): Muting => ({ ...mutingOf(criteria).criteria, id });
const issue = { text: "<font> is deprecated", rule: "deprecated", howMany: 3 };
const findings = [
  { fingerprint: a, component: a, selector: "body > main > font.big", howMany: 1 },
  { fingerprint: b, component: a, selector: "body > footer > font", howMany: 1 },
  { fingerprint: b, component: b, selector: null, howMany: 1 },
];
const silenced = (rules: readonly Muting[], url = URL) => muteIssue(mutingsByPage(rules)(url), issue, findings);

describe("mutings", () => {
  const wholes: [name: string, MutingCriteria, boolean][] = [
    ["parts of both texts", { url_match: "example.com/shop", message: "is deprecated" }, true],
    ["all of both", { url_match: "https://example.com/Shop?a=1", message: "<font> is deprecated" }, true],
    ["another case", { url_match: "EXAMPLE.COM", message: "IS DEPRECATED" }, true],
    ["another page", { url_match: "example.com/blog", message: "is deprecated" }, false],
    ["another message", { url_match: "example.com/shop", message: "is obsolete" }, false],
    ["patterns, which mean nothing here", { url_match: "example.com/*", message: ".*" }, false],
    ["the rule", { rule: "deprecated" }, true],
    ["a part of the rule", { rule: "deprec" }, false],
    ["the rule in another case", { rule: "Deprecated" }, false],
    ["the rule and the page", { rule: "deprecated", url_match: "/shop" }, true],
    ["the rule on another page", { rule: "deprecated", url_match: "/blog" }, false],
    ["the rule with another message", { rule: "deprecated", message: "obsolete" }, false],
  ];
  for (const [name, criteria, matches] of wholes)
    it(`${matches ? "silence" : "leave alone"} an issue: ${name}`, () => {
      expect(silenced([muting(criteria)])).to.deep.equal(
        matches
          ? { mutingId: "1", howMany: 3, mutedCount: 0, findings: ["1", "1", "1"] }
          : { mutingId: null, howMany: 3, mutedCount: 0, findings: [null, null, null] },
      );
    });

  const singles: [name: string, MutingCriteria, boolean[]][] = [
    ["a fingerprint", { fingerprint: a }, [true, false, false]],
    ["a fingerprint of two findings", { fingerprint: b }, [false, true, true]],
    ["a component, whatever its fingerprints", { component: a }, [true, true, false]],
    ["a component of another site", { component: a, url_match: "//example.org/" }, [false, false, false]],
    ["a component and a fingerprint", { component: a, fingerprint: b }, [false, true, false]],
    ["a selector", { selector: "main font" }, [true, false, false]],
    ["a selector and a fingerprint", { selector: "font", fingerprint: b }, [false, true, false]],
    ["a selector and another rule", { selector: "font", rule: "alt" }, [false, false, false]],
    ["a selector and a page", { selector: ".big", url_match: "/shop" }, [true, false, false]],
    ["a selector on another page", { selector: ".big", url_match: "/blog" }, [false, false, false]],
    ["every element, and nothing about the document", { selector: "*" }, [true, true, false]],
  ];
  for (const [name, criteria, matches] of singles)
    it(`silence single findings of an issue: ${name}`, () => {
      const muted = matches.filter(Boolean).length;
      expect(silenced([muting(criteria)])).to.deep.equal({
        ...{ mutingId: null, howMany: 3 - muted, mutedCount: muted },
        findings: matches.map((is) => (is ? "1" : null)),
      });
    });

  it("silence an issue as a whole when nothing is left of it", () => {
    const rules = [muting({ fingerprint: b }, "1"), muting({ selector: ".big" }, "2")];
    expect(silenced(rules)).to.deep.equal({ mutingId: "2", howMany: 3, mutedCount: 0, findings: ["2", "1", "1"] });
  });

  it("apply in order, those of whole issues first", () => {
    const text = { url_match: "/", message: "font" };
    const rules = [muting({ fingerprint: a }, "1"), muting({ ...text, url_match: "/x" }, "2"), muting(text, "3")];
    expect(silenced([...rules, muting(text, "4")]).findings).to.deep.equal(["3", "3", "3"]);
  });

  it("keep the number of elements, whatever they silence", () => {
    const criteria = fc.record(
      {
        url_match: fc.constantFrom("/", "shop", "blog"),
        message: fc.constantFrom("font", "other"),
        rule: fc.constantFrom("deprecated", "alt"),
        fingerprint: fc.constantFrom(a, b),
        selector: fc.constantFrom("font", "main *", "footer > font", "p"),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.array(criteria, { maxLength: 4 }), (all) => {
        const result = silenced(all.map((one, index) => muting(one, `${index}`)));
        const muted = result.findings.filter((id) => id !== null).length;
        expect(result.howMany + result.mutedCount).to.equal(3);
        expect(result.mutingId !== null).to.equal(muted === 3);
        expect(result.mutingId === null ? result.mutedCount : 3).to.equal(muted);
      }),
    );
  });
});
