import { findPerson } from "../../database/accounts/people.ts";
import { endSession, findAccountSession, listSessions, type SessionRow } from "../../database/accounts/tokens.ts";
import { mayDo } from "../../domain/accounts/principal.ts";
import type { Context, Route } from "../context.ts";
import type { Resource } from "../documents.ts";
import { callerOf } from "../http/request/caller.ts";
import { pageParameters, uuidParameter } from "../http/request/parameters.ts";
import { isUuid } from "../http/request/query.ts";
import { list, one, timestamp } from "../http/response/documents.ts";
import { notFound } from "../http/response/errors.ts";

const ONE = "/sessions/:session_id";

/** Browsers that are signed in: everybody's own, and those of all people for whoever decides about people. */
export const sessions: readonly Route[] = [
  {
    method: "GET",
    path: "/sessions",
    id: "listSessions",
    tag: "People",
    summary: "List sessions",
    description: "The caller's own, or those of a person of whom the caller may decide. The one used last comes first.",
    success: { kind: "list", type: "session" },
    access: "account",
    site: "none",
    parameters: [
      uuidParameter("filter[person_id]", "Sessions of this person instead of one's own."),
      ...pageParameters,
    ],
    handle: async (context) => {
      const { db, now } = context.deps;
      const page = context.query.page();
      const holder = await holderOf(context);
      const listed = holder === undefined ? { rows: [], total: 0 } : await listSessions(db, holder, now(), page);
      return list(context, page, listed, sessionDocument);
    },
  },
  {
    method: "GET",
    path: ONE,
    id: "getSession",
    tag: "People",
    summary: "Get a session",
    success: { kind: "one", type: "session" },
    access: "account",
    site: "none",
    handle: async (context) => one(sessionDocument(await addressed(context))),
  },
  {
    method: "DELETE",
    path: ONE,
    id: "deleteSession",
    audit: { verb: "signed a browser out", area: "sign-ins" },
    tag: "People",
    summary: "End a session",
    description: "The browser is signed out at once.",
    success: { kind: "nothing" },
    access: "account",
    site: "none",
    right: "self",
    handle: async (context) => {
      const { id } = await addressed(context);
      await endSession(context.deps.db, id);
      return { status: 204 };
    },
  },
];

/** Whoever decides about people decides about their sessions; guests do not. */
function decides(context: Context): boolean {
  const caller = callerOf(context);
  return caller.guestToken === null && mayDo(caller, { method: "GET", right: "people" });
}

/** Whose sessions are asked for; undefined for a person of whom the caller may not decide, and for none. */
async function holderOf(context: Context): Promise<string | undefined> {
  const { tokenId, accountId } = callerOf(context);
  const asked = context.query.uuid("filter[person_id]");
  if (asked === undefined || asked === tokenId) return tokenId;
  const person = decides(context) ? await findPerson(context.deps.db, asked, accountId) : undefined;
  return person?.id;
}

/** @throws RequestError 404 */
async function addressed(context: Context): Promise<SessionRow> {
  const { db, now } = context.deps;
  const { accountId, tokenId } = callerOf(context);
  const id = context.params.session_id ?? "";
  const whose = { accountId, tokenId: decides(context) ? undefined : tokenId, now: now() };
  const row = isUuid(id) ? await findAccountSession(db, id, whose) : undefined;
  if (row) return row;
  throw notFound("session");
}

function sessionDocument(row: SessionRow): Resource<"session"> {
  return {
    id: row.id,
    type: "session",
    attributes: {
      holder_id: row.token_id,
      user_agent: row.user_agent,
      address: row.address,
      inserted_at: timestamp(row.inserted_at),
      last_used_at: timestamp(row.last_used_at),
      expires_at: timestamp(row.expires_at),
    },
  };
}
