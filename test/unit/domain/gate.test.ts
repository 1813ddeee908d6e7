import { expect } from "chai";
import { describeResult, type GateInput, judgeGate } from "../../../src/domain/findings/gate.ts";
import type { Gate } from "../../../src/schema/gate.ts";

const html = { kind: "html", impact_order: null } as const;
const a11y = { kind: "a11y", issue_type: "error" } as const;

/** 3 HTML errors of which 1 is new, 2 warnings, 4 minor and 1 critical accessibility errors of which the critical one is new. */
const input: GateInput = {
  checked: 10,
  failedPages: 0,
  cutShort: false,
  gaps: 0,
  found: [
    { ...html, issue_type: "error", how_many: 3 },
    { ...html, issue_type: "warning", how_many: 2 },
    { ...a11y, impact_order: 1, how_many: 4 },
    { ...a11y, impact_order: 4, how_many: 1 },
  ],
  compared: [
    { ...html, issue_type: "error", how_many: 1, state: "new" },
    { ...html, issue_type: "error", how_many: 2, state: "persisting" },
    { ...html, issue_type: "warning", how_many: 2, state: "new_rule" },
    { ...a11y, impact_order: 4, how_many: 1, state: "new" },
    { ...a11y, impact_order: 1, how_many: 7, state: "fixed" },
    { ...a11y, impact_order: 1, how_many: 4, state: "unknown" },
  ],
};

/** Each condition's result in one line. */
function lines(gate: Gate, given: Partial<GateInput> = {}): string[] {
  const { passed, results } = judgeGate(gate, { ...input, ...given });
  return [`passed: ${passed}`, ...results.map((result) => `${result.passed}: ${describeResult(result)}`)];
}

describe("A gate", () => {
  const cases: [name: string, gate: Gate, expected: string[], given?: Partial<GateInput>][] = [
    [
      "is passed at its limits",
      { maxErrors: 8, maxWarnings: 2 },
      ["passed: true", "true: errors: 8, at most 8 allowed", "true: warnings: 2, at most 2 allowed"],
    ],
    [
      "is failed one above a limit, whatever the others say",
      { maxErrors: 7, maxWarnings: 2 },
      ["passed: false", "false: errors: 8, at most 7 allowed", "true: warnings: 2, at most 2 allowed"],
    ],
    [
      "counts as new what is in the state new, and nothing else",
      { maxNewErrors: 1, maxNewWarnings: 0 },
      ["passed: false", "false: new errors: 2, at most 1 allowed", "true: new warnings: 0, at most 0 allowed"],
    ],
    [
      "leaves accessibility findings below an impact out, and no HTML findings",
      { maxErrors: 0, maxNewErrors: 0, minImpact: "serious" },
      ["passed: false", "false: errors: 4, at most 0 allowed", "false: new errors: 2, at most 0 allowed"],
    ],
    [
      "counts findings of that impact",
      { maxErrors: 0, minImpact: "critical" },
      ["passed: false", "false: errors: 4, at most 0 allowed"],
    ],
    [
      "does not judge what is new in a first run, which passes",
      { maxNewErrors: 0, maxNewWarnings: 0 },
      [
        "passed: true",
        "null: new errors: not judged, there is no earlier report to compare with",
        "null: new warnings: not judged, there is no earlier report to compare with",
      ],
      { compared: "no_base" },
    ],
    [
      "judges the rest of a first run",
      { maxErrors: 0, maxNewErrors: 0 },
      [
        "passed: false",
        "false: errors: 8, at most 0 allowed",
        "null: new errors: not judged, there is no earlier report to compare with",
      ],
      { compared: "no_base" },
    ],
    [
      "is not passed when the comparison failed",
      { maxErrors: 8, maxNewErrors: 9 },
      [
        "passed: false",
        "true: errors: 8, at most 8 allowed",
        "null: new errors: not judged, the comparison with the earlier report failed",
      ],
      { compared: "not_compared" },
    ],
    [
      "is not passed when nothing was checked",
      { maxErrors: 8, failOnFailedPages: true },
      [
        "passed: false",
        "null: errors: not judged, no page was checked",
        "null: pages that could not be checked: not judged, no page was checked",
      ],
      { checked: 0, found: [] },
    ],
    [
      "ignores failed pages unless it names them",
      { maxErrors: 8, failOnFailedPages: false },
      ["passed: true", "true: errors: 8, at most 8 allowed"],
      { failedPages: 2 },
    ],
    [
      "is failed by one failed page if it names them",
      { failOnFailedPages: true },
      ["passed: false", "false: pages that could not be checked: 1, at most 0 allowed"],
      { failedPages: 1 },
    ],
    [
      "takes the pages that a crawl did not come to for failed ones",
      { failOnFailedPages: true },
      [
        "passed: false",
        "false: pages that could not be checked: 0, at most 0 allowed (the crawl was cut short, so pages are missing)",
      ],
      { cutShort: true },
    ],
  ];
  for (const [name, gate, expected, given] of cases)
    it(name, () => {
      expect(lines(gate, given)).to.deep.equal(expected);
    });

  it("keeps what was judged of new findings once the earlier report is deleted", () => {
    const gate = { maxErrors: 5, maxNewErrors: 1 };
    const before = judgeGate(gate, input).results;
    const fewer = { ...input, found: [{ ...html, issue_type: "error" as const, how_many: 1 }] };
    const after = judgeGate(gate, { ...fewer, compared: "no_base" }, before);
    expect(after.results.map(({ counted, passed }) => [counted, passed])).to.deep.equal([
      [1, true],
      [2, false],
    ]);
    expect(after.passed).to.equal(false);
  });
});
