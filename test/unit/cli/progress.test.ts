import { expect } from "chai";
import { createProgress, progressLine } from "../../../src/cli/progress.ts";
import { muted, noSeverity, endedReport as report } from "../../support/cli.ts";

describe("the progress", () => {
  it("adds up both engines", () => {
    const html = {
      status: { pending: 2, checked: 3, failed: 1 },
      reused: 0,
      issues: { errors: 4, warnings: 5, muted },
    };
    const a11y = { ...html, issues: { ...html.issues, outside_standard: 0, severity: noSeverity } };
    const said = (["acts_left_out", "forms_visited", "account_can_write"] as const).map((code) => {
      const texts = { severity: "note", message: "", advice: "" } as const;
      return { code, ...texts, how_many: 4, num_urls: 4, more: false, examples: [] };
    });
    expect(
      progressLine(report({ phase: "Crawling", num_pages: 6, checks: { html, a11y, links: null } }), said),
    ).to.match(/ · 18 issues · 4 that change something left out · the account can write$/);
    expect(progressLine(report({ phase: "Checking", num_pages: 6, checks: { html, a11y, links: null } }))).to.equal(
      "Checking: 6 pages found · checks: 4 pending, 6 checked, 2 failed · 18 issues",
    );
  });

  it("has all its numbers with digits in groups of three", () => {
    const html = {
      status: { pending: 1_000, checked: 2_000, failed: 3_000 },
      reused: 0,
      issues: { errors: 1, warnings: 0, muted },
    };
    expect(
      progressLine(report({ phase: "Checking", num_pages: 6_000, checks: { html, a11y: null, links: null } })),
    ).to.equal("Checking: 6,000 pages found · checks: 1,000 pending, 2,000 checked, 3,000 failed · 1 issue");
  });

  it("is one line that is overwritten on a terminal", () => {
    const written: string[] = [];
    const progress = createProgress({ write: (text) => written.push(text), isTTY: true, columns: 30 });
    progress.show("one", 0);
    progress.show("one", 1);
    progress.show("a line that is too long for it", 2);
    progress.end();
    expect(written).to.deep.equal(["\r\x1b[Kone", "\r\x1b[Ka line that is too long for i", "\n"]);
  });

  it("is a line from time to time elsewhere, and a last one", () => {
    const written: string[] = [];
    const progress = createProgress({ write: (text) => written.push(text) });
    for (const [line, at] of [
      ["a", 0],
      ["b", 100],
      ["c", 6_000],
      ["d", 6_100],
    ] as const)
      progress.show(line, at);
    progress.end();
    expect(written).to.deep.equal(["c\n", "d\n"]);
  });
});
