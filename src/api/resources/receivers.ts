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
import {
  type ReceiverFault,
  type ReceiverLimits,
  receiverFault,
  timeZoneFault,
} from "../../delivery/receiver-fault.ts";
import type { Encryptor } from "../../domain/accounts/encryption.ts";
import type { Context, Route } from "../context.ts";
import type { Resource } from "../documents.ts";
import { attributesReader } from "../http/request/attributes.ts";
import { hostOf, ownerOf } from "../http/request/caller.ts";
import { pageParameters } from "../http/request/parameters.ts";
import { isUuid } from "../http/request/query.ts";
import { created, list, one, related, timestamp } from "../http/response/documents.ts";
import { notFound, refuse, refuseAttribute } from "../http/response/errors.ts";
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
    right: "receivers",
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
    audit: { verb: "added a receiver", area: "receivers" },
    tag: "Notifications",
    summary: "Add a receiver",
    description:
      "Only this response shows the secret of a webhook: messages are signed with it, as Standard Webhooks says. 409 where the operator sends nothing to others.",
    success: { kind: "created", type: "receiver" },
    errors: [409],
    access: "account",
    right: "receivers",
    body: bodyOf("receiver", newReceiverSchema),
    showsSecret: true,
    handle: async (context) => {
      const { accountId } = hostOf(context);
      const { db, now } = context.deps;
      const { url = null, time_zone = "UTC", ...values } = readNew(context.attributes);
      const { encryptor, limits } = requireSending(context);
      refuseFault(receiverFault(values.kind, { url, mail_addresses: values.mail_addresses }, limits));
      refuseFault(timeZoneFault(time_zone));
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
    right: "receivers",
    handle: async (context) => one(receiverDocument(context, await addressed(context))),
  },
  {
    method: "PATCH",
    path: ONE,
    id: "updateReceiver",
    audit: { verb: "changed a receiver", area: "receivers" },
    tag: "Notifications",
    summary: "Change a receiver, or switch it off and on",
    description:
      "Only the given attributes change. With enabled: true, send_missed says whether the messages of the last 7 days that it missed are sent first.",
    success: { kind: "one", type: "receiver" },
    errors: [409],
    access: "account",
    right: "receivers",
    body: bodyOf("receiver", receiverSchema),
    handle: change,
  },
  {
    method: "POST",
    path: `${ONE}/secret`,
    id: "renewReceiverSecret",
    audit: { verb: "gave a receiver a new secret", area: "receivers" },
    tag: "Notifications",
    summary: "Give a webhook a new secret",
    description: "Only this response shows it. For 24 hours messages are signed with both.",
    success: { kind: "created", type: "receiver" },
    errors: [409],
    access: "account",
    right: "receivers",
    showsSecret: true,
    handle: async (context) => {
      const row = await addressed(context);
      const { id, kind } = row;
      requireOfAccount(row);
      if (kind !== "webhook")
        throw refuse(409, "no_secret", "Conflict", `Only webhooks are signed; this receiver is of the kind ${kind}.`);
      const { db, now } = context.deps;
      const secret = await rotateSecret(db, requireSending(context).encryptor, id, now());
      return created(receiverDocument(context, await reread(context, id), secret), receiverUrl(context, id));
    },
  },
  {
    method: "POST",
    path: `${ONE}/tests`,
    id: "testReceiver",
    audit: { verb: "tested a receiver", area: "receivers" },
    tag: "Notifications",
    summary: "Send a test",
    description:
      "It does not wait for messages that fail, and is tried once. The delivery says what became of it, a moment later. 409 for a receiver that is switched off.",
    success: { kind: "created", type: "delivery" },
    errors: [409],
    access: "account",
    right: "receivers",
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
    audit: { verb: "deleted a receiver", area: "receivers" },
    tag: "Notifications",
    summary: "Remove a receiver",
    description:
      "With the log of its deliveries. Messages that wait are not sent. 409 for one that a Schedule declares.",
    success: { kind: "nothing" },
    errors: [409],
    access: "account",
    right: "receivers",
    handle: async (context) => {
      const row = await addressed(context);
      requireOfAccount(row);
      const { id } = row;
      if (!(await deleteReceiver(context.deps.db, id))) throw notFound("receiver");
      return { status: 204 };
    },
  },
];

async function change(context: Context) {
  const row = await addressed(context);
  const { enabled, send_missed: sendMissed = false, ...values } = readChange(context.attributes);
  const { encryptor, limits } = requireSending(context);
  if (Object.keys(values).length > 0) requireOfAccount(row);
  // The address that is stored stays, if none is given.
  const { url = row.kind === "mail" ? null : undefined, mail_addresses = row.mail_addresses } = values;
  if (values.url !== undefined || values.mail_addresses !== undefined)
    refuseFault(receiverFault(row.kind, { url, mail_addresses }, limits));
  if (values.time_zone !== undefined) refuseFault(timeZoneFault(values.time_zone));
  const { db, now } = context.deps;
  if (Object.keys(values).length > 0) await changeReceiver(db, encryptor, row, values);
  if (enabled === false) await db.transaction().execute((trx) => disableReceiver(trx, row.id, now()));
  if (enabled === true && row.disabled_at !== null)
    await db.transaction().execute((trx) => enableReceiver(trx, row.id, { sendMissed, now: now() }));
  return one(receiverDocument(context, await reread(context, row.id)));
}

/** @throws RequestError 409 where nothing can be sent */
function requireSending({ deps }: Context): { encryptor: Encryptor; limits: ReceiverLimits } {
  if (!deps.receivers)
    throw refuse(
      409,
      "notifications_off",
      "Conflict",
      "The service sends nothing to others: its operator must allow it (NOTIFICATIONS).",
    );
  if (deps.encryptor) return { encryptor: deps.encryptor, limits: deps.receivers };
  throw refuse(409, "no_secret_key", "Conflict", "The service cannot store secrets: its operator must set SECRET_KEY.");
}

/** @throws RequestError 422 for what a receiver cannot have */
function refuseFault(fault: ReceiverFault | undefined): void {
  if (fault) throw refuseAttribute(fault.attribute, fault.code, fault.message);
}

/** @throws RequestError 409 for a receiver that is declared: what the API changed there would be undone */
function requireOfAccount({ schedule_id: scheduleId }: ReceiverRow): void {
  if (scheduleId === null) return;
  const detail = `The receiver is declared on the cluster, in spec.notifications of the Schedule ${scheduleId}. Change it there; here it can only be switched off and on.`;
  throw refuse(409, "declared", "Conflict", detail);
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
      schedule_id: row.schedule_id,
      last_delivered_at: since(row.last_delivered_at),
      last_delivered_status: row.last_delivered?.status ?? null,
      last_delivered_took_ms: row.last_delivered?.took_ms ?? null,
      waiting: row.waiting,
      missed: row.missed,
      secret_shown: row.secret_shown,
      secret_at: since(row.secret_at),
      ...(secret !== undefined && secret !== null && { secret }),
      inserted_at: timestamp(row.inserted_at),
      updated_at: timestamp(row.updated_at),
    },
    relationships: related({ deliveries: `${context.base}/deliveries?filter%5Breceiver_id%5D=${id}` }),
  };
}
