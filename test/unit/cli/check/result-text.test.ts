import { expect } from "chai";
import type { FailedPage } from "../../../../src/cli/check/failed-pages.ts";
import { notJudged } from "../../../../src/cli/check/gate.ts";
import type { Detail } from "../../../../src/cli/check/options/options.ts";
import { groupFindings } from "../../../../src/cli/check/output/group-findings.ts";
import { type Result, resultText } from "../../../../src/cli/check/output/result-text.ts";
import { terminalOf } from "../../../../src/cli/terminal.ts";
import type { ExportedFinding } from "../../../../src/domain/export/exported.ts";
import type { GateResult } from "../../../../src/domain/findings/gate.ts";
import { exportedFinding, muted, noSeverity, endedReport as report, stream } from "../../../support/cli.ts";

type Shown = { detail?: Detail; columns?: number; colour?: boolean };

/** The lines of a result; without columns as in a pipe. */
async function linesOf(
  { findings = [], ...result }: Partial<Omit<Result, "rules">> & { findings?: readonly ExportedFinding[] },
  { detail = "some", columns, colour = false }: Shown = {},
): Promise<string[]> {
  const terminal = terminalOf({ isTTY: columns !== undefined, ...(columns && { columns }) }, {}, colour);
  const rules = await groupFindings(stream(findings));
  const place = (url: string) => url.replace("https://dist.example/", "dist/");
  const reason = (text: string) => text.replaceAll("https://dist.example/", "/");
  const whole = { report: report(), failed: [], verdict: { exitCode: 1 }, rules, ...result };
  const text = resultText(whole, { detail, terminal, place, reason });
  expect(text).to.match(/\n$|^$/);
  return text.split("\n").slice(0, -1);
}

const failedPage = (url: string, reason: string, linkedFrom: string | null = null): FailedPage => ({
  ...{
    url,
    linkedFrom: linkedFrom === null ? [] : [linkedFrom],
    numLinkedFrom: linkedFrom === null ? 0 : 1,
    reasons: [reason],
    codes: ["http_error"],
  },
});
const contrast = (changes: Partial<ExportedFinding>) =>
  exportedFinding({
    ...{ kind: "a11y", rule: "color-contrast", impact: "serious", line: null, column: null, target: "#main > b" },
    ...{ message: "Elements must have contrast", help_url: "https://example.org/contrast", tags: ["wcag143"] },
    ...{ html: "<b class=x>", component: "c" },
    ...changes,
  });

describe("the result in text", () => {
  it("shows each rule with its criterion and help, where it is, the element, and its pages; the totals last", async () => {
    const pages = [1, 2, 3, 4, 5].map((number) => `https://example.com/${number}`);
    const findings = [
      ...pages.map((page_url) => contrast({ page_url })),
      exportedFinding(),
      exportedFinding({ page_url: "https://example.com/2", how_many: 2 }),
      exportedFinding({ issue_type: "warning", rule: "w", message: "One", component: "1", help_url: null }),
      exportedFinding({ issue_type: "warning", rule: "w", message: "Two", component: "2", html: null, column: null }),
    ];
    const counted = report({ num_pages: 5 }, { errors: 3, warnings: 2, checked: 5, failed: 0 });
    expect(await linesOf({ findings, report: counted })).to.deep.equal([
      "error  color-contrast  a11y serious, 5 elements on 5 pages",
      "  Elements must have contrast",
      "  WCAG 1.4.3 Contrast (Minimum) (AA) · https://example.org/contrast",
      "    #main > b",
      "    <b class=x>",
      "    on https://example.com/1, https://example.com/2, https://example.com/3 and 2 more",
      "",
      "error  img/alt  html, 3 elements on 2 pages",
      '  The attribute "alt" is missing on <img>.',
      "  https://html.spec.whatwg.org/multipage/images.html#alt",
      "    https://example.com/:12:5",
      '    <img src="x.png">',
      "    also on https://example.com/2 (3 elements)",
      "",
      "warning  w  html, 2 elements on 1 page",
      "  One",
      "    https://example.com/:12:5",
      '    <img src="x.png">',
      "  Two",
      "    https://example.com/:12",
      "",
      "https://example.com/ · 5 pages · HTML: 3 errors, 2 warnings · 4 places to fix",
    ]);
  });

  const duplicates = Array.from({ length: 201 }, (_, index) =>
    exportedFinding({
      rule: "id-unique",
      component: String(index),
      line: index + 1,
      message: `The ID ${index} is twice.`,
    }),
  );

  it("has a rule with 201 components on at most 60 lines, and all of them when asked", async () => {
    const some = await linesOf({ findings: duplicates });
    expect(some.length).to.be.at.most(60);
    expect(some[0]).to.equal("error  id-unique  html, 201 elements on 1 page");
    expect(some).to.include("    and 198 more places").and.to.include("All places: --verbose");
    expect(some.at(-1)).to.match(/201 places to fix$/);
    const all = await linesOf({ findings: duplicates }, { detail: "all" });
    expect(all.filter((line) => line.startsWith("  The ID"))).to.have.length(201);
    expect(all.join("\n")).not.to.include("--verbose");
  });

  const failed = Array.from({ length: 30 }, (_, index) =>
    failedPage(
      `https://example.com/${index}`,
      `${"It is not there, and was not. ".repeat(4)}(http_error)`,
      "https://a.example/",
    ),
  );
  const gate_results: GateResult[] = [
    { condition: "max_errors", limit: 0, counted: 3, passed: false, reason: null },
    { condition: "max_new_errors", limit: 10, counted: null, passed: null, reason: "no_base" },
  ];
  const crowded = {
    findings: [
      ...Array.from({ length: 40 }, (_, index) =>
        exportedFinding({
          rule: `rule-${index}`,
          component: `r${index}`,
          message: `${index} is wrong in words. `.repeat(99),
        }),
      ),
      ...duplicates,
      contrast({ html: `<b class="${"y ".repeat(900)}">`, target: "main > ".repeat(60) }),
      contrast({ outside_standard: true, rule: "region" }),
    ],
    failed,
    report: report({
      ...{ gate_results, max_pages: 1, failure: { code: "deadline_exceeded", detail: "Time is over. ".repeat(9) } },
    }),
  };

  it("is at most 60 lines long, whatever there is to show", async () => {
    for (const columns of [60, 80, 200, undefined]) {
      const lines = await linesOf(crowded, columns === undefined ? {} : { columns });
      expect(lines.length, String(columns)).to.be.at.most(60);
      expect(lines.filter((line) => /^error /.test(line)).length, String(columns)).to.be.at.least(2);
      expect(lines.at(-1)).to.match(/places to fix$/);
    }
  });

  it("has no line that is longer than the terminal, but for a word that is, such as a URL", async () => {
    for (const columns of [60, 61, 79, 132])
      for (const detail of ["some", "all", "totals"] as const)
        for (const line of await linesOf(crowded, { columns, detail }))
          if (line.length > columns) expect(line.trim(), `${columns} ${detail}`).to.match(/^\S+$/);
    // Less than 60 columns are taken for 60.
    expect(await linesOf(crowded, { columns: 20 })).to.deep.equal(await linesOf(crowded, { columns: 60 }));
  });

  it("cuts nothing in a pipe", async () => {
    const lines = await linesOf({ findings: [contrast({ target: "main > ".repeat(60).trim() })] });
    expect(lines).to.include(`    ${"main > ".repeat(60).trim()}`);
  });

  it("is the same text with colour", async () => {
    const plain = await linesOf(crowded, { columns: 80 });
    const coloured = await linesOf(crowded, { columns: 80, colour: true });
    expect(coloured.join("\n")).to.include("\x1b[31merror\x1b[39m");
    // biome-ignore lint/suspicious/noControlCharactersInRegex: those are the characters
    expect(coloured.map((line) => line.replace(/\x1b\[\d+m/g, ""))).to.deep.equal(plain);
  });

  it("has the totals alone with --quiet", async () => {
    expect(await linesOf(crowded, { detail: "totals" })).to.deep.equal([
      "https://example.com/ · 1 page · HTML: 0 errors, 0 warnings · 242 places to fix",
    ]);
    expect(await linesOf({ verdict: { exitCode: 2, stopped: "No such host." } }, { detail: "totals" })).to.deep.equal(
      [],
    );
  });

  it("counts what is outside of the standard, and shows it when all is asked for", async () => {
    const findings = [contrast({ outside_standard: true, rule: "region", how_many: 4 })];
    const some = await linesOf({ findings });
    expect(some[0]).to.equal("4 findings of 1 rule outside of wcag22aa, such as best practices: --verbose");
    expect((await linesOf({ findings }, { detail: "all" }))[0]).to.match(/^outside {2}region/);
  });

  it("says so of findings without a rule", async () => {
    expect((await linesOf({ findings: [exportedFinding({ rule: null })] }))[0]).to.equal(
      "error  without a rule  html, 1 element on 1 page",
    );
  });

  it("says what was counted for each limit, and how many findings are outside of the standard", async () => {
    const a11y = {
      status: { pending: 0, checked: 1, failed: 0 },
      reused: 0,
      issues: { errors: 3, warnings: 0, outside_standard: 2, severity: noSeverity, muted },
    };
    const judged = report({ passed: false, gate_results, checks: { html: null, a11y, links: null } });
    expect(await linesOf({ report: judged })).to.deep.equal([
      "LIMIT ON    AT MOST  COUNTED  RESULT",
      "errors            0        3  failed",
      "new errors       10        -  not judged: there is no earlier report to compare with",
      "",
      "No issues found.",
      "",
      "https://example.com/ · 1 page · accessibility: 3 errors, 0 warnings, 2 outside of wcag22aa",
    ]);
    expect(notJudged(gate_results)).to.match(
      /^--max-new-errors could not be judged: there is no baseline .* Add --baseline <file>/,
    );
    expect(notJudged(gate_results.slice(0, 1))).to.equal(undefined);
  });

  it("says what could not be checked, why, and who links there", async () => {
    const lines = await linesOf({
      failed: [
        failedPage("https://example.com/x", "404 (http_error)", "https://example.com/"),
        failedPage("https://dist.example/y", "https://dist.example/y responded with 404."),
      ],
    });
    expect(lines.slice(0, 6)).to.deep.equal([
      "Could not be checked: 2 pages",
      "  https://example.com/x",
      "    404 (http_error)",
      "    linked from https://example.com/",
      "  dist/y",
      "    /y responded with 404.",
    ]);
    expect(lines.join("\n")).not.to.include("No issues");
    const many = await linesOf({ failed });
    expect(many.find((line) => line.includes("more page"))).to.match(/^ {2}and \d+ more pages: --verbose$/);
    expect((await linesOf({ failed }, { detail: "all" })).filter((line) => line.includes("linked"))).to.have.length(30);
  });

  it("says that the crawl was cut short", async () => {
    const failure = { code: "crawler_crashed", detail: "Pages are missing." } as const;
    const lines = await linesOf({ report: report({ failure }) });
    expect(lines).to.include("Pages are missing. (crawler_crashed)");
  });

  describe("of a report that left something out", () => {
    const coverage = {
      complete: false,
      pages: { found: 3, checked: 2, failed: 1, left_out: { page_limit: 555, off_site: 12 } },
      notices: [
        {
          ...{
            code: "page_limit",
            severity: "gap",
            message: "There are more pages (555).",
            how_many: 555,
            num_urls: 555,
            more: false,
          },
          examples: [{ url: "https://example.com/4", detail: "linked from https://dist.example/y" }],
          advice: "Raise max_pages.",
        },
        {
          ...{
            code: "exclusion_unused",
            severity: "note",
            message: "It matched nothing.",
            how_many: 1,
            num_urls: 1,
            more: false,
          },
          examples: [{ url: "", detail: "/old" }],
          advice: "Remove it.",
        },
      ],
    } as const;
    const covered = { report: report({ coverage: coverage as never }) };
    const summary =
      "Incomplete (page_limit): 2 pages checked; 1 address without a page; left out: 555 beyond the limit of pages, 12 of other sites";

    it("has every gap with examples and what to do, notes in short, and one line for all", async () => {
      const lines = await linesOf(covered);
      expect(lines.slice(lines.indexOf("gap  There are more pages (555)."), -1)).to.deep.equal([
        "gap  There are more pages (555).",
        "  https://example.com/4: linked from /y",
        "  and 554 more",
        "  Raise --max-pages.",
        "note  It matched nothing.",
        "  /old",
        summary,
        "",
      ]);
    });

    it("has one line before the totals with --quiet", async () => {
      const lines = await linesOf(covered, { detail: "totals" });
      expect(lines[0]).to.equal(summary);
      expect(lines.filter(Boolean)).to.have.length(2);
    });

    it("has every address by reason with --verbose", async () => {
      const addresses = [
        { url: "https://example.com/4", linked_from: "https://example.com/", reason: "page_limit" },
        { url: "https://other.example/", linked_from: null, reason: "off_site" },
      ] as const;
      const lines = await linesOf({ ...covered, addresses: addresses as never }, { detail: "all" });
      expect(lines).to.include.members([
        "  Remove it.",
        "Left out, beyond the limit of pages: 1",
        "  https://example.com/4 (linked from https://example.com/)",
        "Left out, of other sites: 1",
        "  https://other.example/",
      ]);
    });

    it("names every gap in the line about a report that could not be checked", async () => {
      const nothing = { ...coverage.notices[0], code: "nothing_checked", message: "No page was checked." };
      const stopped = { ...coverage, notices: [nothing, coverage.notices[1]] };
      const given = { report: report({ coverage: stopped as never }), verdict: { exitCode: 2, stopped: "500" } };
      expect(await linesOf(given)).to.deep.equal([
        "note  It matched nothing.",
        "  /old",
        summary.replace("page_limit", "nothing_checked"),
        "",
      ]);
    });

    it("says that nothing was left out", async () => {
      const whole = { complete: true, pages: { found: 1, checked: 1, failed: 0, left_out: {} }, notices: [] } as const;
      const lines = await linesOf({ report: report({ coverage: whole as never }) });
      expect(lines).to.include("Complete: 1 page checked");
    });
  });

  it("has no control character of a page, in any field", async () => {
    const evil = "a\x1b[31m\x9b2J\u202Eb\r\nc\x00\x7f\u2028d\u200B";
    const lines = await linesOf(
      {
        findings: [
          ...[evil, `${evil}2`].map((message) =>
            exportedFinding({ rule: evil, message, help_url: evil, html: evil, page_url: evil, component: message }),
          ),
          contrast({ target: evil, html: evil, message: evil, help_url: evil, page_url: evil, rule: evil }),
          contrast({ target: evil, page_url: `${evil}2`, rule: evil }),
        ],
        failed: [failedPage(evil, evil, evil)],
        report: report({ starting_url: evil, failure: { code: "timeout", detail: evil } }),
      },
      { detail: "all" },
    );
    for (const line of lines) expect(line).not.to.match(/[\p{Cc}\p{Cf}\u2028\u2029]/u);
  });
});
