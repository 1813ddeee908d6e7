import { type AssignmentRow, listAssignments, readAssignments } from "../../database/findings/assignments.ts";
import { siteIdOf } from "../../database/reports/site-key.ts";
import { findSite } from "../../database/reports/sites.ts";
import { assignmentState, heldKinds, MAX_HELD, NEVER } from "../../domain/causes/assignment.ts";
import { number } from "../../domain/plural.ts";
import { formatValue } from "../../schema/validate.ts";
import type { Context, Route } from "../context.ts";
import type { Resource } from "../documents.ts";
import { attributesReader } from "../http/request/attributes.ts";
import { callerOf } from "../http/request/caller.ts";
import { choiceParameter, digestParameter, pageParameters, textParameter } from "../http/request/parameters.ts";
import { isUuid } from "../http/request/query.ts";
import { created, list, one, related, timestamp } from "../http/response/documents.ts";
import { notFound, refuseAttribute } from "../http/response/errors.ts";
import { bodyOf } from "../openapi/request-body.ts";
import {
  type AssignmentAttributes,
  assignmentSchema,
  type CauseAttributes,
  causeSchema,
} from "../request-attributes.ts";
import { assignmentAfter, assignmentAttributes, give, mineOf, mineParameter } from "./assignment-attributes.ts";
import { reportUrl } from "./reports/report-access.ts";

const readNew = attributesReader<AssignmentAttributes>(assignmentSchema);
const readChange = attributesReader<CauseAttributes>(causeSchema);

const ONE = "/assignments/:assignment_id";

/** Who has which sites, sections and causes. */
export const assignments: readonly Route[] = [
  {
    method: "GET",
    path: "/assignments",
    id: "listAssignments",
    tag: "People",
    summary: "List who has what",
    description: "What is to be mended first comes first, what has no day last. Sites of guests are not among it.",
    success: { kind: "list", type: "assignment" },
    access: "account",
    site: "caller",
    parameters: [
      mineParameter,
      choiceParameter("filter[kind]", "Sites, sections or causes.", heldKinds),
      textParameter("filter[assignee]", "What somebody with this name has, exactly."),
      choiceParameter("filter[left]", "What a person or team had that is removed: nobody has it now.", ["true"]),
      digestParameter("filter[site_id]", "What somebody has of this site.", 32),
      ...pageParameters,
    ],
    handle: async (context) => {
      const { query, deps } = context;
      const page = query.page();
      const { asked, ids } = await mineOf(context);
      const filter = {
        ...(asked && { ids }),
        kind: query.choice("filter[kind]", heldKinds),
        assignee: query.text("filter[assignee]"),
        left: query.choice("filter[left]", ["true"]) !== undefined,
        siteId: query.digest("filter[site_id]", 32),
      };
      const listed = await listAssignments(deps.db, callerOf(context), filter, page);
      return list(context, page, listed, (row) => assignmentDocument(context, row));
    },
  },
  {
    method: "POST",
    path: "/assignments",
    id: "createAssignment",
    audit: { verb: "changed who has a site", area: "sites" },
    tag: "People",
    summary: "Say who has a site or a section of it",
    description: `What is said of it already is replaced: what is left out stays as it is. Whoever has a site has each of its causes that nobody has taken, and that is in no section of somebody. Causes are given by PATCH of a cause. 409 when ${number(MAX_HELD)} sections of the site have somebody.`,
    success: { kind: "created", type: "assignment" },
    errors: [409],
    access: "account",
    site: "caller",
    body: bodyOf("assignment", assignmentSchema),
    handle: async (context) => {
      const { site_id, path, ...given } = readNew(context.attributes);
      const { db } = context.deps;
      const caller = callerOf(context);
      const { accountId, guestToken } = caller;
      const site = await findSite(db, caller, site_id);
      if (!site)
        throw refuseAttribute("site_id", "unknown_site", `site_id is ${formatValue(site_id)}; you have no such site.`);
      const key = { accountId, guestToken, startingUrl: site.starting_url };
      const said = await readAssignments(db, key);
      const before = path === undefined ? said.site : said.sections.get(path);
      const after = await assignmentAfter(context, given, before, guestToken);
      if (!after)
        throw refuseAttribute("assignee", "required", "assignee is null; DELETE says that nobody has it any more.");
      const part =
        path === undefined ? ({ kind: "site", part: "" } as const) : ({ kind: "section", part: path } as const);
      const id = (await give(context, key, part, after)) ?? "";
      return created(assignmentDocument(context, await rowOf(context, id)), `${context.base}/assignments/${id}`);
    },
  },
  {
    method: "GET",
    path: ONE,
    id: "getAssignment",
    tag: "People",
    summary: "Get who has something",
    success: { kind: "one", type: "assignment" },
    access: "account",
    site: "assignment",
    handle: async (context) => one(assignmentDocument(context, await addressed(context))),
  },
  {
    method: "PATCH",
    path: ONE,
    id: "updateAssignment",
    audit: { verb: "changed who has something", area: "sites" },
    tag: "People",
    summary: "Give something to somebody else, until when, or say that it is done",
    description: "What is left out stays as it is. DELETE says that nobody has it any more.",
    success: { kind: "one", type: "assignment" },
    access: "account",
    site: "assignment",
    body: bodyOf("assignment", causeSchema),
    handle: async (context) => {
      const row = await addressed(context);
      const given = readChange(context.attributes);
      const after = await assignmentAfter(context, given, row, row.guest_token || null);
      if (!after)
        throw refuseAttribute("assignee", "required", "assignee is null; DELETE says that nobody has it any more.");
      await give(context, keyOf(context, row), row, after);
      return one(assignmentDocument(context, await rowOf(context, row.id)));
    },
  },
  {
    method: "DELETE",
    path: ONE,
    id: "deleteAssignment",
    audit: { verb: "said that nobody has something", area: "sites" },
    tag: "People",
    summary: "Say that nobody has something any more",
    success: { kind: "nothing" },
    access: "account",
    site: "assignment",
    handle: async (context) => {
      const row = await addressed(context);
      await give(context, keyOf(context, row), row, undefined);
      return { status: 204 };
    },
  },
];

function keyOf(context: Context, { starting_url: startingUrl }: AssignmentRow) {
  const { accountId, guestToken } = callerOf(context);
  return { accountId, guestToken, startingUrl };
}

/** @throws RequestError 404 */
function addressed(context: Context): Promise<AssignmentRow> {
  return rowOf(context, context.params.assignment_id ?? "");
}

/** @throws RequestError 404 */
async function rowOf(context: Context, id: string): Promise<AssignmentRow> {
  const found = isUuid(id)
    ? await listAssignments(context.deps.db, callerOf(context), { id }, { limit: 1, offset: 0 })
    : undefined;
  const [row] = found?.rows ?? [];
  if (row) return row;
  throw notFound("assignment");
}

function assignmentDocument(context: Context, row: AssignmentRow): Resource<"assignment"> {
  const { id, kind, part, title, starting_url, site_name, report, is_seen, done_at } = row;
  const state = assignmentState(row, is_seen && report ? new Date(report.at) : NEVER, context.deps.now());
  const { of: _, ...who } = assignmentAttributes({ ...row, of: kind }, state, part);
  const newest = report && reportUrl(context, report.id);
  return {
    id,
    type: "assignment",
    attributes: {
      ...{ kind, starting_url, site_name, cause_id: kind === "cause" ? part : null, title, ...who },
      ...{ done_at: timestamp(done_at), is_seen },
    },
    relationships: related({
      site: `${context.base}/sites/${siteIdOf(starting_url)}`,
      report: newest ?? undefined,
    }),
  };
}
