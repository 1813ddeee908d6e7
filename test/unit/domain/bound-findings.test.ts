import { expect } from "chai";
import fc from "fast-check";
import {
  boundElements,
  boundIssues,
  cutText,
  type FindingLimits,
  findingLimits,
} from "../../../src/domain/findings/bound-findings.ts";
import { type A11yIssue, countOf, type HtmlIssue, type Issue } from "../../../src/domain/findings/findings.ts";
import { countIssue, emptyTally } from "../../../src/domain/findings/tally.ts";

const coordinates = { first_line: 1, last_line: 1, first_column: 1, last_column: 1, hilite_start: 1, hilite_length: 9 };

function htmlIssue(message: string, extracts: string[], issue_type: "error" | "warning" = "error"): HtmlIssue {
  return {
    ...{ issue_type, rule: "rule", message, help_url: null, tags: ["t"] },
    html: extracts.map((extract) => ({ extract, coordinates })),
  };
}

function a11yIssue(rule: string, texts: string[]): A11yIssue {
  return {
    ...{ issue_type: "error", rule, message: rule, help_url: "https://example.com/", impact: "serious", tags: [] },
    html: texts.map((text) => ({ extract: text, target: text, failure_summary: text })),
  };
}

const tallyOf = (issues: readonly Issue[]) => {
  const tally = emptyTally();
  for (const issue of issues) countIssue(tally, issue);
  return tally;
};
const bytesOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value));
const elementsOf = (issues: readonly Issue[]) => issues.flatMap((issue): unknown[] => issue.html);

const bound = (issues: readonly Issue[], limits: FindingLimits = findingLimits) =>
  boundElements(boundIssues(issues, limits.issues), limits);

describe("the findings of a page that are stored", () => {
  it("are all of them, as they are, within the limits", () => {
    const issues = [htmlIssue("one", ["<a>", "<b>"]), a11yIssue("two", ["<c>"])];
    expect(bound(issues)).to.deep.equal(issues);
  });

  it("list no more elements of an issue than the limit, and count the rest", () => {
    const [issue] = bound([htmlIssue("m", Array(700).fill("<a>"))]);
    expect([issue?.html.length, issue?.how_many]).to.deep.equal([500, 700]);
  });

  it("end long texts with an ellipsis, without a part of a character", () => {
    const [issue] = bound([a11yIssue("r", ["💡".repeat(5_000)])]);
    const [element] = issue?.html ?? [];
    for (const text of Object.values(element ?? {})) {
      expect(text).to.match(/^💡{400,}…$/u);
      expect(Buffer.byteLength(String(text))).to.be.at.most(findingLimits.text);
    }
  });

  it("keep what is highlighted within the text", () => {
    const long = htmlIssue("m", ["x".repeat(5_000)]);
    const limits = { ...findingLimits, text: 8 };
    const [issue] = bound([long], limits) as HtmlIssue[];
    const [element] = issue?.html ?? [];
    expect([element?.extract, element?.coordinates.hilite_start, element?.coordinates.hilite_length]).to.deep.equal([
      "xxxxx…",
      1,
      5,
    ]);
  });

  it("share a page's bytes fairly: no issue is left without an element for the sake of another's second", () => {
    const limits = { ...findingLimits, page: 2_000 };
    const issues = [
      htmlIssue("many", Array(400).fill("<a>")),
      htmlIssue("few", ["<b>"]),
      htmlIssue("two", ["<c>", "<d>"]),
    ];
    const bounded = bound(issues, limits);
    expect(bounded.map(countOf)).to.deep.equal([400, 1, 2]);
    expect(bounded.slice(1).map(({ html }) => html.length)).to.deep.equal([1, 2]);
    expect(bounded[0]?.html.length).to.be.within(1, 399);
  });

  it("take no more of a page's bytes for the boxes of their elements", () => {
    const issue = a11yIssue("r", Array(100).fill("<a>"));
    const box = { x: 999_999, y: 999_999, width: 1_000_000, height: 1_000_000 };
    const located = { ...issue, html: issue.html.map((element) => ({ ...element, box })) };
    const limits = { ...findingLimits, page: 5_000 };
    const [without, within] = [bound([issue], limits), bound([located], limits)].map(elementsOf);
    expect(within).to.deep.equal(located.html.slice(0, within?.length)).and.to.have.length.above(20);
    expect(within?.length).to.be.below(without?.length ?? 0);
    expect(bytesOf(within)).to.be.at.most(5_001);
    expect(bytesOf({ box }) - bytesOf({})).to.be.at.most(70);
  });

  it("count the kinds of issues beyond the limit in one that says so", () => {
    const issues = Array.from({ length: 1_005 }, (_, n) =>
      htmlIssue(`m${n}`, ["<a>", "<b>"], n % 2 ? "error" : "warning"),
    );
    const bounded = bound(issues);
    expect(bounded.slice(1_000)).to.deep.equal([
      {
        ...htmlIssue("More kinds of errors are not listed; at most 1000 of a page are.", []),
        rule: "not-listed",
        tags: [],
        how_many: 4,
      },
      {
        ...htmlIssue("More kinds of warnings are not listed; at most 1000 of a page are.", [], "warning"),
        rule: "not-listed",
        tags: [],
        how_many: 6,
      },
    ]);
  });

  it("are within the limits and count the same, whatever a page has", () => {
    const text = fc.string({ unit: "binary", maxLength: 60 });
    const html = fc.tuple(text, fc.array(text, { minLength: 1, maxLength: 30 }), fc.constantFrom("error", "warning"));
    const a11y = fc.tuple(text, fc.array(text, { minLength: 1, maxLength: 30 }));
    const limits = { text: 40, elements: 7, issues: 5, page: 1_500 };
    fc.assert(
      fc.property(fc.array(html, { maxLength: 12 }), fc.array(a11y, { maxLength: 4 }), (ofHtml, ofA11y) => {
        for (const issues of [
          ofHtml.map(([message, extracts, type]) => htmlIssue(message, extracts, type)),
          ofA11y.map(([rule, texts]) => a11yIssue(rule, texts)),
        ]) {
          const bounded = bound(issues, limits);
          expect(tallyOf(bounded)).to.deep.equal(tallyOf(issues));
          expect(bytesOf(elementsOf(bounded))).to.be.at.most(limits.page + 2);
          expect(bounded.length).to.be.at.most(limits.issues + 2);
          for (const { html } of bounded) expect(html.length).to.be.at.most(limits.elements);
          for (const { how_many, html } of bounded)
            if (how_many !== undefined) expect(html.length).to.be.below(how_many);
        }
      }),
    );
  });

  it("cut a text to the bytes allowed, and only then", () => {
    expect(cutText("äöü", 6)).to.equal("äöü");
    expect(cutText("äöü", 5)).to.equal("ä…");
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.integer({ min: 3, max: 50 }), (text, max) => {
        expect(Buffer.byteLength(cutText(text, max))).to.be.at.most(Math.max(max, 3));
      }),
    );
  });
});
