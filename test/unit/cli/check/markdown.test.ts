import { expect } from "chai";
import MarkdownIt from "markdown-it";
import type { FailedPage } from "../../../../src/cli/check/failed-pages.ts";
import { groupFindings } from "../../../../src/cli/check/output/group-findings.ts";
import { resultMarkdown } from "../../../../src/cli/check/output/markdown.ts";
import type { Result } from "../../../../src/cli/check/output/result-text.ts";
import type { ExportedFinding } from "../../../../src/domain/export/exported.ts";
import { endedReport, exportedFinding, stream } from "../../../support/cli.ts";

type Wanted = Partial<Omit<Result, "rules">> & { findings?: readonly ExportedFinding[] };

async function markdownOf({ findings = [], ...result }: Wanted = {}): Promise<string> {
  const rules = await groupFindings(stream(findings));
  const whole = { report: endedReport(), failed: [], verdict: { exitCode: 0 }, rules, ...result };
  return resultMarkdown(whole, (url) => url.replace("https://example.com/", "dist/"));
}

const failedPage = (url: string, linkedFrom: string | null = null): FailedPage => ({
  ...{
    url,
    linkedFrom: linkedFrom === null ? [] : [linkedFrom],
    numLinkedFrom: linkedFrom === null ? 0 : 1,
    reasons: ["It responded with 404."],
    codes: ["http_error"],
  },
});

/** The cells of a table's row as GitHub divides it: a backslash before punctuation belongs to what follows it. */
const cellsOf = (row: string) => row.match(/(?:\\[!-/:-@[-`{-~]|[^|])+/g) ?? [];

describe("the result in Markdown", () => {
  it("says that a site passed, with its totals", async () => {
    const report = endedReport({ num_pages: 3 }, { errors: 0, warnings: 2, checked: 3, failed: 0 });
    expect((await markdownOf({ report })).split("\n")).to.deep.equal([
      "## ` dist/ ` passed",
      "",
      "3 pages found.",
      "",
      "| | errors | warnings | outside of the standard |",
      "|---|---:|---:|---:|",
      "| HTML | 0 | 2 |  |",
      "",
    ]);
  });

  it("has a row for each rule, with its first place, and the pages that could not be checked", async () => {
    const text = await markdownOf({
      findings: [exportedFinding({ page_url: "https://example.com/a" })],
      failed: [failedPage("https://example.com/gone", "https://example.com/a"), failedPage("https://example.com/b")],
      verdict: { exitCode: 1 },
    });
    expect(text).to.match(/^## ` dist\/ ` failed$/m);
    expect(text).to.include(
      '| error | [` img/alt `](https://html.spec.whatwg.org/multipage/images.html#alt) | 1 | 1 | ` dist/a:12:5 `<br>` <img src="x.png"> ` |',
    );
    expect(text).to.include(
      "### Could not be checked: 2 pages\n\n- ` dist/gone ` (` http_error `), linked from ` dist/a `\n",
    );
  });

  it("says what was left out", async () => {
    const notice = {
      ...{
        code: "page_limit",
        severity: "gap",
        message: "There are more pages (9).",
        how_many: 9,
        more: false,
        advice: ".",
      },
      examples: [{ url: "https://example.com/`9", detail: "linked" }],
    };
    const coverage = { complete: false, pages: { found: 1, checked: 1, failed: 0, left_out: {} }, notices: [notice] };
    expect(await markdownOf({ report: endedReport({ coverage: coverage as never }) })).to.include(
      "### Coverage\n\nIncomplete (page_limit): 1 page checked\n\n- gap `page_limit`: There are more pages (9). `` dist/`9: linked `` .\n",
    );
  });

  it("says why nothing could be checked, and what is new by a baseline", async () => {
    const stopped = await markdownOf({ verdict: { exitCode: 2, stopped: "It responded with 500." } });
    expect(stopped).to.equal("## ` dist/ ` could not be checked\n\n` It responded with 500. `\n");
    const count = (errors: number) => ({ errors, warnings: 1 });
    const states = { new: count(2), fixed: count(3), persisting: count(4) } as never;
    const compared = await markdownOf({ baseline: { file: "b.json", states, fixed: [] } });
    expect(compared).to.include("Against the baseline: **3 new**, 4 fixed, 5 known.");
  });

  it("is bounded, however much there is", async () => {
    const findings = Array.from({ length: 30 }, (_, n) => exportedFinding({ rule: `r${n}`, html: "x".repeat(5_000) }));
    const failed = Array.from({ length: 30 }, (_, n) => failedPage(`https://example.com/${n}`));
    const text = await markdownOf({ findings, failed, verdict: { exitCode: 1 } });
    expect(text).to.include("and 10 more rules").and.include("- and 20 more pages");
    expect(text.length).to.be.lessThan(10_000);
  });

  for (const hostile of [
    "a | b",
    "a \\| @team | [x](https://evil.example)",
    "a \\\\| ![x](https://evil.example/y)",
    "` @team `",
    "``` @team",
    "ends in \\",
    "<br>\n## Heading\n| a | b |",
    "</code><img src=x>",
  ])
    it(`keeps what a site writes in code, in one cell: ${JSON.stringify(hostile)}`, async () => {
      const text = await markdownOf({
        findings: [exportedFinding({ html: hostile, page_url: "https://example.com/a" })],
        failed: [failedPage(hostile, hostile)],
        verdict: { exitCode: 1 },
      });
      const row = text.split("\n").find((line) => line.startsWith("| error |")) ?? "";
      expect(cellsOf(row), row).to.have.length(5);
      const outside = new MarkdownIt({ html: true }).render(text).replace(/<code>[^<]*<\/code>/g, "");
      expect(outside).not.to.match(/@team|evil|<img|Heading/);
    });
});
