import type { IssueQuery } from "../../../database/reports/issues.ts";
import { ownStates } from "../../../domain/findings/finding-state.ts";
import { impacts } from "../../../domain/findings/findings.ts";
import { type Role, roles } from "../../../domain/findings/role.ts";
import {
  impactParameter,
  issueTypeParameter,
  issueTypes,
  mutedParameter,
  ownStateParameter,
  pageParameters,
  pathParameter,
  roleParameter,
  ruleParameter,
  sortParameter,
  tagParameters,
  textParameter,
} from "../../http/request/parameters.ts";
import { mutedIn, type PageRequest, type Query } from "../../http/request/query.ts";
import type { QueryParameter } from "../../openapi/operation.ts";

/** How lists of issues differ from each other. */
export type IssueList = {
  textFilter: "filter[message]" | "filter[help]";
  sortKeys: readonly NonNullable<IssueQuery["sort"]>["key"][];
};

/** The query parameters of a list of issues. Only accessibility issues have an impact, and only common ones are on several pages. */
export function issueParameters({ textFilter, sortKeys }: IssueList): readonly QueryParameter[] {
  const [, text] = /\[(.*)\]/.exec(textFilter) ?? [];
  return [
    textParameter(textFilter, `The ${text} contains this, regardless of case.`),
    ...tagParameters,
    ruleParameter,
    ...(sortKeys.includes("impact") ? [impactParameter] : []),
    issueTypeParameter,
    ownStateParameter("Issues with an element in this state"),
    ...(sortKeys.includes("pages") ? [pathParameter("Counts only elements on pages"), roleParameter] : []),
    mutedParameter(),
    sortParameter(
      "The sort order. Without it errors come first, the most severe first, then the most frequent first.",
      sortKeys,
    ),
    ...pageParameters,
  ];
}

export function issueQuery(query: Query, { textFilter, sortKeys }: IssueList): IssueQuery & { page: PageRequest } {
  const text = query.text(textFilter);
  const tags = query.tags();
  const rule = query.text("filter[rule]");
  const impact = query.choice("filter[impact]", impacts);
  const issueType = query.choice("filter[issue_type]", issueTypes);
  const folder = query.folder();
  const role = query.choice("filter[role]", Object.keys(roles) as Role[]);
  const state = query.choice("filter[state]", ownStates);
  const sort = query.sort(sortKeys);
  return {
    ...(text !== undefined && { text }),
    ...(tags && { tags }),
    ...(rule !== undefined && { rule }),
    ...(impact && { impact }),
    ...(issueType && { issueType }),
    ...(folder && { folder }),
    ...(role && { role }),
    ...(state && { state }),
    ...(sort && { sort }),
    muted: mutedIn(query),
    page: query.page(),
  };
}
