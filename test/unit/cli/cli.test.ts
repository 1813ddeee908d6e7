import { expect } from "chai";
import type { Report } from "../../../src/cli/documents.ts";
import { parseCheck } from "../../../src/cli/options.ts";
import { createProgress, progressLine } from "../../../src/cli/progress.ts";
import { describeError, networksOfHost, reportAttributes } from "../../../src/cli/request.ts";
import { table } from "../../../src/cli/table.ts";
import { resultText, visible } from "../../../src/cli/text.ts";
import { verdict } from "../../../src/cli/verdict.ts";
import { UsageError } from "../../../src/domain/errors.ts";
import { isThisMachine } from "../../../src/net/report-policy.ts";

function optionsOf(...args: string[]) {
  const parsed = parseCheck(args);
  if ("help" in parsed) throw new Error("help was not asked for");
  return parsed.options;
}

function report(changes: Partial<Report> = {}, html = { errors: 0, warnings: 0, checked: 1, failed: 0 }): Report {
  const { errors, warnings, checked, failed } = html;
  return {
    starting_url: "https://example.com/",
    max_pages: 10,
    num_pages: 1,
    phase: "Complete",
    failure: null,
    checks: { html: { status: { pending: 0, checked, failed }, issues: { errors, warnings } }, a11y: null },
    ...changes,
  };
}

describe("the arguments of check", () => {
  it("have the defaults of a report", () => {
    expect(optionsOf("https://example.com")).to.deep.equal({
      url: "https://example.com",
      maxPages: 10,
      html: true,
      htmlEngine: "conformance",
      a11y: false,
      dynamic: false,
      deep: true,
      exclude: [],
      rotated: false,
      failOn: "error",
      json: false,
    });
  });

  it("can all be given", () => {
    const options = optionsOf(
      ..."https://example.com --max-pages 0 --a11y --no-html --dynamic --no-deep --rate-limit 5".split(" "),
      ..."--exclude /a --exclude /b --device iPhone --rotated --fail-on never --json".split(" "),
    );
    expect(options).to.include({ maxPages: 0, a11y: true, html: false, dynamic: true, deep: false, rateLimit: 5 });
    expect(options).to.deep.include({
      exclude: ["/a", "/b"],
      device: "iPhone",
      rotated: true,
      failOn: "never",
      json: true,
    });
  });

  for (const [args, message] of [
    [[], /argument 'url'/],
    [["nonsense"], /<url> is "nonsense".*http/],
    [["example.com/a"], /Did you mean https:\/\/example.com\/a\?/],
    [["ftp://example.com"], /<url> is "ftp:\/\/example.com"/],
    [["http://"], /<url>/],
    [["http://[x/"], /<url>/],
    [["https://me:secret@example.com"], /credentials/],
    [[`https://example.com/${"a".repeat(2000)}`], /2020 characters; at most 2000/],
    [
      ["https://example.com", "--max-page", "3"],
      /unknown option '--max-page'.*--max-pages.* See npm run check -- --help\.$/,
    ],
    [["https://example.com", "--max-pages", "-1"], /--max-pages is "-1".*0 to 1000000/],
    [["https://example.com", "--rate-limit", "fast"], /--rate-limit is "fast"/],
    [["https://example.com", "--fail-on", "info"], /--fail-on.*error, warning, never/],
    [["https://example.com", "https://example.org"], /too many arguments/],
    [["https://example.com", "--no-html"], /--no-html without --a11y/],
    [["https://example.com", "--rotated"], /--device and --rotated .* Add --a11y or --dynamic/],
  ] as const) {
    it(`are rejected if wrong: ${args.join(" ").slice(0, 60) || "none"}`, () => {
      expect(() => parseCheck(args)).to.throw(UsageError, message);
    });
  }

  it("come with a help text that has examples and exit codes", () => {
    const parsed = parseCheck(["--help"]);
    expect(parsed)
      .to.have.property("help")
      .that.matches(/--max-pages[\s\S]*Examples:[\s\S]*Exit codes/);
  });
});

describe("the report that check creates", () => {
  it("has a rate limit for other machines and none for this one", () => {
    expect(reportAttributes(optionsOf("https://example.com"), "")).not.to.have.property("rate_limit");
    expect(reportAttributes(optionsOf("http://localhost:8080"), "")).to.have.property("rate_limit", 0);
    expect(reportAttributes(optionsOf("http://[::1]/", "--rate-limit", "3"), "")).to.have.property("rate_limit", 3);
  });

  it("knows this machine's names", () => {
    for (const name of ["localhost", "LOCALHOST.", "a.localhost", "127.0.0.1", "127.8.8.8", "[::1]"])
      expect(isThisMachine(name), name).to.equal(true);
    for (const name of ["example.com", "127.0.0.1.example.com", "localhost.com", "10.0.0.1"])
      expect(isThisMachine(name), name).to.equal(false);
  });

  it("may visit the address that was named, and no other private one", () => {
    expect(networksOfHost("localhost")).to.deep.equal(["127.0.0.0/8", "::1/128"]);
    expect(networksOfHost("192.168.1.7")).to.deep.equal(["192.168.1.7/32"]);
    expect(networksOfHost("[fd00::7]")).to.deep.equal(["fd00::7/128"]);
    expect(networksOfHost("intranet.example")).to.deep.equal([]);
  });

  it("has its errors shown with the option's name", () => {
    const error = { detail: "it must be …", source: { pointer: "/data/attributes/max_pages" } };
    expect(describeError(error)).to.equal("--max-pages: it must be …");
  });
});

describe("the exit code", () => {
  const html = (errors: number, warnings: number, failed = 0) => ({ errors, warnings, checked: 1, failed });
  for (const [what, subject, failOn, expected] of [
    ["0 for a clean site", report(), "error", 0],
    ["1 for errors", report({}, html(1, 0)), "error", 1],
    ["0 for warnings", report({}, html(0, 1)), "error", 0],
    ["1 for warnings if they count", report({}, html(0, 1)), "warning", 1],
    ["0 for errors if nothing counts", report({}, html(1, 1)), "never", 0],
    ["1 for a page that could not be checked", report({}, html(0, 0, 1)), "error", 1],
    ["2 if no check has a result", report({}, { errors: 0, warnings: 0, checked: 0, failed: 3 }), "never", 2],
    ["2 for a report that failed", report({ phase: "Failed" }), "error", 2],
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
    const pages = [
      { url: "https://example.com/", reasons: ["Too much memory. (engine_error)", "Too slow. (timeout)"] },
    ];
    expect(verdict(none, "error", pages).stopped).to.equal(
      "No page could be checked. https://example.com/: Too much memory. (engine_error) Too slow. (timeout)",
    );
  });
});

describe("a report whose crawl was cut short", () => {
  const cut = report({ phase: "Complete", failure: { code: "crawler_crashed", detail: "Pages are missing." } });

  it("has an exit code of its own error, and says so before anything else", () => {
    expect(verdict(cut, "error", [])).to.deep.equal({ exitCode: 1 });
    expect(verdict(cut, "never", [])).to.deep.equal({ exitCode: 0 });
    expect(resultText(cut, [], [], { exitCode: 1 })).to.contain("Pages are missing. (crawler_crashed)");
  });
});

describe("the progress", () => {
  it("adds up both engines", () => {
    const check = { status: { pending: 2, checked: 3, failed: 1 }, issues: { errors: 4, warnings: 5 } };
    expect(progressLine(report({ phase: "Checking", num_pages: 6, checks: { html: check, a11y: check } }))).to.equal(
      "Checking: 6 pages found · checks: 4 pending, 6 checked, 2 failed · 18 issues",
    );
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

describe("the result in text", () => {
  it("aligns columns and indents details to the last", () => {
    expect(
      table(
        ["TYPE", "COUNT", "MESSAGE"],
        [
          { cells: ["error", "1000", "Long"], details: ["x"] },
          { cells: ["warning", "2", "Short"], details: [] },
        ],
        { right: [1] },
      ).split("\n"),
    ).to.deep.equal([
      "TYPE     COUNT  MESSAGE",
      "error     1000  Long",
      "                  x",
      "warning      2  Short",
    ]);
  });

  it("shows errors first, the most severe before the most frequent, with their pages", () => {
    const text = resultText(
      report({}, { errors: 3, warnings: 1, checked: 1, failed: 0 }),
      [
        {
          issue: {
            id: "1",
            type: "common_html_issue",
            attributes: { issue_type: "warning", message: "W", how_many: 9 },
          },
          urls: ["https://example.com/"],
          pages: 1,
        },
        {
          issue: { id: "2", type: "common_html_issue", attributes: { issue_type: "error", message: "E", how_many: 2 } },
          urls: ["https://example.com/", "https://example.com/b"],
          pages: 5,
        },
        {
          issue: {
            id: "3",
            type: "common_a11y_issue",
            attributes: { help: "A", help_url: "", impact: "critical", review: false, how_many: 1 },
          },
          urls: [],
          pages: 0,
        },
      ],
      [],
      { exitCode: 1 },
    );
    expect(text.split("\n")).to.deep.equal([
      "https://example.com/ · 1 page · HTML: 3 errors, 1 warning",
      "",
      "TYPE     COUNT  CHECK          MESSAGE",
      "error        1  a11y critical  A",
      "error        2  html           E",
      "                                 https://example.com/",
      "                                 https://example.com/b",
      "                                 and 3 more",
      "warning      9  html           W",
      "                                 https://example.com/",
      "",
    ]);
  });

  it("says what could not be checked and why", () => {
    const text = resultText(report(), [], [{ url: "https://example.com/x", reasons: ["404 (http_error)"] }], {
      exitCode: 1,
    });
    expect(text).to.include("Could not be checked: 1 page\n  https://example.com/x\n    404 (http_error)");
    expect(text).not.to.include("No issues");
  });

  it("says how to check more if the limit was reached", () => {
    expect(resultText(report({ max_pages: 1 }), [], [], { exitCode: 0 })).to.match(/Stopped at 1 page: --max-pages/);
  });

  it("removes control characters that come from pages", () => {
    expect(visible("a\x1b[31mb\u202Ec\n")).to.equal("a\uFFFD[31mb\uFFFDc\uFFFD");
  });
});
