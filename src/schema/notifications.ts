import type { FromSchema } from "json-schema-to-ts";
import { LISTED_MAIL_PATTERN } from "./pattern-words.ts";

/** Where messages go, and in which form. */
export const receiverKindNames = ["webhook", "slack", "teams", "mail"] as const;

/** When messages are sent: at once, or collected in one. */
export const digestNames = ["none", "daily", "weekly"] as const;

/** What happens to the runs of a schedule. */
export const runEventNames = [
  ...(["report.completed", "issues.new", "report.gate_failed", "report.failed", "schedule.missed"] as const),
] as const;

export const MAX_MAIL_ADDRESSES = 20;

/** The type of a Secret with the address of a receiver: a Schedule can name no Secret that was made for something else. */
export const RECEIVER_SECRET_TYPE = "sitevalidation.io/receiver";

/** A receiver that a Schedule declares, for its own runs. */
export const notificationSchema = {
  type: "object",
  description: "Somebody who hears of the schedule's runs.",
  required: ["name", "kind", "events"],
  additionalProperties: false,
  properties: {
    name: {
      type: "string",
      minLength: 1,
      maxLength: 100,
      description: "What people call the receiver; no other of the schedule has the same.",
    },
    kind: {
      type: "string",
      enum: receiverKindNames,
      description: "A webhook as Standard Webhooks says, a channel of Slack or Teams, or mail.",
    },
    secret: {
      type: "string",
      maxLength: 253,
      pattern: "^[a-z0-9]([-.a-z0-9]*[a-z0-9])?$",
      description: `Name of a Secret of type ${RECEIVER_SECRET_TYPE} in the same namespace, except for mail. Its key url has the address; that of a webhook has also signing-secret, "whsec_" and 24 to 64 random bytes as base64: another value replaces it, and for 24 hours messages are signed with both.`,
    },
    mailAddresses: {
      type: "array",
      items: { type: "string", maxLength: 254, pattern: LISTED_MAIL_PATTERN },
      maxItems: MAX_MAIL_ADDRESSES,
      description: "Of mail: each address gets its own, and can end it.",
    },
    events: {
      type: "array",
      items: { type: "string", enum: runEventNames },
      minItems: 1,
      maxItems: runEventNames.length,
      description: "What the receiver hears of.",
    },
    digest: {
      type: "string",
      enum: digestNames,
      default: "none",
      description: "At once, or collected in one message every day or on Mondays at 08:00.",
    },
    timeZone: { type: "string", maxLength: 60, default: "UTC", description: "Whose 08:00, such as Europe/Berlin." },
  },
} as const;
export type DeclaredNotification = FromSchema<typeof notificationSchema>;

/** Of a schedule. An API server merges them by name. */
export const notificationsSchema = {
  type: "array",
  items: notificationSchema,
  maxItems: 10,
  "x-kubernetes-list-type": "map",
  "x-kubernetes-list-map-keys": ["name"],
  description:
    "Who hears of the schedule's runs, besides the receivers of its account. Where an address is secret it is in a Secret. The condition Notifies says whether all of them can be sent to.",
} as const;
