import { anchorOf } from "../findings/success-criteria.ts";
import type { SiteCriterion, SiteCriterionState } from "./judge-site.ts";
import { remarkOf, type Statement } from "./statement.ts";

const outcomes: Readonly<Record<SiteCriterionState, string>> = {
  failed_by_machine: "earl:failed",
  failed: "earl:failed",
  passed: "earl:passed",
  not_present: "earl:inapplicable",
  nothing_found: "earl:cantTell",
  needs_person: "earl:untested",
};

const MACHINE = "urn:site-validator";

/**
 * The criteria as results for programs: EARL in JSON-LD (https://www.w3.org/TR/EARL10-Schema/). The test is the criterion's
 * place in WCAG 2.2; the assertor a person or this program.
 */
export function earlOf({ site, criteria, tested }: Statement): object {
  const persons = new Map(
    criteria.flatMap(({ answer }) =>
      answer?.holds ? [[answer.answered_by, personId(answer.answered_by)] as const] : [],
    ),
  );
  return {
    "@context": {
      earl: "http://www.w3.org/ns/earl#",
      dct: "http://purl.org/dc/terms/",
      foaf: "http://xmlns.com/foaf/0.1/",
      xsd: "http://www.w3.org/2001/XMLSchema#",
      WCAG22: "http://www.w3.org/TR/WCAG22/#",
    },
    "@graph": [
      { "@id": site.url, "@type": "earl:TestSubject", "dct:title": site.name },
      { "@id": MACHINE, "@type": ["earl:Assertor", "earl:Software"], "dct:title": "Site Validator" },
      ...[...persons].map(([name, id]) => ({ "@id": id, "@type": ["earl:Assertor", "foaf:Agent"], "foaf:name": name })),
      ...criteria.map((criterion) => assertion(criterion, site.url, tested.at)),
    ],
  };
}

function assertion(criterion: SiteCriterion, subject: string, testedAt: Date): object {
  const { state, answer } = criterion;
  const isManual = answer?.holds === true && state === answer.outcome;
  const remark = remarkOf(criterion);
  const at = isManual ? answer.answered_at : testedAt;
  return {
    "@type": "earl:Assertion",
    "earl:assertedBy": { "@id": isManual ? personId(answer.answered_by) : MACHINE },
    "earl:subject": { "@id": subject },
    "earl:test": { "@id": `WCAG22:${anchorOf(criterion)}` },
    "earl:mode": { "@id": isManual ? "earl:manual" : "earl:automatic" },
    "earl:result": {
      "@type": "earl:TestResult",
      "earl:outcome": { "@id": outcomes[state] },
      "dct:date": { "@type": "xsd:date", "@value": at.toISOString().slice(0, 10) },
      ...(remark !== "" && { "dct:description": remark }),
    },
  };
}

function personId(name: string): string {
  return `urn:site-validator:person:${encodeURIComponent(name)}`;
}
