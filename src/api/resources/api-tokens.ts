import { createToken, deleteToken, findToken, listTokens, type TokenRow } from "../../database/accounts/tokens.ts";
import { FIRST_TOKEN_NAME } from "../../domain/accounts/principal.ts";
import type { Context, Route } from "../context.ts";
import type { Resource } from "../documents.ts";
import { attributesReader } from "../http/request/attributes.ts";
import { callerOf } from "../http/request/caller.ts";
import { pageParameters } from "../http/request/parameters.ts";
import { isUuid } from "../http/request/query.ts";
import { created, list, one, related, timestamp } from "../http/response/documents.ts";
import { notFound, refuse } from "../http/response/errors.ts";
import { bodyOf } from "../openapi/request-body.ts";
import { type ApiTokenAttributes, apiTokenSchema } from "../request-attributes.ts";

const { name: tokenName, ...otherProperties } = apiTokenSchema.properties;
/** As clients must send it: the first token's name is the service's own. */
const newTokenSchema = {
  ...apiTokenSchema,
  properties: { name: { ...tokenName, not: { const: FIRST_TOKEN_NAME } }, ...otherProperties },
};
const readToken = attributesReader<ApiTokenAttributes>(apiTokenSchema);

/** An account's tokens; a guest sees only its own. */
export const apiTokens: readonly Route[] = [
  {
    method: "GET",
    path: "/api_tokens",
    id: "listApiTokens",
    tag: "Access",
    summary: "List tokens",
    description:
      "A guest sees only its own tokens, and a person who is no owner those that this person made. The secrets are never shown again.",
    success: { kind: "list", type: "api_token" },
    access: "account",
    site: "none",
    parameters: pageParameters,
    handle: async (context) => {
      const page = context.query.page();
      const listed = await listTokens(context.deps.db, callerOf(context), page);
      return list(context, page, listed, (token) => tokenDocument(context, token));
    },
  },
  {
    method: "POST",
    path: "/api_tokens",
    id: "createApiToken",
    audit: { verb: "created a token", area: "tokens" },
    tag: "Access",
    summary: "Create a token",
    description: "Only this response shows the token.",
    success: { kind: "created", type: "api_token" },
    access: "account",
    site: "none",
    right: "tokens",
    body: bodyOf("api_token", newTokenSchema),
    showsSecret: true,
    handle: async (context) => {
      const { accountId, guestToken, person } = callerOf(context);
      const { name, scope } = readToken(context.attributes);
      // The configured token (FIRST_TOKEN) is found by this name, and would replace any token that has it.
      if (name === FIRST_TOKEN_NAME)
        throw refuse(
          422,
          "reserved",
          "Invalid attribute",
          `name is "${FIRST_TOKEN_NAME}", which is reserved for the token that the service creates.`,
          {
            pointer: "/data/attributes/name",
          },
        );
      const { db } = context.deps;
      const own = { ...(guestToken !== null && { guestToken }), madeBy: person?.id };
      const made = await createToken(db, { accountId, name, scope, ...own });
      const row = await findToken(db, made.id);
      if (!row) throw notFound("token");
      return created(tokenDocument(context, row, made.token), tokenUrl(context, row.id));
    },
  },
  {
    method: "GET",
    path: "/api_tokens/:api_token_id",
    id: "getApiToken",
    tag: "Access",
    summary: "Get a token",
    success: { kind: "one", type: "api_token" },
    access: "account",
    site: "none",
    handle: async (context) => one(tokenDocument(context, await addressed(context))),
  },
  {
    method: "DELETE",
    path: "/api_tokens/:api_token_id",
    id: "deleteApiToken",
    audit: { verb: "revoked a token", area: "tokens" },
    tag: "Access",
    summary: "Revoke a token",
    success: { kind: "nothing" },
    access: "account",
    site: "none",
    right: "tokens",
    handle: async (context) => {
      const { id } = await addressed(context);
      if (!(await deleteToken(context.deps.db, id))) throw notFound("token");
      return { status: 204 };
    },
  },
];

async function addressed(context: Context): Promise<TokenRow> {
  const id = context.params.api_token_id ?? "";
  const token = isUuid(id) ? await findToken(context.deps.db, id, callerOf(context)) : undefined;
  if (token) return token;
  throw notFound("token");
}

function tokenUrl(context: Context, id: string): string {
  return `${context.base}/api_tokens/${id}`;
}

/** A token in the API; the secret itself is only in the response to the request that created it. */
export function tokenDocument(context: Context, row: TokenRow, secret?: string): Resource<"api_token"> {
  return {
    id: row.id,
    type: "api_token",
    attributes: {
      name: row.name,
      scope: row.scope,
      ...(secret !== undefined && { token: secret }),
      ...(row.guest_token !== null && { guest_token: row.guest_token }),
      last_used_at: timestamp(row.last_used_at),
      inserted_at: timestamp(row.inserted_at),
    },
    relationships: related({
      guest_account: row.guest_token === null ? undefined : `${context.base}/guest_accounts/${row.guest_token}`,
    }),
  };
}
