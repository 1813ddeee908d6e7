import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect } from "chai";
import { successCriteria } from "../../../src/domain/findings/success-criteria.ts";
import { earlReport } from "../../act/earl.ts";
import { type Example, readExamples } from "../../act/examples.ts";
import { type Judged, judge, type Said, summaryOf, tableOf } from "../../act/judge.ts";

const own = path.resolve(import.meta.dirname, "../../fixtures/act");

const criterion = (number: string) => [...successCriteria.values()].filter((one) => one.number === number);
const example = (id: string, expected: Example["expected"], rule = "r1", number = "1.1.1"): Example => ({
  ...{ id, expected, file: `${id}.html`, url: `https://example.org/${id}.html` },
  rule: { id: rule, name: `Rule ${rule}`, criteria: criterion(number) },
});
const says = (outcome: Said["says"], rule = "image-alt", tag = "wcag111"): Said => ({
  rule,
  tags: ["wcag2a", tag],
  says: outcome,
});
const judged = (expected: Example["expected"], ...said: Said[]): Judged => judge(example("a", expected), said);

describe("the examples of npm run act", () => {
  it("are in a folder as the W3C's are: 120 of our own, each with its file", async () => {
    const { examples, base, leftOut } = await readExamples(own);
    expect([examples.length, base, leftOut]).to.deep.equal([120, "/site-validator/", 0]);
    expect(examples.filter(({ file }) => !existsSync(path.join(own, file)))).to.deep.equal([]);
    const perRule = [...Map.groupBy(examples, ({ rule }) => rule.id).values()];
    const expected = ["failed", "failed", "passed", "inapplicable"];
    expect(perRule.filter((some) => some.map((one) => one.expected).join() !== expected.join())).to.deep.equal([]);
  });

  describe("of a folder", () => {
    let folder: string;
    before(async () => {
      folder = await mkdtemp(path.join(tmpdir(), "sv-act-"));
    });
    after(() => rm(folder, { recursive: true }));
    const given = {
      ...{ testcaseId: "a", ruleId: "r", ruleName: "R", expected: "passed" },
      ...{ relativePath: "testcases/r/a.html", url: "https://example.org/act/testcases/r/a.html" },
    };
    const read = async (...testcases: object[]) => {
      await writeFile(path.join(folder, "testcases.json"), JSON.stringify({ testcases }));
      return readExamples(folder);
    };

    it("are left out if they are about no criterion of level A or AA", async () => {
      const about = (requirements: object | null) => ({ ...given, ruleAccessibilityRequirements: requirements });
      const forConformance = true;
      const { examples, leftOut } = await read(
        about({ "wcag20:1.4.3": { forConformance }, "wcag20:1.4.6": { forConformance } }),
        ...[about(null), about({ "wcag20:1.4.6": { forConformance } }), about({ "aria12:x": { forConformance } })],
        about({ "wcag20:1.4.3": { forConformance: false } }),
      );
      expect(examples.map(({ rule }) => rule.criteria.map(({ number }) => number))).to.deep.equal([["1.4.3"]]);
      expect(leftOut).to.equal(4);
    });

    it("are refused with the place and what is missing", async () => {
      const error = await read(given, { ...given, expected: "maybe" }).catch(String);
      expect(error).to.match(/testcases\[1\] is no example: .*passed, failed, inapplicable.*"maybe"/);
      expect(await read().catch(String)).to.match(/testcases\.json has no testcases/);
    });
  });
});

describe("the judgement of an example", () => {
  it("has what was said about its own criteria alone", () => {
    const other = says("error", "color-contrast", "wcag143");
    expect(judged("failed", says("error"), other).said.map(({ rule }) => rule)).to.deep.equal(["image-alt"]);
  });

  it("is counted by rule: errors and reviews of examples that fail, and of the others", () => {
    const all = [
      ...[
        judged("failed", says("error"), says("review")),
        judged("failed", says("review")),
        judged("failed", says("passed")),
      ],
      ...[judged("passed", says("error")), judged("inapplicable", says("review")), judged("passed")],
    ];
    const rows = tableOf(all).trimEnd().split("\n").slice(2);
    expect(rows).to.deep.equal([
      "| Rule r1 (r1) | 1.1.1 | 3 | 1 | 1 | 3 | 1 | 1 |",
      "| **all** |  | 3 | 1 | 1 | 3 | 1 | 1 |",
    ]);
    expect(summaryOf(all)).to.equal(
      "Errors find 33.3 % of 3 examples that fail, with reviews 66.7 %; errors accuse 33.3 % of 3 others, and 33.3 % have reviews alone.",
    );
  });

  it("is an assertion of EARL for each rule that is about its criteria", () => {
    const report = earlReport(
      [judged("failed", says("error"), says("review", "sv-x"), says("untested", "sv-y"))],
      "1.0",
    );
    const graph = report["@graph"] as {
      subject: object;
      test: { title: string; isPartOf: string[] };
      result: object;
    }[];
    expect(graph.map(({ test, result }) => ({ title: test.title, result }))).to.deep.equal(
      [
        ["image-alt", "failed"],
        ["sv-x", "cantTell"],
        ["sv-y", "untested"],
      ].map(([title, outcome]) => ({ title, result: { "@type": "TestResult", outcome: `earl:${outcome}` } })),
    );
    expect(graph[0]?.subject).to.deep.equal({ "@type": "TestSubject", source: "https://example.org/a.html" });
    expect(graph[0]?.test.isPartOf).to.deep.equal([
      "https://www.w3.org/WAI/WCAG22/Understanding/non-text-content.html",
    ]);
  });
});
