import { type CheckKind, capitalized, checkKinds, manifestOf, nounOf } from "../../../checks/kinds.ts";
import type { Paginated } from "../../../database/lists.ts";
import {
  findCommonIssue,
  findIssue,
  type IssueQuery,
  issueSortKeys,
  listCommonIssues,
  listIssues,
} from "../../../database/reports/issues.ts";
import type { Guides } from "../../../domain/guides/guides.ts";
import type { Context, Route } from "../../context.ts";
import type { Resource } from "../../documents.ts";
import { MUTED_LEFT_OUT, mutedParameter } from "../../http/request/parameters.ts";
import { isNumericId, mutedIn } from "../../http/request/query.ts";
import { list, one } from "../../http/response/documents.ts";
import { notFound } from "../../http/response/errors.ts";
import { visiblePage, visibleReport } from "../reports/report-access.ts";
import { commonIssueDocument, issueDocument } from "./issue-documents.ts";
import { type IssueList, issueParameters, issueQuery } from "./issue-query.ts";

/** The issues of each kind of check: those of a page, and the common ones of a report. */
export const issues: readonly Route[] = [...checkKinds.flatMap(pageIssues), ...checkKinds.flatMap(commonIssues)];

/** A kind of issue, and its owner: a page or a report. */
type IssueResource<Issue> = IssueList & {
  /** The path of the owner. */
  of: string;
  /** The type of an issue; the list has the plural. */
  type: `${"" | "common_"}${ReturnType<typeof nounOf>}_issue`;
  /** The name of one issue in error messages. */
  name: string;
  /** How their operations are called: `HtmlIssue`. */
  operation: string;
  summaries: { list: string; one: string };
  /** What `filter[muted]` means for one issue. */
  mutedOne: string;
  /** The owner's id. @throws RequestError when the caller may not see it */
  owner: (context: Context) => Promise<string>;
  list: (context: Context, owner: string, query: IssueQuery) => Promise<Paginated<Issue>>;
  find: (context: Context, owner: string, id: string) => Promise<Issue | undefined>;
  document: (context: Context, issue: Issue, guides: Guides) => Resource;
};

function pageIssues(kind: CheckKind): readonly Route[] {
  return issueRoutes({
    of: "/reports/:report_id/web_pages/:web_page_id",
    type: `${nounOf(kind)}_issue`,
    name: `${manifestOf(kind).name} issue`,
    operation: `${capitalized(kind)}Issue`,
    summaries: {
      list: `List a page's ${manifestOf(kind).name} issues`,
      one: `Get ${manifestOf(kind).texts.anIssue} of a page`,
    },
    mutedOne: "true: html and how_many are about the muted elements instead of the others.",
    textFilter: `filter[${manifestOf(kind).issues.text}]`,
    sortKeys: issueSortKeys(kind, { common: false }),
    owner: async (context) => (await visiblePage(context)).id,
    list: ({ deps }, page, query) => listIssues(deps.db, kind, page, query),
    find: ({ deps, query }, page, id) => findIssue(deps.db, kind, page, id, mutedIn(query)),
    document: (context, issue, guides) => issueDocument(context, kind, issue, guides),
  });
}

function commonIssues(kind: CheckKind): readonly Route[] {
  return issueRoutes({
    of: "/reports/:report_id",
    type: `common_${nounOf(kind)}_issue`,
    name: `common ${manifestOf(kind).name} issue`,
    operation: `Common${capitalized(kind)}Issue`,
    summaries: {
      list: `List the kinds of ${manifestOf(kind).name} issues in a report`,
      one: `Get one kind of ${manifestOf(kind).name} issue`,
    },
    mutedOne: "true: how_many counts the muted occurrences, instead of the others, and web_pages lists their pages.",
    textFilter: `filter[${manifestOf(kind).issues.text}]`,
    sortKeys: issueSortKeys(kind, { common: true }),
    owner: async (context) => (await visibleReport(context)).report.id,
    list: ({ deps }, report, query) => listCommonIssues(deps.db, kind, report, query),
    find: ({ deps, query }, report, id) => findCommonIssue(deps.db, kind, report, id, mutedIn(query)),
    document: (context, issue, guides) => commonIssueDocument(context, kind, issue, guides),
  });
}

/** The routes of one kind of issue: the list, and a single issue. */
function issueRoutes<Issue>(resource: IssueResource<Issue>): readonly Route[] {
  const { of, type, name, operation, summaries, mutedOne, owner, document } = resource;
  const path = `${of}/${type}s`;
  return [
    {
      method: "GET",
      path,
      id: `list${operation}s`,
      tag: "Issues",
      summary: summaries.list,
      description: MUTED_LEFT_OUT,
      success: { kind: "list", type },
      access: "shared",
      site: "report",
      parameters: issueParameters(resource),
      handle: async (context) => {
        const id = await owner(context);
        const query = issueQuery(context.query, resource);
        const listed = await resource.list(context, id, query);
        const guides = await context.deps.guides();
        return list(context, query.page, listed, (issue) => document(context, issue, guides));
      },
    },
    {
      method: "GET",
      path: `${path}/:${type}_id`,
      id: `get${operation}`,
      tag: "Issues",
      summary: summaries.one,
      success: { kind: "one", type },
      access: "shared",
      site: "report",
      parameters: [mutedParameter(mutedOne)],
      handle: async (context) => {
        const ownerId = await owner(context);
        const id = context.params[`${type}_id`] ?? "";
        const issue = isNumericId(id) ? await resource.find(context, ownerId, id) : undefined;
        if (!issue) throw notFound(name);
        return one(document(context, issue, await context.deps.guides()));
      },
    },
  ];
}
