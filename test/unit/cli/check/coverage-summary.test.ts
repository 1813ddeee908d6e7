import { expect } from "chai";
import { type CoveredReport, coverageSummary } from "../../../../src/cli/check/output/coverage-text.ts";

/** A report of four pages, by kind how many checks have a result, and have failed. */
function summaryOf(
  kinds: Record<string, [checked: number, failed: number, reused?: number]>,
  checked: number,
  failed: number,
): string {
  const checks = Object.fromEntries(
    Object.entries(kinds).map(([kind, [done, lost, reused = 0]]) => [
      kind,
      { status: { pending: 0, checked: done, failed: lost }, reused },
    ]),
  );
  const coverage = {
    complete: failed === 0,
    pages: { found: 4, checked, failed, left_out: {} },
    notices: failed === 0 ? [] : [{ code: "pages_failed", severity: "gap", num_urls: failed }],
  };
  return coverageSummary({ checks, coverage } as unknown as CoveredReport);
}

describe("The summary of what was checked", () => {
  it("names the kind that could not be done at all, beside those that were done", () => {
    expect(summaryOf({ html: [4, 0], a11y: [0, 4] }, 0, 4)).to.equal(
      "Incomplete (pages_failed): 4 pages checked (HTML); none of 4 pages could be checked (accessibility)",
    );
  });

  it("says how many pages have not changed", () => {
    expect(summaryOf({ html: [4, 0, 3], a11y: [4, 0] }, 4, 0)).to.equal(
      "Complete: 4 pages checked; 3 unchanged, with the results of an earlier report (HTML)",
    );
  });

  it("counts pages where all kinds were done, or some pages failed", () => {
    expect(summaryOf({ html: [4, 0], a11y: [4, 0] }, 4, 0)).to.equal("Complete: 4 pages checked");
    expect(summaryOf({ html: [4, 0], a11y: [3, 1] }, 3, 1)).to.equal(
      "Incomplete (pages_failed): 3 of 4 pages checked; 1 could not be checked",
    );
    expect(summaryOf({ html: [0, 4], a11y: [0, 4] }, 0, 4)).to.match(/0 of 4 pages checked/);
  });
});
