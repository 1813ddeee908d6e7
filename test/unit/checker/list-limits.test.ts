import { expect } from "chai";
import type { RuleResult } from "../../../src/checker/engines/axe/in-page.ts";
import { axeIssues, MAX_NODES_PER_RULE } from "../../../src/checker/engines/axe/issues.ts";
import { createFrontier, exclude, MAX_EXCLUDED, takeBatch } from "../../../src/crawler/frontier.ts";

describe("an accessibility issue's list of elements", () => {
  const rule = (total: number): RuleResult => ({
    ...{ id: "image-alt", help: "Help", helpUrl: "https://example.com/", impact: "critical", tags: [], total },
    nodes: Array.from({ length: Math.min(total, MAX_NODES_PER_RULE) }, () => ({
      ...{ html: "<img>", target: ["img"], failureSummary: "Fix it", element: null },
    })),
  });
  const issueOf = (total: number) =>
    axeIssues({ violations: [rule(total)], incomplete: [] }, false, "https://example.com")[0];

  it("is complete up to its limit", () => {
    for (const total of [1, MAX_NODES_PER_RULE]) {
      expect(issueOf(total)?.html).to.have.length(total);
      expect(issueOf(total)).to.not.have.property("how_many");
    }
  });

  it("ends at its limit, and all are counted", () => {
    const issue = issueOf(MAX_NODES_PER_RULE + 37);
    expect(issue?.html).to.have.length(MAX_NODES_PER_RULE);
    expect(issue?.how_many).to.equal(MAX_NODES_PER_RULE + 37);
  });
});

describe("the list of excluded URLs", () => {
  it("says in its last entry that some may be missing", () => {
    const frontier = createFrontier({ host: "example.com", exclusions: [] }, 10);
    for (let number = 0; number < MAX_EXCLUDED + 5; number += 1)
      exclude(frontier, `https://example.com/${number}`, null, "exclusion");
    const { excluded } = takeBatch(frontier);
    expect(excluded).to.have.length(MAX_EXCLUDED);
    expect(excluded.at(-1)).to.deep.include({ url: `https://example.com/${MAX_EXCLUDED - 1}`, reason: "list_limit" });
    expect(new Set(excluded.slice(0, -1).map(({ reason }) => reason))).to.deep.equal(new Set(["exclusion"]));
  });
});
