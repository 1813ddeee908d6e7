import { acceptInvitation, invitationAudit, readInvitation } from "../../../database/accounts/guests.ts";
import { findToken } from "../../../database/accounts/tokens.ts";
import type { Route } from "../../context.ts";
import { attributesReader } from "../../http/request/attributes.ts";
import { created } from "../../http/response/documents.ts";
import { notFound, refuse } from "../../http/response/errors.ts";
import { bodyOf } from "../../openapi/request-body.ts";
import { type InvitationAttributes, invitationSchema } from "../../request-attributes.ts";
import { tokenDocument } from "../api-tokens.ts";

/** Reads what guests enter about themselves; the invitation page uses it as well. */
export const readInvitationForm = attributesReader<InvitationAttributes>(invitationSchema);

/** A person who knows the address of an invitation can accept it, once. */
export const invitations: readonly Route[] = [
  {
    method: "POST",
    path: "/invitations/:guest_token",
    id: "acceptInvitation",
    audit: invitationAudit,
    tag: "Guest accounts",
    summary: "Accept an invitation",
    description:
      "Does the same as the invitation's page, for programs. The response shows the guest's token, which will not be shown again.",
    success: { kind: "created", type: "api_token" },
    access: "public",
    body: bodyOf("invitation", invitationSchema),
    showsSecret: true,
    handle: async (context) => {
      const { origin, requestId } = context;
      const { db, now } = context.deps;
      const guestToken = context.params.guest_token ?? "";
      const state = guestToken.includes("\0") ? "none" : await readInvitation(db, guestToken);
      if (state === "none") throw notFound("invitation");
      const guest = readInvitationForm(context.attributes);
      const made = await acceptInvitation(db, guestToken, guest, { now: now(), origin: origin(), requestId });
      const row = made && (await findToken(db, made.id, context.deps.now()));
      if (row) return created(tokenDocument(context, row, made.token), `${context.base}/api_tokens/${row.id}`);
      throw refuse(
        409,
        "invitation_used",
        "Conflict",
        "The invitation has already been accepted. Each invitation can be accepted once.",
      );
    },
  },
];
