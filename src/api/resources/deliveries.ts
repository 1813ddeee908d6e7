import {
  countDeliveries,
  type DeliveryFilter,
  findDelivery,
  giveUp,
  type ListedDelivery,
  listAttempts,
  listDeliveries,
  sendAgain,
} from "../../database/receivers/deliveries.ts";
import { messageNames } from "../../domain/notifications/events.ts";
import { subjectOf } from "../../domain/notifications/messages.ts";
import { type DeliveryPeriod, deliveryPeriods, deliveryStates } from "../../domain/notifications/receivers.ts";
import type { Context, Route } from "../context.ts";
import type { Resource } from "../documents.ts";
import { ownerOf } from "../http/request/caller.ts";
import { choiceParameter, pageParameters, textParameter, uuidParameter } from "../http/request/parameters.ts";
import { isUuid } from "../http/request/query.ts";
import { list, one, related, timestamp } from "../http/response/documents.ts";
import { notFound, refuse } from "../http/response/errors.ts";

const ONE = "/deliveries/:delivery_id";

const periods = Object.keys(deliveryPeriods) as DeliveryPeriod[];
const countsOf = (names: readonly string[]) => ({
  type: "object",
  additionalProperties: false,
  properties: Object.fromEntries(names.map((name) => [name, { type: "integer", minimum: 1 }])),
});
const counts = {
  type: "object",
  description: "How many there are in each state, and of each type; those without any are left out.",
  required: ["state", "type"],
  additionalProperties: false,
  properties: { state: countsOf(deliveryStates), type: countsOf(messageNames) },
};

/** The log of what is sent to receivers, and what waits to be sent. */
export const deliveries: readonly Route[] = [
  {
    method: "GET",
    path: "/deliveries",
    id: "listDeliveries",
    tag: "Notifications",
    summary: "List deliveries",
    description:
      "One for each event and receiver, whatever its attempts, the newest first; they are kept for 30 days. meta.counts says how many there are in each state and of each type, whatever the filter for it.",
    success: { kind: "list", type: "delivery", meta: { counts } },
    access: "account",
    right: "receivers",
    parameters: [
      uuidParameter("filter[receiver_id]", "Those to this receiver."),
      choiceParameter("filter[state]", "Those in this state.", deliveryStates),
      choiceParameter("filter[type]", "Those of this type.", messageNames),
      textParameter(
        "filter[site]",
        "The name or starting URL of a site that it is about contains this, regardless of case.",
      ),
      choiceParameter("filter[period]", "Those of what happened so recently: 24 hours, 7 days or 30 days.", periods),
      ...pageParameters,
    ],
    handle: async (context) => {
      const { query, deps } = context;
      const page = query.page();
      const period = query.choice("filter[period]", periods);
      const filter: DeliveryFilter = {
        accountId: ownerOf(context),
        receiverId: query.uuid("filter[receiver_id]"),
        state: query.choice("filter[state]", deliveryStates),
        type: query.choice("filter[type]", messageNames),
        site: query.text("filter[site]"),
        since: period && new Date(deps.now().getTime() - 3_600_000 * deliveryPeriods[period]),
      };
      const listed = await listDeliveries(deps.db, filter, page);
      const meta = { counts: await countDeliveries(deps.db, filter) };
      return list(context, page, { ...listed, meta }, (row) => deliveryDocument(context, row));
    },
  },
  {
    method: "GET",
    path: ONE,
    id: "getDelivery",
    tag: "Notifications",
    summary: "Get a delivery, with what was sent and each answer",
    description: "The first 1,000 characters of an answer are kept. What gives access is not shown.",
    success: { kind: "one", type: "delivery" },
    access: "account",
    right: "receivers",
    handle: async (context) => one((await readDelivery(context, context.params.delivery_id ?? "")).document),
  },
  {
    method: "POST",
    path: `${ONE}/attempts`,
    id: "sendDeliveryAgain",
    audit: { verb: "sent a message again", area: "receivers" },
    tag: "Notifications",
    summary: "Send a delivery again",
    description:
      "At once, with the same id, also one that was delivered or given up. 409 while its receiver is switched off.",
    success: { kind: "one", type: "delivery" },
    errors: [409],
    access: "account",
    right: "receivers",
    handle: async (context) => {
      const { db, now } = context.deps;
      const { row } = await readDelivery(context, context.params.delivery_id ?? "");
      requireEnabled(row);
      await sendAgain(db, row.id, now());
      return one((await readDelivery(context, row.id)).document);
    },
  },
  {
    method: "DELETE",
    path: `${ONE}/attempts`,
    id: "giveUpDelivery",
    audit: { verb: "gave a message up", area: "receivers" },
    tag: "Notifications",
    summary: "Give a delivery up",
    description:
      "It is not sent any more, and the next one follows. It stays in the log. 409 for one that was delivered.",
    success: { kind: "nothing" },
    errors: [409],
    access: "account",
    right: "receivers",
    handle: async (context) => {
      const { db, now } = context.deps;
      const { row } = await readDelivery(context, context.params.delivery_id ?? "");
      if (row.state === "delivered") throw refuse(409, "delivered", "Conflict", "The delivery has arrived already.");
      await giveUp(db, row.id, now());
      return { status: 204 };
    },
  },
];

/** @throws RequestError 409 for a receiver that is switched off: what is sent to it would wait */
export function requireEnabled({ disabled_at }: { disabled_at: Date | null }): void {
  if (disabled_at === null) return;
  throw refuse(409, "receiver_disabled", "Conflict", "The receiver is switched off: switch it on first.");
}

/** A delivery of the caller's account. @throws RequestError 404 */
export async function readDelivery(
  context: Context,
  id: string,
): Promise<{ row: ListedDelivery; document: Resource<"delivery"> }> {
  const { db } = context.deps;
  const row = isUuid(id) ? await findDelivery(db, ownerOf(context), id) : undefined;
  if (!row) throw notFound("delivery");
  const attempts = (await listAttempts(db, id)).map(({ number, began_at, took_ms, status, answer }) => ({
    ...{ number, took_ms, status, answer },
    began_at: timestamp(began_at),
  }));
  const { attributes, ...document } = deliveryDocument(context, row);
  return { row, document: { ...document, attributes: { ...attributes, requests: attempts, sent: row.sent } } };
}

export function deliveryUrl({ base }: Context, id: string): string {
  return `${base}/deliveries/${id}`;
}

function deliveryDocument({ base }: Context, row: ListedDelivery): Resource<"delivery"> {
  const { id, receiver_id, type, events, site_url, state, attempts, next_at, occurred_at, ended_at, last } = row;
  const isPending = state === "waiting" || state === "failing" || state === "collected";
  return {
    id,
    type: "delivery",
    attributes: {
      ...{ type, site_url, state, attempts },
      title: subjectOf({ type, occurredAt: occurred_at, events }),
      last_status: last?.status ?? null,
      last_answer: last?.answer ?? null,
      last_took_ms: last?.took_ms ?? null,
      next_at: isPending ? timestamp(next_at) : null,
      occurred_at: timestamp(occurred_at),
      ended_at: ended_at && timestamp(ended_at),
    },
    relationships: related({ receiver: `${base}/receivers/${receiver_id}` }),
  };
}
