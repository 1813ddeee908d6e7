import type { Kysely } from "kysely";
import type { CheckKind } from "../../../checks/kinds.ts";
import type { Paginated } from "../../../database/lists.ts";
import {
  findCommonIssue,
  findIssue,
  type IssueQuery,
  listCommonIssues,
  listIssues,
} from "../../../database/reports/issues.ts";
import type { Database } from "../../../database/tables.ts";
import type { Guides } from "../../../domain/guides/guides.ts";
import type { Context, Route } from "../../context.ts";
import type { Resource } from "../../documents.ts";
import { isNumericId, mutedIn } from "../../http/request/query.ts";
import { list, one } from "../../http/response/documents.ts";
import { notFound } from "../../http/response/errors.ts";
import { visiblePage, visibleReport } from "../reports/report-access.ts";
import { type IssueList, issueParameters, issueQuery } from "./issue-query.ts";

/** A kind of issue, and its owner: a page or a report. */
type IssueResource<Issue> = IssueList & {
  /** The path of the list; its last part is the type in the plural. */
  path: string;
  /** The path parameter that holds an issue's id. */
  idParameter: string;
  /** The name of one issue in error messages. */
  name: string;
  /** The owner's id. @throws RequestError when the caller may not see it */
  owner: (context: Context) => Promise<string>;
  list: (db: Kysely<Database>, owner: string, query: IssueQuery) => Promise<Paginated<Issue>>;
  find: (db: Kysely<Database>, owner: string, id: string, muted: boolean) => Promise<Issue | undefined>;
  document: (context: Context, issue: Issue, guides: Guides) => Resource;
};

/** The routes of one kind of issue: the list, and a single issue. */
export function issueRoutes<Issue>(resource: IssueResource<Issue>): readonly Route[] {
  const { path, idParameter, name, owner, document } = resource;
  return [
    {
      method: "GET",
      path,
      access: "shared",
      parameters: issueParameters(resource),
      handle: async (context) => {
        const of = await owner(context);
        const query = issueQuery(context.query, resource);
        const listed = await resource.list(context.deps.db, of, query);
        const guides = await context.deps.guides();
        return list(context, query.page, listed, (issue) => document(context, issue, guides));
      },
    },
    {
      method: "GET",
      path: `${path}/:${idParameter}`,
      access: "shared",
      parameters: ["filter[muted]"],
      handle: async (context) => {
        const of = await owner(context);
        const id = context.params[idParameter] ?? "";
        const issue = isNumericId(id)
          ? await resource.find(context.deps.db, of, id, mutedIn(context.query))
          : undefined;
        if (!issue) throw notFound(name);
        return one(document(context, issue, await context.deps.guides()));
      },
    },
  ];
}

/** What lists of a page's issues of a kind are made of. */
export function ofPage(kind: CheckKind) {
  return {
    owner: async (context: Context): Promise<string> => (await visiblePage(context)).id,
    list: (db: Kysely<Database>, page: string, query: IssueQuery) => listIssues(db, kind, page, query),
    find: (db: Kysely<Database>, page: string, id: string, muted: boolean) => findIssue(db, kind, page, id, muted),
  };
}

/** The same for a report's common issues. */
export function ofReport(kind: CheckKind) {
  return {
    owner: async (context: Context): Promise<string> => (await visibleReport(context)).report.id,
    list: (db: Kysely<Database>, report: string, query: IssueQuery) => listCommonIssues(db, kind, report, query),
    find: (db: Kysely<Database>, report: string, id: string, muted: boolean) =>
      findCommonIssue(db, kind, report, id, muted),
  };
}
