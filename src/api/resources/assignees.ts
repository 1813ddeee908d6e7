import { type AssigneeRow, listAssignees } from "../../database/accounts/assignees.ts";
import type { Route } from "../context.ts";
import type { Resource } from "../documents.ts";
import { callerOf, ownerOf } from "../http/request/caller.ts";
import { pageParameters } from "../http/request/parameters.ts";
import { list } from "../http/response/documents.ts";

/** Who can have a site, a section or a cause. Guests see nobody. */
export const assignees: readonly Route[] = [
  {
    method: "GET",
    path: "/assignees",
    id: "listAssignees",
    tag: "People",
    summary: "List who can have a site, a section or a cause",
    description:
      "People whose access has not ended, then teams, by name. Without mail addresses, so that whoever may assign can choose. Whoever may do so on single sites only sees the own name and teams.",
    success: { kind: "list", type: "assignee" },
    access: "account",
    site: "caller",
    right: "change",
    parameters: pageParameters,
    handle: async (context) => {
      const { db, now } = context.deps;
      const page = context.query.page();
      const { person, sites } = callerOf(context);
      const of = { accountId: ownerOf(context), self: person?.id ?? null, now: now(), onlyOwn: sites !== null };
      const listed = await listAssignees(db, of, page);
      return list(context, page, listed, assigneeDocument);
    },
  },
];

function assigneeDocument({ id, ...attributes }: AssigneeRow): Resource<"assignee"> {
  return { id, type: "assignee", attributes, relationships: {} };
}
