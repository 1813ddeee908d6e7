import {
  changeGuest,
  deleteGuest,
  findGuest,
  type GuestRow,
  insertGuest,
  listGuests,
} from "../../../database/accounts/guests.ts";
import type { Context, Route } from "../../context.ts";
import type { Resource } from "../../documents.ts";
import { attributesReader } from "../../http/request/attributes.ts";
import { callerOf, hostOf } from "../../http/request/caller.ts";
import { pageParameters } from "../../http/request/parameters.ts";
import { created, list, one, related, timestamp } from "../../http/response/documents.ts";
import { notFound } from "../../http/response/errors.ts";
import { bodyOf } from "../../openapi/request-body.ts";
import {
  type GuestAccountAttributes,
  guestAccountSchema,
  type NewGuestAccountAttributes,
  newGuestAccountSchema,
} from "../../request-attributes.ts";

const readNew = attributesReader<NewGuestAccountAttributes>(newGuestAccountSchema);
const readChange = attributesReader<GuestAccountAttributes>(guestAccountSchema);

const ONE = "/guest_accounts/:guest_account_id";

/** A host's guests; a guest sees only itself. */
export const guestAccounts: readonly Route[] = [
  {
    method: "GET",
    path: "/guest_accounts",
    id: "listGuestAccounts",
    tag: "Guest accounts",
    summary: "List guest accounts",
    description:
      "A guest sees only its own guest account. A token with the scope read sees no guest account whose invitation is open: a person who knows its id can accept it.",
    success: { kind: "list", type: "guest_account" },
    access: "account",
    right: "people",
    parameters: pageParameters,
    handle: async (context) => {
      const { db, now } = context.deps;
      const page = context.query.page();
      const listed = await listGuests(db, callerOf(context), page, now());
      return list(context, page, listed, (guest) => guestDocument(context, guest));
    },
  },
  {
    method: "POST",
    path: "/guest_accounts",
    id: "createGuestAccount",
    audit: { verb: "invited a guest", area: "people", hidesId: true },
    tag: "Guest accounts",
    summary: "Invite a guest",
    description: "invitation_url in the response is the page on which the guest accepts the invitation, once.",
    success: { kind: "created", type: "guest_account" },
    access: "account",
    right: "people",
    body: bodyOf("guest_account", newGuestAccountSchema),
    handle: async (context) => {
      const { accountId } = hostOf(context);
      const { max_usage } = readNew(context.attributes);
      const token = await insertGuest(context.deps.db, accountId, max_usage);
      return created(guestDocument(context, await reread(context, token)), guestUrl(context, token));
    },
  },
  {
    method: "GET",
    path: ONE,
    id: "getGuestAccount",
    tag: "Guest accounts",
    summary: "Get a guest account",
    success: { kind: "one", type: "guest_account" },
    access: "account",
    right: "people",
    handle: async (context) => one(guestDocument(context, await addressed(context))),
  },
  {
    method: "PATCH",
    path: ONE,
    id: "updateGuestAccount",
    audit: { verb: "changed a guest", area: "people", hidesId: true },
    tag: "Guest accounts",
    summary: "Change a guest's limit, or reset its usage",
    success: { kind: "one", type: "guest_account" },
    access: "account",
    right: "people",
    body: bodyOf("guest_account", guestAccountSchema),
    handle: async (context) => {
      const { token } = await addressed(context);
      const { accountId } = hostOf(context);
      const { max_usage: maxUsage, current_usage: currentUsage } = readChange(context.attributes);
      const { db, now } = context.deps;
      await changeGuest(db, { accountId, token }, { maxUsage, currentUsage }, now());
      return one(guestDocument(context, await reread(context, token)));
    },
  },
  {
    method: "DELETE",
    path: ONE,
    id: "deleteGuestAccount",
    audit: { verb: "deleted a guest", area: "people", hidesId: true },
    tag: "Guest accounts",
    summary: "Delete a guest account",
    description: "Its tokens stop working at once; the host keeps its reports.",
    success: { kind: "nothing" },
    access: "account",
    right: "people",
    handle: async (context) => {
      const { token } = await addressed(context);
      hostOf(context);
      await deleteGuest(context.deps.db, token, context.deps.now());
      return { status: 204 };
    },
  },
];

function addressed(context: Context): Promise<GuestRow> {
  return reread(context, context.params.guest_account_id ?? "");
}

async function reread(context: Context, token: string): Promise<GuestRow> {
  const { db, now } = context.deps;
  const guest = token.includes("\0") ? undefined : await findGuest(db, callerOf(context), token, now());
  if (guest) return guest;
  throw notFound("guest account");
}

function guestUrl(context: Context, token: string): string {
  return `${context.base}/guest_accounts/${token}`;
}

function guestDocument(context: Context, guest: GuestRow): Resource<"guest_account"> {
  return {
    id: guest.token,
    type: "guest_account",
    attributes: {
      invitation_url: guest.invitation_open ? invitationUrl(context.ownBase, guest.token) : null,
      max_usage: guest.max_usage,
      current_usage: guest.current_usage,
      guest: guest.accepted_at === null ? null : { name: guest.name, email: guest.email },
      inserted_at: timestamp(guest.inserted_at),
      updated_at: timestamp(guest.updated_at),
      accepted_at: timestamp(guest.accepted_at),
    },
    relationships: related({
      reports: `${context.base}/reports?${new URLSearchParams({ created_by: "guests", guest_token: guest.token })}`,
    }),
  };
}

/** The address of the page on which a person accepts an invitation; it is not under /api/v1. */
function invitationUrl(base: string, guestToken: string): string {
  return `${base.replace(/\/api\/v1$/, "")}/invitations/${guestToken}`;
}
