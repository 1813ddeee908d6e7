import type { Attributes, Resource } from "../../api/documents.ts";
import { type CheckKind, worstFirst } from "../../checks/kinds.ts";
import type { Api } from "../api.ts";
import { sortOf } from "../parts/finding.ts";
import { outsideOf } from "../parts/report-sections.ts";
import { type First, readFirst } from "./lists.ts";

/** A rule with where it is in the file. */
export type RuleInFile = Resource<"report_rule"> & { anchor: string };

/** The first rules of a kind of check, the worst first, and how many there are. */
export type RulesOfKind = { kind: CheckKind; isOutside: boolean; rules: readonly RuleInFile[]; total: number };

/**
 * The rules of each kind of check, and after them those outside of the report's standard.
 *
 * @param most how many rules are read
 */
export async function rulesOf(
  api: Pick<Api, "get">,
  root: string,
  report: Attributes<"report">,
  most: number,
): Promise<RulesOfKind[]> {
  const groups: RulesOfKind[] = [];
  let left = most;
  for (const isOutside of outsideOf(report) > 0 ? [false, true] : [false])
    for (const kind of worstFirst.filter((performed) => report.checks[performed])) {
      const query = { "filter[kind]": kind, "filter[outside_standard]": String(isOutside), sort: sortOf(kind) };
      const { data, total } = await readFirst<"report_rule">(api, `${root}/rules`, query, Math.max(1, left));
      const rules = data.slice(0, left).map((rule, index) => {
        const anchor = `${kind}${isOutside ? "-outside" : ""}-${index + 1}`;
        return { ...rule, anchor };
      });
      left -= rules.length;
      groups.push({ kind, isOutside, rules, total });
    }
  return groups;
}

/** What lists are filtered by to have what is counted of a rule. */
function filterOf({ attributes: { kind, rule, issue_type, outside_standard } }: RuleInFile) {
  return {
    ...{ "filter[kind]": kind, "filter[rule]": rule ?? "", "filter[issue_type]": issue_type },
    "filter[outside_standard]": String(outside_standard),
  };
}

/** The first elements of a rule; of one without a name nothing but its pages can be asked for. */
export async function elementsOf(
  api: Pick<Api, "get">,
  root: string,
  rule: RuleInFile,
  most: number,
): Promise<First<"component">> {
  if (rule.attributes.rule === null) return { data: [], total: 0 };
  return readFirst<"component">(api, `${root}/components`, filterOf(rule), most);
}

const MAX_PAGES = 50;

/** The first pages on which a rule is found; it says itself how many there are. */
export async function pagesOf(api: Pick<Api, "get">, root: string, rule: RuleInFile): Promise<string[]> {
  const { rule: name } = rule.attributes;
  const issue = rule.relationships.common_issue.links.related.split("/");
  const query = name === null ? { [`filter[${issue.at(-2)?.slice(0, -1)}_id]`]: issue.at(-1) ?? "" } : filterOf(rule);
  const { data } = await readFirst<"web_page">(api, `${root}/web_pages`, query, MAX_PAGES);
  return data.map(({ attributes }) => attributes.url);
}
