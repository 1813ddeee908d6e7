import { expect } from "chai";
import { failedAmong } from "../../../../src/cli/check/failed-pages.ts";
import { verdict } from "../../../../src/cli/check/verdict.ts";
import type { FailureCode } from "../../../../src/domain/failure.ts";
import { endedReport as report } from "../../../support/cli.ts";

describe("the exit code", () => {
  const html = (errors: number, warnings: number, failed = 0) => ({ errors, warnings, checked: 1, failed });
  const cut = { code: "deadline_exceeded", detail: "Pages are missing." } as const;
  for (const [what, subject, failOn, expected] of [
    ["0 for a clean site", report(), "error", 0],
    ["1 for errors", report({}, html(1, 0)), "error", 1],
    ["0 for warnings", report({}, html(0, 1)), "error", 0],
    ["1 for warnings if they count", report({}, html(0, 1)), "warning", 1],
    ["0 for errors if nothing counts", report({}, html(1, 1)), "never", 0],
    ["1 for a page that could not be checked", report({}, html(0, 0, 1)), "error", 1],
    ["2 if no check has a result", report({}, { errors: 0, warnings: 0, checked: 0, failed: 3 }), "never", 2],
    ["2 for a report that failed", report({ phase: "Failed", passed: false }), "error", 2],
    ["1 for a limit that is exceeded", report({ passed: false }), "never", 1],
    ["0 for errors within the limits", report({ passed: true }, html(3, 0)), "never", 0],
    ["1 for errors within the limits if errors count, too", report({ passed: true }, html(3, 0)), "error", 1],
    ["1 for a site that was not checked to its end", report({ failure: cut }), "error", 1],
    ["0 for a site that was not checked to its end if nothing counts", report({ failure: cut }), "never", 0],
  ] as const) {
    it(`is ${what}`, () => {
      expect(verdict(subject, failOn, []).exitCode).to.equal(expected);
    });
  }

  it("comes with the report's own reason", () => {
    const failed = report({ phase: "Failed", failure: { code: "dns_error", detail: "No such host." } });
    expect(verdict(failed, "error", []).stopped).to.equal("No such host. (dns_error)");
  });

  it("comes with a page's reasons if the crawl succeeded but no engine could check anything", () => {
    const none = report({}, { errors: 0, warnings: 0, checked: 0, failed: 2 });
    const failure = (code: FailureCode, detail: string) => ({ status: "failed" as const, failure: { code, detail } });
    const pages = failedAmong([
      {
        attributes: {
          ...{ url: "https://example.com/", linked_from: null, num_linked_from: null, linked_from_pages: null },
          html_check: failure("engine_error", "Too much memory."),
          a11y_check: failure("timeout", "Too slow."),
          link_check: null,
        },
      },
    ]);
    expect(verdict(none, "error", pages).stopped).to.equal(
      "No page could be checked. https://example.com/: Too much memory. (engine_error) Too slow. (timeout)",
    );
  });
});
