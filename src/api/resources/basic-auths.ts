import {
  type BasicAuthRow,
  changeBasicAuth,
  countUses,
  deleteBasicAuth,
  findBasicAuth,
  insertBasicAuth,
  listBasicAuths,
} from "../../database/accounts/basic-auths.ts";
import { normaliseHost } from "../../domain/basic-auth.ts";
import { formatValue } from "../../schema/validate.ts";
import type { Context, Route, RouteResponse } from "../context.ts";
import { attributesReader } from "../http/attributes.ts";
import { callerOf } from "../http/caller.ts";
import { created, list, one, type ResourceDocument, related, timestamp } from "../http/documents.ts";
import { notFound, refuse } from "../http/errors.ts";
import { isUuid, pageParameters } from "../http/query.ts";
import {
  type BasicAuthAttributes,
  type BasicAuthChangeAttributes,
  basicAuthChangeSchema,
  basicAuthSchema,
} from "../request-attributes.ts";

const readBasicAuth = attributesReader<BasicAuthAttributes>(basicAuthSchema);
const readChange = attributesReader<BasicAuthChangeAttributes>(basicAuthChangeSchema);

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
      const host = readHost(values.host);
      if (!encryptor) throw noSecretKey();
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
    method: "PATCH",
    path: "/basic_auths/:basic_auth_id",
    access: "account",
    bodyType: "basic_auth",
    handle: change,
  },
  {
    method: "DELETE",
    path: "/basic_auths/:basic_auth_id",
    access: "account",
    parameters: ["force"],
    handle: async (context) => {
      const row = await addressed(context);
      const force = context.query.oneOf("force", ["true", "false"], "false") === "true";
      if (!force) await requireUnused(context, row);
      if (!(await deleteBasicAuth(context.deps.db, row.id))) throw notFound("stored credentials");
      return { status: 204 };
    },
  },
];

/** The password is never shown: whoever does not know it may not have it sent to another host either. */
async function change(context: Context): Promise<RouteResponse> {
  const { db, encryptor } = context.deps;
  const row = await addressed(context);
  const { host: wanted, ...values } = readChange(context.attributes);
  const host = wanted === undefined ? undefined : readHost(wanted);
  if (host !== undefined && host !== row.host && values.password === undefined)
    throw refuse(
      422,
      "inconsistent",
      "Invalid attribute",
      `host is ${formatValue(wanted)}, and the credentials are for ${row.host}: send the password for the new host, too.`,
      { pointer: "/data/attributes/host" },
    );
  if (values.password !== undefined && !encryptor) throw noSecretKey();
  await changeBasicAuth(db, encryptor, row.id, { ...values, ...(host !== undefined && { host }) });
  return one(basicAuthDocument(context, await addressed(context)));
}

async function requireUnused({ deps }: Context, row: BasicAuthRow): Promise<void> {
  const { schedules, reports } = await countUses(deps.db, row);
  if (schedules + reports === 0) return;
  const users = [
    ...(schedules > 0 ? [schedules === 1 ? "1 schedule" : `${schedules} schedules`] : []),
    ...(reports > 0 ? [reports === 1 ? "1 running report" : `${reports} running reports`] : []),
  ].join(" and ");
  const detail = `The credentials are used by ${users}: change those first, or delete the credentials with force=true.`;
  throw refuse(409, "basic_auth_in_use", "Conflict", detail);
}

function readHost(text: string): string {
  const host = normaliseHost(text);
  if (host !== undefined) return host;
  throw refuse(
    422,
    "invalid_format",
    "Invalid attribute",
    `host is ${formatValue(text)}, which is not a host name or address.`,
    { pointer: "/data/attributes/host" },
  );
}

function noSecretKey(): Error {
  const detail = "The service cannot store passwords: its operator must set SECRET_KEY.";
  return refuse(409, "no_secret_key", "Conflict", detail);
}

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
