import { insertTest } from "../../database/receivers/deliveries.ts";
import {
  changeReceiver,
  deleteReceiver,
  disableReceiver,
  enableReceiver,
  findReceiver,
  insertReceiver,
  listReceivers,
  type ReceiverRow,
  rotateSecret,
} from "../../database/receivers/receivers.ts";
import type { Encryptor } from "../../domain/accounts/encryption.ts";
import { isThisMachine } from "../../domain/addresses/this-machine.ts";
import { isAllowedAddress } from "../../net/addresses.ts";
import { ipLiteral } from "../../net/guarded-lookup.ts";
import { isTimeZone } from "../../schema/schedule.ts";
import { formatValue } from "../../schema/validate.ts";
import type { Context, Route } from "../context.ts";
import type { Resource } from "../documents.ts";
import { attributesReader } from "../http/request/attributes.ts";
import { hostOf, ownerOf } from "../http/request/caller.ts";
import { pageParameters } from "../http/request/parameters.ts";
import { isUuid } from "../http/request/query.ts";
import { created, list, one, related, timestamp } from "../http/response/documents.ts";
import { notFound, refuse } from "../http/response/errors.ts";
import { bodyOf } from "../openapi/request-body.ts";
import {
  type NewReceiverAttributes,
  newReceiverSchema,
  type ReceiverAttributes,
  receiverSchema,
} from "../request-attributes.ts";
import { deliveryUrl, readDelivery, requireEnabled } from "./deliveries.ts";

const readNew = attributesReader<NewReceiverAttributes>(newReceiverSchema);
const readChange = attributesReader<ReceiverAttributes>(receiverSchema);

const ONE = "/receivers/:receiver_id";

/** Who hears of what happens: by webhooks, in channels and by mail. Guests have none. */
export const receivers: readonly Route[] = [
  {
    method: "GET",
    path: "/receivers",
    id: "listReceivers",
    tag: "Notifications",
    summary: "List receivers",
    description: "The oldest first. Addresses of channels, and secrets, are never shown again.",
    success: { kind: "list", type: "receiver" },
    access: "account",
    parameters: pageParameters,
    handle: async (context) => {
      const page = context.query.page();
      const listed = await listReceivers(context.deps.db, ownerOf(context), page);
      return list(context, page, listed, (row) => receiverDocument(context, row));
    },
  },
  {
    method: "POST",
    path: "/receivers",
    id: "createReceiver",
    tag: "Notifications",
    summary: "Add a receiver",
    description:
      "Only this response shows the secret of a webhook: messages are signed with it, as Standard Webhooks says. 409 where the operator sends nothing to others.",
    success: { kind: "created", type: "receiver" },
    errors: [409],
    access: "account",
    body: bodyOf("receiver", newReceiverSchema),
    showsSecret: true,
    handle: async (context) => {
      const { accountId } = hostOf(context);
      const { db, now } = context.deps;
      const { url = null, time_zone = "UTC", ...values } = readNew(context.attributes);
      const encryptor = requireSending(context);
      requireAddress(context, values.kind, { url, mail_addresses: values.mail_addresses });
      requireTimeZone(time_zone);
      const row = { ...values, url, time_zone };
      const { id, secret } = await insertReceiver(db, encryptor, accountId, row, now());
      return created(receiverDocument(context, await reread(context, id), secret), receiverUrl(context, id));
    },
  },
  {
    method: "GET",
    path: ONE,
    id: "getReceiver",
    tag: "Notifications",
    summary: "Get a receiver",
    success: { kind: "one", type: "receiver" },
    access: "account",
    handle: async (context) => one(receiverDocument(context, await addressed(context))),
  },
  {
    method: "PATCH",
    path: ONE,
    id: "updateReceiver",
    tag: "Notifications",
    summary: "Change a receiver, or switch it off and on",
    description:
      "Only the given attributes change. With enabled: true, send_missed says whether the messages of the last 7 days that it missed are sent first.",
    success: { kind: "one", type: "receiver" },
    errors: [409],
    access: "account",
    body: bodyOf("receiver", receiverSchema),
    handle: change,
  },
  {
    method: "POST",
    path: `${ONE}/secret`,
    id: "renewReceiverSecret",
    tag: "Notifications",
    summary: "Give a webhook a new secret",
    description: "Only this response shows it. For 24 hours messages are signed with both.",
    success: { kind: "created", type: "receiver" },
    errors: [409],
    access: "account",
    showsSecret: true,
    handle: async (context) => {
      const { id, kind } = await addressed(context);
      if (kind !== "webhook")
        throw refuse(409, "no_secret", "Conflict", `Only webhooks are signed; this receiver is of the kind ${kind}.`);
      const { db, now } = context.deps;
      const secret = await rotateSecret(db, requireSending(context), id, now());
      return created(receiverDocument(context, await reread(context, id), secret), receiverUrl(context, id));
    },
  },
  {
    method: "POST",
    path: `${ONE}/tests`,
    id: "testReceiver",
    tag: "Notifications",
    summary: "Send a test",
    description:
      "It does not wait for messages that fail, and is tried once. The delivery says what became of it, a moment later. 409 for a receiver that is switched off.",
    success: { kind: "created", type: "delivery" },
    errors: [409],
    access: "account",
    handle: async (context) => {
      const row = await addressed(context);
      requireSending(context);
      requireEnabled(row);
      const { db, now } = context.deps;
      const id = await insertTest(db, row.id, now());
      const { document } = await readDelivery(context, id);
      return created(document, deliveryUrl(context, id));
    },
  },
  {
    method: "DELETE",
    path: ONE,
    id: "deleteReceiver",
    tag: "Notifications",
    summary: "Remove a receiver",
    description: "With the log of its deliveries. Messages that wait are not sent.",
    success: { kind: "nothing" },
    access: "account",
    handle: async (context) => {
      const { id } = await addressed(context);
      if (!(await deleteReceiver(context.deps.db, id))) throw notFound("receiver");
      return { status: 204 };
    },
  },
];

async function change(context: Context) {
  const row = await addressed(context);
  const { enabled, send_missed: sendMissed = false, ...values } = readChange(context.attributes);
  const encryptor = requireSending(context);
  // The address that is stored stays, if none is given.
  const { url = row.kind === "mail" ? null : undefined, mail_addresses = row.mail_addresses } = values;
  if (values.url !== undefined || values.mail_addresses !== undefined)
    requireAddress(context, row.kind, { url, mail_addresses });
  if (values.time_zone !== undefined) requireTimeZone(values.time_zone);
  const { db, now } = context.deps;
  await changeReceiver(db, encryptor, row, values);
  if (enabled === false) await db.transaction().execute((trx) => disableReceiver(trx, row.id, now()));
  if (enabled === true && row.disabled_at !== null)
    await db.transaction().execute((trx) => enableReceiver(trx, row.id, { sendMissed, now: now() }));
  return one(receiverDocument(context, await reread(context, row.id)));
}

/** @throws RequestError 409 where nothing can be sent */
function requireSending({ deps }: Context): Encryptor {
  if (!deps.receivers)
    throw refuse(
      409,
      "notifications_off",
      "Conflict",
      "The service sends nothing to others: its operator must allow it (NOTIFICATIONS).",
    );
  if (deps.encryptor) return deps.encryptor;
  throw refuse(409, "no_secret_key", "Conflict", "The service cannot store secrets: its operator must set SECRET_KEY.");
}

/**
 * @param given.url undefined for one that was given before
 * @throws RequestError 422 for an address that a receiver of this kind cannot have
 */
function requireAddress(
  { deps }: Context,
  kind: ReceiverRow["kind"],
  { url, mail_addresses: mails }: { url: string | null | undefined; mail_addresses: readonly string[] },
): void {
  if (kind === "mail") {
    if (url) throw invalid("inconsistent", "url is for webhooks and channels; mail has mail_addresses.", "url");
    if (mails.length === 0) throw invalid("required", "mail_addresses is required for mail.", "mail_addresses");
    if (deps.receivers?.mail !== true)
      throw invalid(
        "not_allowed",
        "kind is mail; the service sends none: its operator must set SMTP_URL and MAIL_FROM.",
        "kind",
      );
    return;
  }
  if (mails.length > 0)
    throw invalid("inconsistent", `mail_addresses is for mail; ${kind} has a url.`, "mail_addresses");
  if (url === undefined) return;
  if (url === null) throw invalid("required", `url is required for ${kind}.`, "url");
  const target = URL.parse(url);
  const policy = deps.receivers?.policy;
  if (!target || !policy || target.username !== "" || target.password !== "")
    throw invalid(
      "invalid_format",
      "url must be an address such as https://tickets.example.com/checks, without a user name.",
      "url",
    );
  const hasPrivate = policy.allowed.length > 0;
  if (target.protocol !== "https:" && !(target.protocol === "http:" && hasPrivate))
    throw invalid("invalid_format", `url is ${formatValue(target.protocol)}//…; it must begin with https://.`, "url");
  const literal = ipLiteral(target.hostname);
  const isInside =
    literal === undefined ? isThisMachine(target.hostname) && !hasPrivate : !isAllowedAddress(literal, policy);
  if (isInside)
    throw invalid(
      "not_allowed",
      "url is inside the service's own network. Use a public address, or ask the operator to allow it (RECEIVER_PRIVATE_CIDRS).",
      "url",
    );
}

function requireTimeZone(zone: string): void {
  if (isTimeZone(zone)) return;
  throw invalid(
    "not_allowed",
    `time_zone is ${formatValue(zone)}; it must be a name of the IANA database, such as Europe/Berlin.`,
    "time_zone",
  );
}

function invalid(code: string, detail: string, attribute: string): Error {
  return refuse(422, code, "Invalid attribute", detail, { pointer: `/data/attributes/${attribute}` });
}

async function reread(context: Context, id: string): Promise<ReceiverRow> {
  const row = isUuid(id) ? await findReceiver(context.deps.db, ownerOf(context), id) : undefined;
  if (row) return row;
  throw notFound("receiver");
}

function addressed(context: Context): Promise<ReceiverRow> {
  return reread(context, context.params.receiver_id ?? "");
}

export function receiverUrl({ base }: Context, id: string): string {
  return `${base}/receivers/${id}`;
}

function receiverDocument(context: Context, row: ReceiverRow, secret?: string | null): Resource<"receiver"> {
  const { id, kind, name, url_shown, mail_addresses, unsubscribed, events, site_urls, tags, digest, time_zone } = row;
  const since = (time: Date | null) => (time === null ? null : timestamp(time));
  return {
    id,
    type: "receiver",
    attributes: {
      ...{ kind, name, url: url_shown, mail_addresses, unsubscribed, events, site_urls, tags, digest, time_zone },
      state: row.disabled_at ? "disabled" : row.failing_since ? "failing" : "works",
      failing_since: since(row.failing_since),
      disabled_at: since(row.disabled_at),
      last_delivered_at: since(row.last_delivered_at),
      last_delivered_status: row.last_delivered?.status ?? null,
      last_delivered_took_ms: row.last_delivered?.took_ms ?? null,
      waiting: row.waiting,
      missed: row.missed,
      secret_at: since(row.secret_at),
      ...(secret !== undefined && secret !== null && { secret }),
      inserted_at: timestamp(row.inserted_at),
      updated_at: timestamp(row.updated_at),
    },
    relationships: related({ deliveries: `${context.base}/deliveries?filter%5Breceiver_id%5D=${id}` }),
  };
}
