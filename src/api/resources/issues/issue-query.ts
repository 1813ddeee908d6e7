import type { IssueQuery } from "../../../database/reports/issues.ts";
import { ownStates } from "../../../domain/findings/finding-state.ts";
import { impacts } from "../../../domain/findings/findings.ts";
import { type Role, roles } from "../../../domain/findings/role.ts";
import { mutedIn, type PageRequest, pageParameters, type Query, tagParameters } from "../../http/request/query.ts";

/** How lists of issues differ from each other. */
export type IssueList = {
  textFilter: "filter[message]" | "filter[help]";
  sortKeys: readonly NonNullable<IssueQuery["sort"]>["key"][];
};

export const issueTypes = ["error", "warning"] as const;

/** The query parameters of a list of issues. Only accessibility issues have an impact, and only common ones are on several pages. */
export function issueParameters({ textFilter, sortKeys }: IssueList): readonly string[] {
  const impact = sortKeys.includes("impact") ? ["filter[impact]"] : [];
  const path = sortKeys.includes("pages") ? ["filter[path]", "filter[role]"] : [];
  const filters = [
    textFilter,
    ...tagParameters,
    "filter[rule]",
    ...impact,
    "filter[issue_type]",
    "filter[state]",
    ...path,
  ];
  return [...filters, "filter[muted]", "sort", ...pageParameters];
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
