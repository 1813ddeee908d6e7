import { urlsOfSites } from "../../database/accounts/site-roles.ts";
import {
  countTokens,
  createToken,
  deleteToken,
  findToken,
  listTokens,
  type NewToken,
  renewToken,
  setTokenEnd,
  type TokenRow,
} from "../../database/accounts/tokens.ts";
import { siteIdOf } from "../../database/reports/site-key.ts";
import { FIRST_TOKEN_NAME, onBoth } from "../../domain/accounts/principal.ts";
import type { TokenGrant } from "../../domain/accounts/roles.ts";
import { MAX_TOKEN_DAYS, TOKEN_ENDS_SOON_DAYS, TOKEN_UNUSED_DAYS } from "../../domain/accounts/token-ends.ts";
import { readTime } from "../../domain/findings/muting.ts";
import { formatValue } from "../../schema/validate.ts";
import type { Context, Route } from "../context.ts";
import type { Resource } from "../documents.ts";
import { attributesReader } from "../http/request/attributes.ts";
import { callerOf, ownerOf } from "../http/request/caller.ts";
import { futureTime } from "../http/request/future-time.ts";
import { choiceParameter, pageParameters } from "../http/request/parameters.ts";
import { isUuid } from "../http/request/query.ts";
import { created, list, one, related, timestamp } from "../http/response/documents.ts";
import { notFound, refuse, refuseAttribute } from "../http/response/errors.ts";
import { bodyOf } from "../openapi/request-body.ts";
import { members } from "../openapi/response-schemas/parts.ts";
import {
  type ApiTokenAttributes,
  type ApiTokenChange,
  apiTokenChangeSchema,
  apiTokenSchema,
} from "../request-attributes.ts";

const { name: tokenName, ...otherProperties } = apiTokenSchema.properties;
/** As clients must send it: the first token's name is the service's own. */
const newTokenSchema = {
  ...apiTokenSchema,
  properties: { name: { ...tokenName, not: { const: FIRST_TOKEN_NAME } }, ...otherProperties },
};
const readToken = attributesReader<ApiTokenAttributes>(apiTokenSchema);
const readChange = attributesReader<ApiTokenChange>(apiTokenChangeSchema);

const count = (description: string) => ({ type: "integer", minimum: 0, description }) as const;
const tokensMeta = {
  counts: members(
    {
      all: count("All tokens."),
      end_soon: count(`Those that end within ${TOKEN_ENDS_SOON_DAYS} days.`),
      not_used: count(`Those that were not used for ${TOKEN_UNUSED_DAYS} days.`),
    },
    { description: "Whatever the list is filtered by." },
  ),
} as const;

/** An account's tokens; a guest sees only its own. */
export const apiTokens: readonly Route[] = [
  {
    method: "GET",
    path: "/api_tokens",
    id: "listApiTokens",
    tag: "Access",
    summary: "List tokens",
    description:
      "A guest sees only its own tokens, a person who is no owner those that this person made, and a token with bounds only itself. The secrets are never shown again.",
    success: { kind: "list", type: "api_token", meta: tokensMeta },
    access: "account",
    site: "none",
    parameters: [
      choiceParameter("filter[ends]", `Tokens that end within ${TOKEN_ENDS_SOON_DAYS} days.`, ["soon"]),
      choiceParameter("filter[used]", `Tokens that were not used for ${TOKEN_UNUSED_DAYS} days.`, ["not"]),
      ...pageParameters,
    ],
    handle: async (context) => {
      const { query, deps } = context;
      const page = query.page();
      const filter = { ends: query.choice("filter[ends]", ["soon"]), used: query.choice("filter[used]", ["not"]) };
      const [caller, now] = [callerOf(context), deps.now()];
      const listed = await listTokens(deps.db, caller, page, now, filter);
      const counts = await countTokens(deps.db, caller, now);
      return list(context, page, { ...listed, meta: { counts } }, (token) => tokenDocument(context, token));
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
      const { name, expires_at, ...asked } = readToken(context.attributes);
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
      const { db, now } = context.deps;
      const own = { ...(guestToken !== null && { guestToken }), madeBy: person?.id };
      const expiresAt = readEnd(context, expires_at ?? null);
      const rights = await readRights(context, asked);
      const made = await createToken(db, { accountId, name, ...rights, ...own, expiresAt });
      const row = await findToken(db, made.id, now());
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
    method: "PATCH",
    path: "/api_tokens/:api_token_id",
    id: "updateApiToken",
    audit: { verb: "changed when a token ends", area: "tokens" },
    tag: "Access",
    summary: "Change when a token ends",
    errors: [409],
    description: "409 for the first token, which is changed where it is configured.",
    success: { kind: "one", type: "api_token" },
    access: "account",
    site: "none",
    right: "tokens",
    body: bodyOf("api_token", apiTokenChangeSchema),
    handle: async (context) => {
      const { id } = await changeable(context);
      await setTokenEnd(context.deps.db, id, readEnd(context, readChange(context.attributes).expires_at));
      return one(tokenDocument(context, await addressed(context)));
    },
  },
  {
    method: "POST",
    path: "/api_tokens/:api_token_id/secret",
    id: "renewApiToken",
    audit: { verb: "gave a token a new secret", area: "tokens" },
    tag: "Access",
    summary: "Give a token a new secret",
    errors: [409],
    description:
      "It may do the same, and ends at the same time. The secret before it is not accepted any more. Only this response shows the new one. 409 for the first token, which is changed where it is configured.",
    success: { kind: "created", type: "api_token" },
    access: "account",
    site: "none",
    right: "tokens",
    showsSecret: true,
    handle: async (context) => {
      const { id, made_by, guest_token } = await changeable(context);
      const { person, guestToken } = callerOf(context);
      // Or an owner could act in the name of whoever made it, or of a guest.
      if ((made_by !== null && made_by !== person?.id) || guest_token !== guestToken)
        throw refuse(403, "insufficient_role", "Forbidden", "Only who made this token may see a new secret of it.");
      const secret = await renewToken(context.deps.db, id);
      return created(tokenDocument(context, await addressed(context), secret), tokenUrl(context, id));
    },
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
  const { db, now } = context.deps;
  const token = isUuid(id) ? await findToken(db, id, now(), callerOf(context)) : undefined;
  if (token) return token;
  throw notFound("token");
}

/** @throws RequestError 409 for the first token: a start of the service would change it back */
async function changeable(context: Context): Promise<TokenRow> {
  const token = await addressed(context);
  if (token.name !== FIRST_TOKEN_NAME) return token;
  const detail =
    "This is the first token, which is changed where it is configured: FIRST_TOKEN, or the chart's firstToken.";
  throw refuse(409, "configured_elsewhere", "Conflict", detail);
}

/** What a new token may do. @throws RequestError 422 */
async function readRights(
  context: Context,
  { scope, may = null, site_urls = null, site_tags = null }: Omit<ApiTokenAttributes, "name" | "expires_at">,
): Promise<Pick<NewToken, "scope" | "bounds">> {
  const bounding = site_urls ? "site_urls" : "site_tags";
  const isForSites = site_urls !== null || site_tags !== null;
  if (isForSites && callerOf(context).guestToken !== null)
    throw refuseAttribute(
      bounding,
      "inconsistent",
      `${bounding} must be left out: tokens of guests are for all their sites.`,
    );
  if (may === null) {
    if (!isForSites) return { scope };
    throw refuseAttribute(
      bounding,
      "inconsistent",
      `${bounding} is given without may: give may, too, such as ["read"].`,
    );
  }
  const needed = may.every((grant) => grant === "read") ? "read" : "write";
  if (context.attributes.scope !== undefined && scope !== needed)
    throw refuseAttribute(
      "scope",
      "inconsistent",
      `scope is "${scope}", and may is ${formatValue(may)}, of which the scope "${needed}" follows: leave scope out.`,
    );
  await requireSites(context, site_urls ?? []);
  return { scope: needed, bounds: { may: [...new Set(may)], siteUrls: site_urls, siteTags: site_tags } };
}

/** @throws RequestError 422 for a site that is not one of the caller's */
async function requireSites(context: Context, urls: readonly string[]): Promise<void> {
  const { sites } = callerOf(context);
  const known = await urlsOfSites(context.deps.db, ownerOf(context), urls.map(siteIdOf));
  for (const [index, url] of urls.entries())
    if (!known.has(siteIdOf(url)) || sites?.includes(url) === false)
      throw refuseAttribute(
        `site_urls/${index}`,
        "unknown_site",
        `site_urls has ${formatValue(url)}; it must be the starting URL of a site of yours.`,
      );
}

/** The end of a token; null for none. @throws RequestError 422 */
function readEnd(context: Context, text: string | null): Date | null {
  const own = callerOf(context).expiresAt ?? null;
  const end = text === null ? null : readTime(text);
  // Or its end would bound nothing.
  if (own !== null && (end === null || (end && end > own)))
    throw refuseAttribute(
      "expires_at",
      "out_of_range",
      `expires_at must be given, and be no later than the end of the token that asks: ${own.toISOString()}.`,
    );
  return text === null ? null : futureTime(context, "expires_at", text, { days: MAX_TOKEN_DAYS, orNull: true });
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
      may: row.may as TokenGrant[] | null,
      // Whoever made it may see fewer sites by now.
      site_urls: onBoth(row.site_urls, row.site_urls && (context.caller?.sites ?? null)) as string[] | null,
      site_tags: row.site_tags,
      ...(secret !== undefined && { token: secret }),
      ...(row.guest_token !== null && { guest_token: row.guest_token }),
      expires_at: timestamp(row.expires_at),
      shown: row.shown,
      made_by: row.maker,
      last_used_at: timestamp(row.last_used_at),
      last_used_from: row.last_address,
      recent_requests: row.recent_requests,
      inserted_at: timestamp(row.inserted_at),
    },
    relationships: related({
      guest_account: row.guest_token === null ? undefined : `${context.base}/guest_accounts/${row.guest_token}`,
    }),
  };
}
