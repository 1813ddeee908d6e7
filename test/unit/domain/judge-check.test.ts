import { expect } from "chai";
import { settleCredits } from "../../../src/domain/accounts/credits.ts";
import { changeByEnd } from "../../../src/domain/findings/check-counts.ts";
import type { CheckOutcome } from "../../../src/domain/findings/findings.ts";
import { judgeCheck } from "../../../src/domain/findings/judge-check.ts";
import { type Muting, mutingsByPage } from "../../../src/domain/findings/muting.ts";
import { emptyTally } from "../../../src/domain/findings/tally.ts";
import type { ReportSpec } from "../../../src/schema/report.ts";
import { reportSpec } from "../../support/builders.ts";
import { a11yIssue, engine, htmlIssue } from "../../support/fake-runner.ts";

const url = "https://example.com/a";
const screenshot = (bytes: number) => ({ png: new Uint8Array(bytes), width: 1, height: 1, scale: 1 });

function judge(
  outcome: CheckOutcome,
  {
    spec = {},
    mutings = [],
    source,
  }: { spec?: Partial<ReportSpec>; mutings?: Muting[]; source?: { bytes: number; length: number } } = {},
) {
  return judgeCheck(outcome, { url, source }, mutingsByPage(mutings)(url), reportSpec(spec));
}

describe("the verdict on a check", () => {
  const html = (...issues: ReturnType<typeof htmlIssue>[]): CheckOutcome => ({ kind: "html", engine, issues });

  it("counts what was found, and gives each finding its fingerprint", () => {
    const { tally, issues, failure, engine: by } = judge(html(htmlIssue("wrong", 2), htmlIssue("odd", 1, "warning")));
    expect(tally).to.deep.equal({ ...emptyTally(), errors: 2, warnings: 1 });
    expect(issues.map(({ howMany, mutedCount, mutingId }) => [howMany, mutedCount, mutingId])).to.deep.equal([
      [2, 0, null],
      [1, 0, null],
    ]);
    for (const { findings } of issues) expect(findings[0]?.fingerprint).to.match(/^[0-9a-f]+$/);
    expect(failure).to.equal(undefined);
    expect(by).to.deep.equal(engine);
  });

  it("counts nothing that a muting silences, but has it", () => {
    const { tally, issues } = judge(html(htmlIssue("wrong", 2), htmlIssue("odd")), {
      mutings: [{ id: "7", message: "WRONG" }],
    });
    expect(tally).to.deep.equal({ ...emptyTally(), errors: 1, muted_errors: 2 });
    expect(issues.map(({ mutingId }) => mutingId)).to.deep.equal(["7", null]);
    expect(issues[0]?.findings.map(({ mutingId }) => mutingId)).to.deep.equal(["7"]);
  });

  it("counts apart what is outside of the report's standard", () => {
    const inside = { ...a11yIssue("serious", 1), tags: ["wcag2a"] };
    const outside = { ...a11yIssue("minor", 3), tags: ["best-practice"] };
    const { tally } = judge({ kind: "a11y", engine, issues: [inside, outside] }, { spec: { standard: "wcag2a" } });
    expect(tally).to.deep.equal({ ...emptyTally(), errors: 1, serious: 1, outside_standard: 3 });
  });

  it("is the failure, if the check failed", () => {
    const failure = { code: "timeout", detail: "It took too long." } as const;
    const verdict = judge({ kind: "html", failure });
    expect(verdict).to.deep.include({
      failure,
      tally: emptyTally(),
      issues: [],
      engine: undefined,
      keepsSource: false,
    });
  });

  const small = { bytes: 250_000, length: 2_000_000 };
  const sources: [string, CheckOutcome, { bytes: number; length: number } | undefined, boolean][] = [
    ["keeps the source of a page with findings", html(htmlIssue("wrong")), small, true],
    ["keeps none of a page without findings", html(), small, false],
    ["keeps none that is not there", html(htmlIssue("wrong")), undefined, false],
    ["keeps none that is too large", html(htmlIssue("wrong")), { ...small, bytes: 250_001 }, false],
    ["keeps none that is too long", html(htmlIssue("wrong")), { ...small, length: 2_000_001 }, false],
    ["keeps none for findings in the browser", { kind: "a11y", engine, issues: [a11yIssue("minor", 1)] }, small, false],
  ];
  for (const [what, outcome, source, keeps] of sources)
    it(what, () => {
      expect(judge(outcome, source && { source }).keepsSource).to.equal(keeps);
    });

  it("has the page's status only where the crawler has not received it with the source", () => {
    const outcome: CheckOutcome = { kind: "a11y", engine, issues: [], httpStatus: 404 };
    expect(judge(outcome, { spec: { performHtmlChecks: false, performA11yChecks: true } }).httpStatus).to.equal(404);
    expect(judge(outcome, { spec: { performHtmlChecks: true, performA11yChecks: true } }).httpStatus).to.equal(
      undefined,
    );
  });

  it("has the raw result and the screenshot if the report asks for them, and the screenshot is not too large", () => {
    const taken = screenshot(1);
    const outcome: CheckOutcome = { kind: "a11y", engine, issues: [], raw: { all: 1 }, screenshot: taken };
    const asked = { performA11yChecks: true, storeRawA11yChecks: true, storeScreenshot: true };
    expect(judge(outcome, { spec: asked })).to.deep.include({ raw: { all: 1 }, screenshot: taken });
    expect(judge(outcome)).to.include({ raw: undefined, screenshot: undefined });
    const large = { ...outcome, screenshot: screenshot(5_000_001) };
    expect(judge(large, { spec: asked }).screenshot).to.equal(undefined);
  });
});

describe("the change of a report's counts when checks end", () => {
  it("replaces what the run before has counted", () => {
    const ended = judge({ kind: "html", engine, issues: [htmlIssue("wrong", 2)] });
    const failed = judge({ kind: "html", failure: { code: "timeout", detail: "" } });
    const before = { ...emptyTally(), errors: 5, warnings: 1 };
    expect(
      changeByEnd([
        { verdict: ended, before, reused: true },
        { verdict: failed, before: emptyTally(), reused: false },
      ]),
    ).to.deep.equal({ ...emptyTally(), errors: -3, warnings: -1, pending: -2, checked: 1, failed: 1, reused: 1 });
  });
});

describe("the credits of ended checks", () => {
  it("are charged for results and released otherwise, by month, the earliest first", () => {
    expect(
      settleCredits([
        { month: "2026-02-01", hasResult: true },
        { month: null, hasResult: true },
        { month: "2026-01-01", hasResult: false },
        { month: "2026-02-01", hasResult: false },
      ]),
    ).to.deep.equal([
      { month: "2026-01-01", reserved: -1, charged: 0 },
      { month: "2026-02-01", reserved: -2, charged: 1 },
    ]);
  });
});
