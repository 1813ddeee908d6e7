import { actors, areas, MAX_COUNTED, ways } from "../../../domain/audit/entry.ts";
import { count, each, members, numericId, type ResourceSchema, timestamp } from "./parts.ts";

const most = MAX_COUNTED.toLocaleString("en");
const text = (description: string) => ({ type: ["string", "null"], description }) as const;

/** Of the list of entries. */
export const auditMeta = {
  counts: members(
    each(actors, () => count),
    {
      optional: actors,
      description: `How many entries there are by who, whatever the filter for it; those without any are left out. ${most} stands for ${most} and more.`,
    },
  ),
  num_kept: {
    type: ["integer", "null"],
    minimum: 0,
    description: `How many entries of the account are kept, whatever the filter; null if one kind of actor has ${most} or more.`,
  },
  since: {
    ...timestamp("When the oldest entry of the account was written; null without any."),
    type: ["string", "null"],
  },
  kept_days: {
    type: "integer",
    minimum: 1,
    description: "How many days entries are kept (audit_days of what is kept).",
  },
} as const;

export const auditEntry = {
  description: "One change of one thing: who made it, when and from where.",
  id: numericId,
  attributes: members({
    at: timestamp("When it began."),
    who: {
      type: "string",
      enum: actors,
      description:
        "`person`: somebody signed in by name; `token`: a token of the account, or somebody signed in with it; `guest`: one of a guest; `link`: somebody with a share link, a shared report or the address of a deploy hook; `service`: a schedule, or the service by itself; `cluster`: a declared resource.",
    },
    who_id: text("The id of the token or person; null for others."),
    who_name: { type: "string", description: "The name as it was then." },
    operation: {
      type: "string",
      description: "The operation of this API, or a name of the service's own, for programs.",
    },
    verb: { type: "string", description: "What was done, in words that follow a name." },
    area: { type: "string", enum: areas, description: "What it is about." },
    outcome: {
      type: "string",
      enum: ["done", "unknown"],
      description: "`unknown`: it had begun, and its process ended; it is not known what was changed.",
    },
    target_type: text("The type of what was changed."),
    target_id: text("Its id; null where the id opens something, and where there is none."),
    target_name: text("Its name as it was then."),
    target_path: text("Its path in this API."),
    site_url: text("The starting URL of the site that it belongs to."),
    via: { type: "string", enum: ways, description: "How it came." },
    address: text("The address of the client; after 90 days that of its network."),
    agent: text("What the client calls itself."),
    request_id: text("The request's X-Request-Id."),
    num_changes: { ...count, description: "How many fields have changed." },
    changes: {
      type: "array",
      items: members({
        field: { type: "string", description: "The attribute; a member of an object after a dot." },
        before: text("A text as it is, anything else as JSON; null for nothing. Long ones are cut, and say so."),
        after: text("The same afterwards."),
        hidden: { type: "boolean", description: "It was set, and neither value is kept: a secret, or shown nowhere." },
      }),
      description: "The fields that changed; only of an entry that is read, not of a list.",
    },
  }),
  relationships: { always: [], optional: ["target"] },
} as const satisfies ResourceSchema;
