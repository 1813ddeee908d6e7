import { listTeams, type TeamRow } from "../../database/accounts/teams.ts";
import { MAX_TEAMS } from "../../domain/accounts/team-limits.ts";
import { formatValue } from "../../schema/validate.ts";
import { removeTeam, saveTeam, type TeamRefusal } from "../../transactions/teams.ts";
import type { Context, Route } from "../context.ts";
import type { Resource } from "../documents.ts";
import { attributesReader } from "../http/request/attributes.ts";
import { hostOf, ownerOf } from "../http/request/caller.ts";
import { pageParameters } from "../http/request/parameters.ts";
import { isUuid } from "../http/request/query.ts";
import { created, list, one, related } from "../http/response/documents.ts";
import { notFound, refuse, refuseAttribute } from "../http/response/errors.ts";
import { bodyOf } from "../openapi/request-body.ts";
import { type NewTeamAttributes, newTeamSchema, type TeamAttributes, teamSchema } from "../request-attributes.ts";
import { heirIn, heirParameter, noSuchHeir } from "./assignment-attributes.ts";

const readNew = attributesReader<NewTeamAttributes>(newTeamSchema);
const readChange = attributesReader<TeamAttributes>(teamSchema);

const ONE = "/teams/:team_id";

/** People who have something together. Groups of the sign-in provider are others: they give roles. */
export const teams: readonly Route[] = [
  {
    method: "GET",
    path: "/teams",
    id: "listTeams",
    tag: "People",
    summary: "List teams",
    description: "By name.",
    success: { kind: "list", type: "team" },
    access: "account",
    right: "people",
    parameters: pageParameters,
    handle: async (context) => {
      const page = context.query.page();
      const listed = await listTeams(context.deps.db, ownerOf(context), page);
      return list(context, page, listed, (row) => teamDocument(context, row));
    },
  },
  {
    method: "POST",
    path: "/teams",
    id: "createTeam",
    audit: { verb: "added a team", area: "people" },
    tag: "People",
    summary: "Add a team",
    description: `409 for a name that another team of the account has, and beyond ${MAX_TEAMS} teams.`,
    success: { kind: "created", type: "team" },
    errors: [409],
    access: "account",
    right: "people",
    body: bodyOf("team", newTeamSchema),
    handle: async (context) => {
      const { accountId } = hostOf(context);
      const given = readNew(context.attributes);
      const id = idOrRefusal(await saveTeam(context.deps.db, { accountId }, given), given.name);
      return created(teamDocument(context, await teamOf(context, id)), `${context.base}/teams/${id}`);
    },
  },
  {
    method: "GET",
    path: ONE,
    id: "getTeam",
    tag: "People",
    summary: "Get a team",
    success: { kind: "one", type: "team" },
    access: "account",
    right: "people",
    handle: async (context) => one(teamDocument(context, await addressed(context))),
  },
  {
    method: "PATCH",
    path: ONE,
    id: "updateTeam",
    audit: { verb: "changed a team", area: "people" },
    tag: "People",
    summary: "Change a team's name, or who is in it",
    description: "What is left out stays as it is. 409 for a name that another team of the account has.",
    success: { kind: "one", type: "team" },
    errors: [409],
    access: "account",
    right: "people",
    body: bodyOf("team", teamSchema),
    handle: async (context) => {
      const { id, name } = await addressed(context);
      const { accountId } = hostOf(context);
      const given = readChange(context.attributes);
      idOrRefusal(await saveTeam(context.deps.db, { accountId, id }, given), given.name ?? name);
      return one(teamDocument(context, await teamOf(context, id)));
    },
  },
  {
    method: "DELETE",
    path: ONE,
    id: "deleteTeam",
    audit: { verb: "removed a team", area: "people" },
    tag: "People",
    summary: "Remove a team",
    description: "Its people stay. What it has goes to successor_id, or stays under its name, with nobody there.",
    success: { kind: "nothing" },
    access: "account",
    right: "people",
    parameters: [heirParameter],
    handle: async (context) => {
      const { id } = await addressed(context);
      const { db, now } = context.deps;
      const team = { id, accountId: ownerOf(context), heirId: heirIn(context) };
      if (!(await removeTeam(db, team, now()))) throw noSuchHeir(context);
      return { status: 204 };
    },
  },
];

/** @throws RequestError 409, and 422 for people whom the account does not have */
function idOrRefusal(saved: string | TeamRefusal, name: string): string {
  if (typeof saved === "string") return saved;
  if (saved.refused === "strangers") {
    const detail = `member_ids has ${saved.ids.map(formatValue).join(", ")}; the account has no such person.`;
    throw refuseAttribute("member_ids", "unknown_person", detail);
  }
  if (saved.refused === "known")
    throw refuse(409, "team_known", "Conflict", `The account has a team that is called ${formatValue(name)}.`);
  const detail = `The account has ${MAX_TEAMS} teams, which is as many as it may have. Remove one first.`;
  throw refuse(409, "too_many_teams", "Conflict", detail);
}

/** @throws RequestError 404 */
function addressed(context: Context): Promise<TeamRow> {
  return teamOf(context, context.params.team_id ?? "");
}

/** @throws RequestError 404 */
async function teamOf(context: Context, id: string): Promise<TeamRow> {
  const found = isUuid(id)
    ? await listTeams(context.deps.db, ownerOf(context), { limit: 1, offset: 0 }, id)
    : undefined;
  const [row] = found?.rows ?? [];
  if (row) return row;
  throw notFound("team");
}

function teamDocument(context: Context, { id, ...attributes }: TeamRow): Resource<"team"> {
  const has = `${context.base}/assignments?${new URLSearchParams({ "filter[assignee]": attributes.name })}`;
  return { id, type: "team", attributes, relationships: related({ assignments: has }) };
}
