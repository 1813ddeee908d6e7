import { expect } from "chai";
import { announcementOf } from "../../../../src/cli/check/announce/announcement.ts";
import type { CheckedReport } from "../../../../src/cli/check/verdict.ts";

const issues = (errors: number) => ({ issues: { errors, warnings: 2 } });
const reportOf = (more: object = {}): CheckedReport =>
  ({
    checks: { html: issues(2), a11y: issues(1), links: null },
    comparison: null,
    coverage: { complete: true },
    ...more,
  }) as unknown as CheckedReport;
const says = (
  report: CheckedReport,
  verdict: { exitCode: number; stopped?: string },
  targets = ["dist"],
  markdown = "",
) => announcementOf(report, verdict, { targets, markdown, reason: (text) => text });

describe("What is announced of a check", () => {
  it("is what a badge says, which never looks good when something was left out", () => {
    expect(says(reportOf(), { exitCode: 1 })).to.include({
      state: "failed",
      target: "dist",
      description: "failed, 3 errors",
    });
    const incomplete = reportOf({ coverage: { complete: false } });
    expect(says(incomplete, { exitCode: 0 })).to.include({
      state: "passed",
      description: "passed, 3 errors, incomplete",
    });
  });

  it("is what is new and fixed against a baseline", () => {
    const states = { new: { errors: 1, warnings: 0 }, fixed: { errors: 2, warnings: 1 } };
    expect(says(reportOf({ comparison: { states } }), { exitCode: 1 }).description).to.equal("1 new finding, 3 fixed");
  });

  it("names a target by its host and path, and how many others there are", () => {
    expect(says(reportOf(), { exitCode: 0 }, ["https://ada:secret@shop.example/de/?preview=x#y"]).target).to.equal(
      "shop.example/de",
    );
    expect(says(reportOf(), { exitCode: 0 }, ["https://a.example/", "https://b.example/"]).target).to.equal(
      "a.example and 1 more",
    );
  });

  it("has no query of a target, and no secret of any other address", () => {
    const targets = ["https://preview.example/?draft=abc123"];
    const text = "See https://preview.example/?draft=abc123 and https://other.example/a?token=s3cret&page=2.";
    const { description, markdown } = says(reportOf(), { exitCode: 2, stopped: text }, targets, text);
    for (const said of [description, markdown])
      expect(said).to.equal("See https://preview.example/?… and https://other.example/a?token=…&page=2.");
  });
});
