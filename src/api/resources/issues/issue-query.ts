import type { IssueQuery } from "../../../database/reports/issues.ts";
import type { Query } from "../../http/query.ts";
import { mutedIn, type PageRequest, pageParameters, tagParameters } from "../../http/query.ts";

/** The query parameters of every list of issues; `textFilter` is `filter[message]` or `filter[help]`. */
export function issueParameters(textFilter: string): readonly string[] {
  return [textFilter, ...tagParameters, "filter[muted]", ...pageParameters];
}

export function issueQuery(query: Query, textFilter: string): IssueQuery & { page: PageRequest } {
  const text = query.text(textFilter);
  const tags = query.tags();
  return {
    ...(text !== undefined && { text }),
    ...(tags && { tags }),
    muted: mutedIn(query),
    page: query.page(),
  };
}
