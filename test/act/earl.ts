import { actRulesOf } from "../../src/domain/findings/act-rules.ts";
import { successCriteriaOf, understandingUrl } from "../../src/domain/findings/success-criteria.ts";
import type { Judged, Said } from "./judge.ts";

/** The outcomes of EARL (https://www.w3.org/TR/EARL10-Schema/) for what our rules say. */
const outcomes = {
  error: "earl:failed",
  review: "earl:cantTell",
  passed: "earl:passed",
  inapplicable: "earl:inapplicable",
  untested: "earl:untested",
} as const satisfies Record<Said["says"], string>;

const context = {
  "@vocab": "http://www.w3.org/ns/earl#",
  earl: "http://www.w3.org/ns/earl#",
  title: "http://purl.org/dc/terms/title",
  isPartOf: { "@id": "http://purl.org/dc/terms/isPartOf", "@type": "@id" },
  source: { "@id": "http://purl.org/dc/terms/source", "@type": "@id" },
  name: "http://usefulinc.com/ns/doap#name",
  revision: "http://usefulinc.com/ns/doap#revision",
  release: "http://usefulinc.com/ns/doap#release",
  mode: { "@type": "@id" },
  outcome: { "@type": "@id" },
};

/** A report in JSON-LD with an assertion for each example and rule that is about its criteria. */
export function earlReport(judged: readonly Judged[], version: string): Record<string, unknown> {
  const assertedBy = { "@type": "Assertor", name: "site-validator", release: { revision: version } };
  const assertions = judged.flatMap(({ example, said }) =>
    said.map(({ rule, tags, says }) => ({
      ...{ "@type": "Assertion", assertedBy, mode: "earl:automatic" },
      subject: { "@type": "TestSubject", source: example.url },
      test: {
        ...{ "@type": "TestCase", title: rule },
        isPartOf: [...successCriteriaOf(tags).map(understandingUrl), ...actRulesOf(tags).map(({ url }) => url)],
      },
      result: { "@type": "TestResult", outcome: outcomes[says] },
    })),
  );
  return { "@context": context, "@graph": assertions };
}
