import { expect } from "chai";
import { groupFindings } from "../../../../src/cli/check/output/group-findings.ts";
import type { ExportedFinding } from "../../../../src/domain/export/exported.ts";
import { exportedFinding, stream } from "../../../support/cli.ts";

const group = (...changes: Partial<ExportedFinding>[]) => groupFindings(stream(changes.map(exportedFinding)));
const a11y = { kind: "a11y", line: null, column: null } as const;

describe("findings as a reader sees them", () => {
  it("have the worst first: errors by impact, those of HTML below the serious ones, then warnings, then what is outside", async () => {
    const rules = await group(
      { ...a11y, rule: "outside", impact: "critical", outside_standard: true },
      { rule: "html-warning", issue_type: "warning" },
      { ...a11y, rule: "moderate", impact: "moderate" },
      { rule: "html-error" },
      { ...a11y, rule: "critical", impact: "critical" },
      { ...a11y, rule: "serious", impact: "serious" },
      { ...a11y, rule: "serious-warning", impact: "serious", issue_type: "warning" },
    );
    expect(rules.map(({ rule }) => rule)).to.deep.equal([
      ...["critical", "serious", "html-error", "moderate", "serious-warning", "html-warning", "outside"],
    ]);
    expect(rules.map(({ severity }) => severity)).to.deep.equal([
      ...["error", "error", "error", "error", "warning", "warning", "outside"],
    ]);
  });

  it("have what is on more pages first, then what is there more often, then the names in order", async () => {
    const rules = await group(
      { rule: "c", how_many: 2 },
      { rule: "b", how_many: 2 },
      { rule: "often", how_many: 9 },
      { rule: "wide" },
      { rule: "wide", page_url: "https://example.com/2" },
    );
    expect(rules.map(({ rule, howMany, numPages }) => [rule, howMany, numPages])).to.deep.equal([
      ["wide", 2, 2],
      ["often", 9, 1],
      ["b", 2, 1],
      ["c", 2, 1],
    ]);
  });

  it("are one component where the same element is on several pages: with three of them, and how many there are", async () => {
    const pages = [1, 2, 3, 4, 5].map((page) => `https://example.com/${page}`);
    const [rule] = await group(
      ...pages.map((page_url, index) => ({ page_url, line: index + 1 })),
      { page_url: pages[4] ?? "", component: "another", line: 99 },
      { page_url: pages[4] ?? "", how_many: 3 },
    );
    expect(rule).to.include({ howMany: 9, numPages: 5 });
    const [template, another] = rule?.components ?? [];
    expect(template).to.deep.include({ howMany: 8, numPages: 5, url: pages[0], line: 1, urls: pages.slice(0, 3) });
    expect(another).to.deep.include({ howMany: 1, numPages: 1, line: 99, urls: [pages[4]] });
  });

  it("have their rule's highest impact and its success criteria", async () => {
    const tags = ["wcag2a", "wcag111", "wcag143"];
    const [rule] = await group(
      { ...a11y, impact: "minor", tags },
      { ...a11y, impact: "critical", tags },
      { ...a11y, impact: "moderate", tags },
    );
    expect(rule).to.include({ impact: "critical" });
    expect(rule?.criteria.map(({ number }) => number)).to.deep.equal(["1.1.1", "1.4.3"]);
  });

  it("are apart where a rule is an error of one and outside of the standard at another", async () => {
    const rules = await group(
      { rule: "x" },
      { rule: "x", outside_standard: true },
      { rule: "x", issue_type: "warning" },
    );
    expect(rules.map(({ rule, severity }) => `${rule} ${severity}`)).to.deep.equal([
      "x error",
      "x warning",
      "x outside",
    ]);
  });

  it("keep a part of markup that is long", async () => {
    const [rule] = await group({ html: "x".repeat(100_000) });
    expect(rule?.components[0]?.html).to.have.length(300);
  });
});
