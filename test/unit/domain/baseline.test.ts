import { expect } from "chai";
import fc from "fast-check";
import {
  type Baseline,
  BaselineError,
  type BaselineFinding,
  formatBaseline,
  parseBaseline,
} from "../../../src/domain/findings/baseline.ts";

const digest = "0123456789abcdef0123";
const finding: BaselineFinding = {
  ...{ page: "/a", check: "html", rule: "img/alt", type: "error", element: '<img src="x">', selector: "body > img" },
  ...{ how_many: 1, tag: digest, path: digest },
};
const baseline = (...findings: BaselineFinding[]): Baseline => ({
  engines: { html: { name: "conformance", version: "1" } },
  findings,
  failures: [{ page: "/gone", failure: "http_error" }],
});

describe("the file of a baseline", () => {
  it("has a line for what it is, and one for each finding and page that could not be checked", () => {
    const lines = formatBaseline(baseline(finding)).split("\n");
    expect(lines.map((line) => line.slice(0, 42))).to.deep.equal([
      '{"format":"site-validator-baseline","versi',
      '{"page":"/a","check":"html","rule":"img/al',
      '{"page":"/gone","failure":"http_error"}',
      "",
    ]);
  });

  it("is the same whatever order the findings were found in", () => {
    const others = ["/b", "/", "/a?b"].map((page) => ({ ...finding, page }));
    expect(formatBaseline(baseline(finding, ...others))).to.equal(
      formatBaseline(baseline(...others.reverse(), finding)),
    );
  });

  it("is read as it was written, whatever pages contain", () => {
    const texts = fc.string({ unit: "binary", maxLength: 20 });
    const findings = fc.uniqueArray(
      fc.record({
        page: texts.map((text) => `/${text}`),
        rule: texts,
        element: texts,
        how_many: fc.integer({ min: 1, max: 9 }),
      }),
      { selector: ({ page, rule }) => `${page} ${rule}` },
    );
    fc.assert(
      fc.property(findings, (found) => {
        const given = baseline(...found.map((one) => ({ ...finding, ...one })));
        const key = ({ page, rule }: BaselineFinding) => JSON.stringify([page, rule]);
        const sorted = (all: BaselineFinding[]) => all.sort((a, b) => (key(a) < key(b) ? -1 : 1));
        expect(sorted(parseBaseline(formatBaseline(given)).findings)).to.deep.equal(sorted(given.findings));
      }),
    );
  });

  it("has the impact of a finding, and whether it is outside of the standard", () => {
    const serious: BaselineFinding = { ...finding, check: "a11y", impact: "serious", outside_standard: true };
    const text = formatBaseline(baseline(serious, finding));
    expect(parseBaseline(text).findings).to.deep.equal([serious, finding]);
    expect(text).to.contain('"type":"error","impact":"serious","outside_standard":true,"element"');
  });

  it("may be merged by git line by line, in any order and with repetitions", () => {
    const text = formatBaseline(baseline(finding, { ...finding, page: "/b", how_many: 2 }));
    const [header = "", ...lines] = text.trimEnd().split("\n");
    const more = JSON.stringify({ ...finding, page: "/b", how_many: 3 });
    const merged = [header, ...lines.reverse(), header, more, ...lines].join("\r\n");
    const { findings } = parseBaseline(merged);
    expect(findings.map(({ page, how_many }) => [page, how_many])).to.have.deep.members([
      ["/a", 1],
      ["/b", 3],
    ]);
  });

  const header = formatBaseline(baseline()).split("\n")[0];
  for (const [what, text, line, message] of [
    ["another file", '{"version":"2.1.0"}', 1, /not a baseline/],
    ["a text", "hello", 1, /not a JSON object/],
    ["nothing", "", 1, /not a JSON object/],
    ["a later version", '{"format":"site-validator-baseline","version":2}', 1, /version is 2; this program knows 1/],
    ["a conflict", `${header}\n<<<<<<< HEAD\n`, 2, /conflict/],
    ["half a line", `${header}\n${JSON.stringify(finding)}\n{"page":"/`, 3, /not a JSON object/],
    ["an array", `${header}\n[]`, 2, /not a JSON object/],
    [
      "a page without a slash",
      `${header}\n${JSON.stringify({ ...finding, page: "a" })}`,
      2,
      /neither a finding nor a page/,
    ],
    ["an unknown check", `${header}\n${JSON.stringify({ ...finding, check: "css" })}`, 2, /neither a finding/],
    ["no elements", `${header}\n${JSON.stringify({ ...finding, how_many: 0 })}`, 2, /neither a finding/],
    [
      "a thousand million elements",
      `${header}\n${JSON.stringify({ ...finding, how_many: 1e9 })}`,
      2,
      /neither a finding/,
    ],
    ["a digest that is none", `${header}\n${JSON.stringify({ ...finding, tag: "x" })}`, 2, /neither a finding/],
    ["half an element", `${header}\n${JSON.stringify({ ...finding, path: undefined })}`, 2, /neither a finding/],
  ] as const)
    it(`cannot be ${what}`, () => {
      expect(() => parseBaseline(text))
        .to.throw(BaselineError, message)
        .with.property("line", line);
    });
});
