import {
  type BasicAuthChange,
  type BasicAuthRow,
  changeBasicAuth,
  countUses,
  deleteBasicAuth,
  findBasicAuth,
  insertBasicAuth,
  listBasicAuths,
} from "../../database/accounts/basic-auths.ts";
import { RequestError, type Violation } from "../../domain/errors.ts";
import { normaliseHost } from "../../domain/headers/site-credentials.ts";
import { type HeaderFault, headerFaults } from "../../domain/headers/site-headers.ts";
import { plural } from "../../domain/plural.ts";
import { readFilledSignIn, readVariables, type SignIn } from "../../domain/sign-in/read-sign-in.ts";
import { formatValue } from "../../schema/validate.ts";
import type { Context, Route, RouteResponse } from "../context.ts";
import type { Resource } from "../documents.ts";
import { attributesReader } from "../http/request/attributes.ts";
import { callerOf } from "../http/request/caller.ts";
import { choiceParameter, pageParameters } from "../http/request/parameters.ts";
import { isUuid } from "../http/request/query.ts";
import { created, list, one, related, timestamp } from "../http/response/documents.ts";
import { notFound, refuse } from "../http/response/errors.ts";
import { bodyOf } from "../openapi/request-body.ts";
import {
  attributesParser,
  type BasicAuthAttributes,
  type BasicAuthChangeAttributes,
  basicAuthChangeSchema,
  basicAuthSchema,
} from "../request-attributes.ts";

const parseNew = attributesParser<BasicAuthAttributes>(basicAuthSchema);
const readChange = attributesReader<BasicAuthChangeAttributes>(basicAuthChangeSchema);

/** Credentials for sites, by Basic HTTP Authentication or by headers. Their secrets are never shown again. */
export const basicAuths: readonly Route[] = [
  {
    method: "GET",
    path: "/basic_auths",
    id: "listBasicAuths",
    tag: "Access",
    summary: "List stored credentials",
    success: { kind: "list", type: "basic_auth" },
    access: "account",
    site: "caller",
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
    id: "createBasicAuth",
    audit: { verb: "stored credentials", area: "credentials" },
    tag: "Access",
    summary: "Store credentials for a site",
    description:
      "A user name and a password, headers, or both. They are stored encrypted, never shown again, and sent only to the given host. 422 for a header that cannot be set, such as Host, Content-Length and headers of the connection.",
    success: { kind: "created", type: "basic_auth" },
    access: "account",
    right: "common",
    body: bodyOf("basic_auth", basicAuthSchema),
    showsSecret: true,
    handle: async (context) => {
      const { db, encryptor } = context.deps;
      const { username, sign_in, ...values } = readNew(context.attributes);
      const host = readHost(values.host);
      if (!encryptor) throw noSecretKey();
      const signIn = sign_in ? signInOf(sign_in) : undefined;
      const credentials = { ...values, host, username: username ?? undefined, signIn };
      const row = await insertBasicAuth(db, encryptor, callerOf(context), credentials);
      return created(basicAuthDocument(context, row), `${context.base}/basic_auths/${row.id}`);
    },
  },
  {
    method: "GET",
    path: "/basic_auths/:basic_auth_id",
    id: "getBasicAuth",
    tag: "Access",
    summary: "Get stored credentials",
    description: "Neither the password nor the values of headers are included.",
    success: { kind: "one", type: "basic_auth" },
    access: "account",
    site: "caller",
    handle: async (context) => one(basicAuthDocument(context, await addressed(context))),
  },
  {
    method: "PATCH",
    path: "/basic_auths/:basic_auth_id",
    id: "updateBasicAuth",
    audit: { verb: "changed credentials", area: "credentials" },
    tag: "Access",
    summary: "Change stored credentials",
    description:
      "Only the given attributes change; headers are given all together, and an empty list removes them. A change of host requires the password and the headers again, because they were not meant for the new host. Running reports use the new credentials from their next Job on.",
    success: { kind: "one", type: "basic_auth" },
    access: "account",
    right: "common",
    body: bodyOf("basic_auth", basicAuthChangeSchema),
    handle: change,
  },
  {
    method: "DELETE",
    path: "/basic_auths/:basic_auth_id",
    id: "deleteBasicAuth",
    audit: { verb: "deleted credentials", area: "credentials" },
    tag: "Access",
    summary: "Delete stored credentials",
    description: "409 while schedules or running reports use them, unless force is true.",
    success: { kind: "nothing" },
    errors: [409],
    access: "account",
    right: "common",
    parameters: [
      choiceParameter(
        "force",
        "true: even while they are in use. Reports that use them then get 401 from the site, or fail.",
        ["true", "false"],
      ),
    ],
    handle: async (context) => {
      const row = await addressed(context);
      const force = context.query.oneOf("force", ["true", "false"], "false") === "true";
      if (!force) await requireUnused(context, row);
      if (!(await deleteBasicAuth(context.deps.db, row.id))) throw notFound("stored credentials", "are");
      return { status: 204 };
    },
  },
];

/** @throws RequestError 422 with every violation */
function readNew(attributes: Context["attributes"]): BasicAuthAttributes {
  const parsed = parseNew(attributes);
  const { username = null, password, headers = [], sign_in = null } = attributes as Partial<BasicAuthAttributes>;
  const wanted = username !== null || password !== undefined || (headers?.length === 0 && sign_in === null);
  const missing = (["username", "password"] as const).filter((name) => wanted && (attributes[name] ?? null) === null);
  const violations = [
    ...("violations" in parsed
      ? parsed.violations
      : headerFaults(parsed.values.headers ?? [], username !== null).map(violationOf)),
    ...missing.map((name) =>
      refusal("required", `${name} is required, unless there are only headers or a sign-in.`, name),
    ),
  ];
  if ("values" in parsed && violations.length === 0) return parsed.values;
  throw new RequestError(violations);
}

/** @throws RequestError 422 with all that is wrong */
function signInOf({ variables, ...given }: Record<string, unknown>): SignIn {
  const values = readVariables(variables);
  const read = "faults" in values ? values : readFilledSignIn(given, values.values, "give it in variables");
  if ("signIn" in read) return read.signIn;
  throw new RequestError(read.faults.map((text) => refusal("invalid_format", `sign_in: ${text}.`, "sign_in")));
}

function violationOf({ index, member, code, text }: HeaderFault): Violation {
  const place = [index ?? [], member ?? []].flat().map((part) => `/${part}`);
  const detail = `${index === undefined ? "headers" : `headers.${index}`}: ${text}.`;
  return refusal(code, detail, `headers${place.join("")}`);
}

/** Secrets are never shown. So a caller who does not know them must not be able to have them sent to another host. */
async function change(context: Context): Promise<RouteResponse> {
  const { db, encryptor } = context.deps;
  const row = await addressed(context);
  const { sign_in, ...given } = readChange(context.attributes);
  const host = given.host === undefined ? undefined : readHost(given.host);
  if (!encryptor) throw noSecretKey();
  const signIn = sign_in ? signInOf(sign_in) : sign_in;
  const change: BasicAuthChange = { ...given, host, signIn };
  const changed = await changeBasicAuth(db, { encryptor, scope: callerOf(context), id: row.id }, (current) => {
    requireChangeable(current, change);
    return change;
  });
  if (!changed) throw notFound("stored credentials", "are");
  return one(basicAuthDocument(context, await addressed(context)));
}

/** @throws RequestError 422 for a change that would send a secret to another host, or leave incomplete credentials */
function requireChangeable(row: Parameters<Parameters<typeof changeBasicAuth>[2]>[0], change: BasicAuthChange): void {
  const { host = row.host, username = row.username, password, headers, signIn } = change;
  const hasSignIn = signIn === undefined ? row.sign_in_steps.length > 0 : signIn !== null;
  const names = headers ?? row.header_names.map((name) => ({ name, value: "x=y" }));
  const withUser = username !== null;
  const secrets = [
    ...(withUser && password === undefined ? ["password"] : []),
    ...(headers === undefined && row.header_names.length > 0 ? ["headers"] : []),
    ...(signIn === undefined && hasSignIn ? ["sign_in"] : []),
  ];
  if (host !== row.host && secrets.length > 0) {
    const wanted = `host is ${formatValue(host)}, and the credentials are for ${row.host}`;
    throw invalid("inconsistent", `${wanted}: send the ${secrets.join(" and ")} for the new host, too.`, "host");
  }
  if (withUser && row.username === null && password === undefined)
    throw invalid("required", "password is required: the credentials have had no user name until now.", "password");
  if (!withUser && password !== undefined)
    throw invalid("inconsistent", "password is given without a username.", "password");
  if (!withUser && names.length === 0 && !hasSignIn)
    throw invalid(
      "inconsistent",
      "There is neither a username nor a header nor a sign-in: delete the credentials instead.",
      "headers",
    );
  const faults = headerFaults(names, withUser);
  if (headers !== undefined && faults.length > 0) throw new RequestError(faults.map(violationOf));
  if (faults.length > 0)
    throw invalid(
      "inconsistent",
      "username is sent as an Authorization header, but headers has one, too; give only one of them.",
      "username",
    );
}

async function requireUnused({ deps }: Context, row: BasicAuthRow): Promise<void> {
  const { schedules, reports } = await countUses(deps.db, row);
  if (schedules + reports === 0) return;
  const users = [
    ...(schedules > 0 ? [plural(schedules, "schedule")] : []),
    ...(reports > 0 ? [plural(reports, "running report")] : []),
  ].join(" and ");
  const detail = `The credentials are used by ${users}: change those first, or delete the credentials with force=true.`;
  throw refuse(409, "basic_auth_in_use", "Conflict", detail);
}

function readHost(text: string): string {
  const host = normaliseHost(text);
  if (host !== undefined) return host;
  throw invalid("invalid_format", `host is ${formatValue(text)}, which is not a host name or address.`, "host");
}

function invalid(code: string, detail: string, attribute: string): Error {
  return new RequestError(refusal(code, detail, attribute));
}

function refusal(code: string, detail: string, pointer: string): Violation {
  return { status: 422, code, title: "Invalid attribute", detail, source: { pointer: `/data/attributes/${pointer}` } };
}

function noSecretKey(): Error {
  const detail = "The service cannot store secrets: its operator must set SECRET_KEY.";
  return refuse(409, "no_secret_key", "Conflict", detail);
}

async function addressed(context: Context): Promise<BasicAuthRow> {
  const id = context.params.basic_auth_id ?? "";
  const row = isUuid(id) ? await findBasicAuth(context.deps.db, callerOf(context), id) : undefined;
  if (row) return row;
  throw notFound("stored credentials", "are");
}

function basicAuthDocument(context: Context, row: BasicAuthRow): Resource<"basic_auth"> {
  return {
    id: row.id,
    type: "basic_auth",
    attributes: {
      host: row.host,
      username: row.username,
      headers: row.header_names.map((name) => ({ name })),
      sign_in: row.sign_in_steps.length === 0 ? null : { steps: row.sign_in_steps },
      ...(row.guest_token !== null && { guest_token: row.guest_token }),
      inserted_at: timestamp(row.inserted_at),
      updated_at: timestamp(row.updated_at),
    },
    relationships: related({
      guest_account: row.guest_known ? `${context.base}/guest_accounts/${row.guest_token}` : undefined,
    }),
  };
}
