import { type Part, parts, type Stays } from "../../../domain/retention/decide.ts";
import { limitNames, MAX_PINS } from "../../../domain/retention/limits.ts";
import { newPinSchema, retentionSchema } from "../../request-attributes.ts";
import { responseAttributes } from "../attributes.ts";
import { count, each, maybeTimestamp, members, type ResourceSchema, timestamp, uuid } from "./parts.ts";

const bytes = (description: string) => ({ type: "integer", minimum: 0, description }) as const;
const limits = each(limitNames, () => ({ type: ["integer", "null"], minimum: 1 }) as const);
/** Why a report stays, in words for readers of the document. */
export const whyStays = {
  pinned: "it is pinned",
  newest: "its site would be without a result",
  compared: "a report that stays is compared with it, or the next run will be",
  running: "it runs, or a page of it is being checked again",
} as const satisfies Record<Stays, string>;
const reasons = Object.keys(whyStays) as Stays[];
const explained = Object.entries(whyStays)
  .map(([reason, text]) => `\`${reason}\`: ${text}`)
  .join("; ");
const stays = members(
  each(reasons, () => count),
  { description: `How many reports stay although they are old enough or too many: ${explained}.` },
);

/** There is one of each for a caller. */
const own = { type: "string", const: "account" } as const;

export const retention = {
  description: "What an account keeps, and for how long.",
  id: own,
  attributes: members({
    ...responseAttributes(retentionSchema.properties),
    limits: members(limits, {
      description: "What the operator lets each account keep at most; null means no limit. What keeps less holds.",
    }),
    takes_effect_at: maybeTimestamp(
      "The next night, in which what is kept no longer is deleted: until then it can be changed. null while everything is kept.",
    ),
    updated_by: { type: ["string", "null"], description: "The name of the token that changed it last." },
    last_updated_at: maybeTimestamp("When; null before that."),
    reports: {
      ...count,
      description: "The account's reports, its guests' included; for a guest 0, as bytes and pins.",
    },
    bytes: bytes("The bytes that their results take."),
    pins: { ...count, description: "How many reports are pinned." },
    max_pins: { ...count, description: `How many may be: ${MAX_PINS}.` },
  }),
  relationships: { always: ["pins", "deletions"] },
} as const satisfies ResourceSchema;

/** As many reports does a preview name. */
export const MAX_PREVIEWED = 1_000;

const going = (description: string) => members({ reports: count, bytes: bytes("What they take.") }, { description });

export const retentionPreview = {
  description: "What settings would delete if they held now.",
  id: own,
  attributes: members({
    ...responseAttributes(retentionSchema.properties),
    reports: { ...count, description: "How many reports would be deleted as a whole: those by age and by runs." },
    report_ids: {
      type: "array",
      items: uuid,
      maxItems: MAX_PREVIEWED,
      description: `The ids of the first ${MAX_PREVIEWED} of them, the oldest first.`,
    },
    bytes: bytes("What would be deleted, in all."),
    by_age: going("Reports that are older than report_days."),
    by_runs: going("Reports beyond schedule_runs of one schedule, of those that are not too old anyway."),
    pictures: going("Reports that would lose their pictures alone."),
    raw: going("Reports that would lose their raw checks alone."),
    stays,
    takes_effect_at: timestamp("The night in which these settings would hold, if they were saved now."),
    sites: {
      type: "array",
      items: members({
        site_id: { type: "string", pattern: "^[0-9a-f]{32}$" },
        starting_url: { type: "string" },
        reports: count,
        bytes: bytes("What its reports take."),
        pictures: bytes("Of it pictures."),
        less: bytes("What would be deleted of it."),
      }),
      description: "The sites that take the most, of all guests together; at most 20.",
    },
    num_sites: { ...count, description: "How many sites there are." },
  }),
  relationships: { always: ["retention"] },
} as const satisfies ResourceSchema;

export const pin = {
  description: "A report that stays until somebody takes the pin away.",
  id: { ...uuid, description: "The report's." },
  attributes: members({
    reason: { type: "string", description: newPinSchema.properties.reason.description },
    pinned_by: { type: "string", description: "The name of the token by which it was pinned." },
    inserted_at: timestamp("When it was pinned."),
  }),
  relationships: { always: ["report"] },
} as const satisfies ResourceSchema;

export const deletionStates = ["waiting", "running", "stopped", "ended"] as const;

export const deletion = {
  description: "Many reports, or parts of them, that are deleted in the background.",
  id: uuid,
  attributes: members({
    state: {
      type: "string",
      enum: deletionStates,
      description: "`stopped`: somebody has stopped it, and what was left stays; `ended`: nothing is left to do.",
    },
    asked_by: {
      type: ["string", "null"],
      description: "The name of the token that asked for it; null: what the account keeps no longer.",
    },
    parts: {
      type: "array",
      items: { type: "string", enum: [...parts] as Part[] },
      description: "What of the reports is deleted.",
    },
    total: { ...count, description: "How many reports and parts of reports it takes." },
    deleted: { ...count, description: "How many of them are deleted." },
    waiting: { ...count, description: "How many are still to come, unless it is stopped." },
    gone: { ...count, description: "How many others had deleted before." },
    stays,
    bytes: bytes("What was deleted."),
    left: {
      type: "array",
      items: members({
        report_id: uuid,
        reason: { type: "string", enum: [...reasons, "gone"] as (Stays | "gone")[] },
      }),
      description: "The first hundred reports that were not deleted, and why; only of a deletion that is read.",
    },
    inserted_at: timestamp("When it was asked for."),
    started_at: maybeTimestamp("When the first report was deleted."),
    ended_at: maybeTimestamp("When it ended, or was stopped."),
  }),
  relationships: { always: [] },
} as const satisfies ResourceSchema;
