import {
  type BasicAuthRow,
  deleteBasicAuth,
  findBasicAuth,
  insertBasicAuth,
  listBasicAuths,
} from "../../database/accounts/basic-auths.ts";
import { normaliseHost } from "../../domain/basic-auth.ts";
import { formatValue } from "../../schema/validate.ts";
import type { Context, Route } from "../context.ts";
import { attributesReader } from "../http/attributes.ts";
import { callerOf } from "../http/caller.ts";
import { created, list, one, type ResourceDocument, related, timestamp } from "../http/documents.ts";
import { notFound, refuse } from "../http/errors.ts";
import { isUuid, pageParameters } from "../http/query.ts";
import { type BasicAuthAttributes, basicAuthSchema } from "../request-attributes.ts";

const readBasicAuth = attributesReader<BasicAuthAttributes>(basicAuthSchema);

/** Credentials for sites behind Basic HTTP Authentication. Passwords are never shown again. */
export const basicAuths: readonly Route[] = [
  {
    method: "GET",
    path: "/basic_auths",
    access: "account",
    parameters: pageParameters,
    handle: async (context) => {
      const page = context.query.page();
      const listed = await listBasicAuths(context.deps.db, callerOf(context), page);
      return list(context, page, listed, (row) => basicAuthDocument(context, row));
    },
  },
  {
    method: "POST",
    path: "/basic_auths",
    access: "account",
    bodyType: "basic_auth",
    showsSecret: true,
    handle: async (context) => {
      const { db, encryptor } = context.deps;
      const values = readBasicAuth(context.attributes);
      const host = normaliseHost(values.host);
      if (host === undefined)
        throw refuse(
          422,
          "invalid_format",
          "Invalid attribute",
          `host is ${formatValue(values.host)}, which is not a host name or address.`,
          {
            pointer: "/data/attributes/host",
          },
        );
      if (!encryptor)
        throw refuse(
          409,
          "no_secret_key",
          "Conflict",
          "The service cannot store passwords: its operator must set SECRET_KEY.",
        );
      const row = await insertBasicAuth(db, encryptor, callerOf(context), { ...values, host });
      return created(basicAuthDocument(context, row), `${context.base}/basic_auths/${row.id}`);
    },
  },
  {
    method: "GET",
    path: "/basic_auths/:basic_auth_id",
    access: "account",
    handle: async (context) => one(basicAuthDocument(context, await addressed(context))),
  },
  {
    method: "DELETE",
    path: "/basic_auths/:basic_auth_id",
    access: "account",
    handle: async (context) => {
      const { id } = await addressed(context);
      if (!(await deleteBasicAuth(context.deps.db, id))) throw notFound("stored credentials");
      return { status: 204 };
    },
  },
];

async function addressed(context: Context): Promise<BasicAuthRow> {
  const id = context.params.basic_auth_id ?? "";
  const row = isUuid(id) ? await findBasicAuth(context.deps.db, callerOf(context), id) : undefined;
  if (row) return row;
  throw notFound("stored credentials");
}

function basicAuthDocument(context: Context, row: BasicAuthRow): ResourceDocument {
  return {
    id: row.id,
    type: "basic_auth",
    attributes: {
      host: row.host,
      username: row.username,
      ...(row.guest_token !== null && { guest_token: row.guest_token }),
      inserted_at: timestamp(row.inserted_at),
      updated_at: timestamp(row.updated_at),
    },
    relationships: related({
      guest_account: row.guest_known ? `${context.base}/guest_accounts/${row.guest_token}` : undefined,
    }),
  };
}
