import { readFile } from "node:fs/promises";
import path from "node:path";
import { type SuccessCriterion, successCriteria } from "../../src/domain/findings/success-criteria.ts";

/** What a rule says of an example: it fails the rule, or it does not. */
const expectations = ["passed", "failed", "inapplicable"] as const;

/** An example of an ACT rule. */
export type Example = {
  id: string;
  rule: { id: string; name: string; criteria: readonly SuccessCriterion[] };
  expected: (typeof expectations)[number];
  /** Its file in the folder. */
  file: string;
  /** Where it is published. */
  url: string;
};

/** An entry of testcases.json, as far as it is read. */
type TestCase = Partial<Record<"testcaseId" | "ruleId" | "ruleName" | "expected" | "relativePath" | "url", string>> & {
  ruleAccessibilityRequirements?: Record<string, { forConformance?: boolean }> | null;
};

/**
 * Reads the examples of a folder: testcases.json, as the W3C publishes it for the ACT rules, with the files that it names. Those
 * that are about no success criterion of level A or AA are left out.
 *
 * @returns also the path below which the examples expect to be
 */
export async function readExamples(folder: string): Promise<{ examples: Example[]; base: string; leftOut: number }> {
  const file = path.join(folder, "testcases.json");
  const { testcases } = JSON.parse(await readFile(file, "utf8")) as { testcases?: TestCase[] };
  if (!Array.isArray(testcases) || testcases.length === 0)
    throw new Error(`${file} has no testcases. It should be the testcases.json of ACT rules.`);
  const all = testcases.map((given, index) => exampleOf(given, `${file}, testcases[${index}]`));
  const examples = all.filter(({ rule }) => rule.criteria.length > 0);
  const [first] = all;
  const base = new URL(first?.url ?? "http://localhost/").pathname.slice(0, -(first?.file.length ?? 0));
  return { examples, base, leftOut: all.length - examples.length };
}

function exampleOf(given: TestCase, where: string): Example {
  const { testcaseId: id, ruleId, ruleName, relativePath, url } = given;
  const expected = expectations.find((one) => one === given.expected);
  if (!id || !ruleId || !ruleName || !relativePath || !url || !expected || !url.endsWith(`/${relativePath}`))
    throw new Error(
      `${where} is no example: it needs testcaseId, ruleId, ruleName, relativePath, a url that ends with that, and expected (${expectations.join(", ")}), and is ${JSON.stringify(given).slice(0, 300)}.`,
    );
  const criteria = criteriaOf(given.ruleAccessibilityRequirements ?? {});
  return { id, rule: { id: ruleId, name: ruleName, criteria }, expected, file: relativePath, url };
}

/** The criteria of level A or AA that an example must meet, from names such as `wcag20:1.4.3`. */
function criteriaOf(requirements: NonNullable<TestCase["ruleAccessibilityRequirements"]>): SuccessCriterion[] {
  return Object.entries(requirements).flatMap(([name, { forConformance }]) => {
    const number = /^wcag\d*:(\d\.\d\.\d+)$/.exec(name)?.[1];
    const criterion = number === undefined ? undefined : successCriteria.get(number);
    return criterion && forConformance !== false && criterion.level !== "AAA" ? [criterion] : [];
  });
}
