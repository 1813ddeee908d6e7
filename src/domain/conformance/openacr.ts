import { stringify } from "yaml";
import type { SiteCriterion } from "./judge-site.ts";
import { claimText, conformanceLevels, missingOf, remarkOf, type Statement } from "./statement.ts";

const chapters = {
  A: "success_criteria_level_a",
  AA: "success_criteria_level_aa",
  AAA: "success_criteria_level_aaa",
} as const;

/**
 * The criteria for buyers: an Accessibility Conformance Report as OpenACR (https://github.com/GSA/openacr), in the terms of VPAT 2.5.
 *
 * @returns YAML
 */
export function openAcrOf(statement: Statement): string {
  const { site, criteria, operator, contact, now } = statement;
  const date = now.toISOString().slice(0, 10);
  const isDraft = missingOf(statement).length > 0;
  return stringify({
    title: `${site.name} Accessibility Conformance Report`,
    product: { name: site.name, description: site.url },
    // Its schema requires an address, also of a draft.
    author: { ...(operator !== null && { company_name: operator }), email: contact ?? "", website: site.url },
    report_date: date,
    last_modified_date: date,
    version: 1,
    notes: `${isDraft ? "Draft. " : ""}${claimText(statement)}`,
    evaluation_methods_used: "Pages were checked by machine (Site Validator), and by people where a criterion says so.",
    catalog: "2.5-edition-wcag-2.2-en",
    chapters: Object.fromEntries(
      Object.entries(chapters).flatMap(([level, name]) => {
        const own = criteria.filter((one) => one.level === level);
        return own.length > 0 ? [[name, { criteria: own.map(criterionOf) }]] : [];
      }),
    ),
  });
}

function criterionOf(criterion: SiteCriterion): object {
  const notes = remarkOf(criterion);
  const level = conformanceLevels[criterion.state].toLowerCase().replaceAll(" ", "-");
  return {
    num: criterion.number,
    components: [{ name: "web", adherence: { level, ...(notes !== "" && { notes }) } }],
  };
}
