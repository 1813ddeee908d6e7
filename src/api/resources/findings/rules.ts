import { createHash } from "node:crypto";
import { checkKinds, nounOf } from "../../../checks/kinds.ts";
import {
  countByRule,
  listRules,
  type RuleCounts,
  type RuleFilter,
  type RuleOfRow,
  type RuleRow,
  ruleGroups,
  ruleSortKeys,
} from "../../../database/findings/rules.ts";
import { titleOfTopic } from "../../../domain/findings/fault.ts";
import { ownStates } from "../../../domain/findings/finding-state.ts";
import { impactOf, impacts } from "../../../domain/findings/findings.ts";
import { type Role, roles } from "../../../domain/findings/role.ts";
import type { Guides } from "../../../domain/guides/guides.ts";
import { titleOfRule } from "../../../domain/guides/title-of-rule.ts";
import type { Context, Route } from "../../context.ts";
import type { List, Resource } from "../../documents.ts";
import {
  choiceParameter,
  impactParameter,
  issueTypeParameter,
  issueTypes,
  kindParameter,
  mutedParameter,
  outsideParameter,
  ownStateParameter,
  pageParameters,
  pathParameter,
  roleParameter,
  ruleParameter,
  sortParameter,
  tagParameters,
  textParameter,
} from "../../http/request/parameters.ts";
import { mutedIn, type Query } from "../../http/request/query.ts";
import { list, related, timestamp } from "../../http/response/documents.ts";
import { ruleMeta } from "../../openapi/response-schemas/rules.ts";
import { guideAttributes } from "../issues/guide-attributes.ts";
import { reportUrl, visibleReport } from "../reports/report-access.ts";
import { standardAttributes } from "./finding-attributes.ts";

/** What is wrong on a report's pages, by rule: what lists of issues show, and what their filters count. */
export const rules: readonly Route[] = [
  {
    method: "GET",
    path: "/reports/:report_id/rules",
    id: "listRules",
    tag: "Issues",
    summary: "List a report's findings by rule",
    description:
      "A rule of an engine is one, however many messages it has: a link checker's name the address. Errors come first. Counts only what the filters select: without filter[outside_standard], errors and warnings. meta.counts says how many elements each other choice of a filter would select, with all other filters as they are.",
    success: { kind: "list", type: "report_rule", meta: ruleMeta },
    access: "shared",
    site: "report",
    parameters: [
      kindParameter,
      ruleParameter,
      textParameter("filter[message]", "A message of the rule contains this, regardless of case."),
      ...tagParameters,
      impactParameter,
      issueTypeParameter,
      outsideParameter("true: what is outside of the report's standard, in place of errors and warnings.", "false"),
      ownStateParameter("Counts only elements in this state"),
      pathParameter("Counts only elements on pages"),
      roleParameter,
      mutedParameter("true: muted elements in place of the others."),
      choiceParameter(
        "group",
        "What is one resource: a rule of an engine; or a topic, which is the rules of all engines about the same thing.",
        ruleGroups,
        "rule",
      ),
      sortParameter("The sort order: by elements, by severity, or by pages.", ruleSortKeys, "how_many-desc"),
      ...pageParameters,
    ],
    isHeavy: true,
    handle: async (context) => {
      const { deps, query } = context;
      const page = query.page();
      const sort = query.sort(ruleSortKeys) ?? { key: "how_many", direction: "desc" };
      const group = query.oneOf("group", ruleGroups, "rule");
      const filter = filterOf(query);
      const { report } = await visibleReport(context);
      // A report that is queued has no row yet.
      const of = { reportId: report.id, comparisonId: report.comparison_id ?? null };
      const listed = await listRules(deps.db, of, filter, sort, page, group);
      const meta = metaOf(await countByRule(deps.db, of, filter)) satisfies Partial<List<"report_rule">["meta"]>;
      const guides = await deps.guides();
      return list(context, page, { ...listed, meta }, (row) => ruleDocument(context, report.id, row, guides));
    },
  },
];

function filterOf(query: Query): RuleFilter {
  const kind = query.choice("filter[kind]", checkKinds);
  const rule = query.text("filter[rule]");
  const text = query.text("filter[message]");
  const tags = query.tags();
  const impact = query.choice("filter[impact]", impacts);
  const issueType = query.choice("filter[issue_type]", issueTypes);
  const state = query.choice("filter[state]", ownStates);
  const folder = query.folder();
  const role = query.choice("filter[role]", Object.keys(roles) as Role[]);
  return {
    ...(kind && { kind }),
    ...(rule !== undefined && { rule }),
    ...(text !== undefined && { text }),
    ...(tags && { tags }),
    ...(impact && { impact }),
    ...(issueType && { issueType }),
    outsideStandard: query.oneOf("filter[outside_standard]", ["true", "false"], "false") === "true",
    ...(state && { state }),
    ...(folder && { folder }),
    ...(role && { role }),
    muted: mutedIn(query),
  };
}

function metaOf({ howMany, muted, unmuted, outsideStandard, by }: RuleCounts) {
  const all = (names: readonly string[], counts: Partial<Record<string, number>>) =>
    Object.fromEntries(names.map((name) => [name, counts[name] ?? 0]));
  return {
    how_many: howMany,
    counts: {
      kind: all(checkKinds, by.kind),
      impact: all(impacts, by.impact),
      issue_type: all(issueTypes, by.issueType),
      outside_standard: outsideStandard,
      state: all(ownStates, by.state),
      role: all(Object.keys(roles), by.role),
      muted: { true: muted, false: unmuted },
    },
  } as Pick<List<"report_rule">["meta"], "how_many" | "counts">;
}

function ruleDocument(context: Context, reportId: string, row: RuleRow, guides: Guides): Resource<"report_rule"> {
  const { kind, issue_type, outside_standard, impact_order, message, help_url, tags, common_id } = row;
  const rule = row.rule === "" ? null : row.rule;
  const report = reportUrl(context, reportId);
  const { states, roles: counted, num_messages, how_many, num_pages } = row;
  const { success_criteria, act_rules } = standardAttributes(tags);
  const parts = row.rules.map((part) => partDocument(part, guides));
  const name = row.topic ?? [kind, row.rule === "" ? common_id : row.rule].join(" ");
  return {
    id: createHash("md5").update([name, issue_type, outside_standard].join(" ")).digest("hex"),
    type: "report_rule",
    attributes: {
      ...{
        kind,
        rule,
        title: titleOfTopic(
          parts.map(({ title }) => title),
          row.topic,
        ),
        message,
        num_messages,
      },
      ...{ rules: parts, help_url, tags },
      ...{ success_criteria, act_rules, issue_type, outside_standard, impact: impactOf(impact_order) },
      ...{ how_many, num_pages, roles: counted },
      states:
        states &&
        (Object.fromEntries(ownStates.map((state) => [state, states[state] ?? 0])) as NonNullable<
          Resource<"report_rule">["attributes"]["states"]
        >),
      first_seen_at: timestamp(row.first_seen_at),
      ...guideAttributes(context, guides, kind, rule),
    },
    relationships: related({ report, common_issue: `${report}/common_${nounOf(kind)}_issues/${common_id}` }),
  };
}

function partDocument(
  { kind, rule, message, common_id, how_many }: RuleOfRow,
  guides: Guides,
): Resource<"report_rule">["attributes"]["rules"][number] {
  const named = { kind, rule: rule === "" ? null : rule, message };
  return { ...named, title: titleOfRule(guides, named), how_many, common_issue_id: common_id };
}
