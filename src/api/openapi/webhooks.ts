import { heldKinds } from "../../domain/causes/assignment.ts";
import { impacts } from "../../domain/findings/findings.ts";
import { gateConditions } from "../../domain/findings/gate.ts";
import {
  type EventType,
  eventNames,
  eventTypes,
  type MessageType,
  TOLD_CAUSES,
} from "../../domain/notifications/events.ts";
import { PAUSES_TEXT } from "../../domain/notifications/receivers.ts";
import { count, members, orNull, type Schema, uuid } from "./response-schemas/parts.ts";

const url = { type: "string", format: "uri" } as const;
const text = { type: "string" } as const;
const integerOrNull = (description: string) => ({ type: ["integer", "null"], minimum: 0, description }) as const;
const site = members({
  name: { type: ["string", "null"], description: "What people call it, if they gave it a name." },
  url: { ...url, description: "Its starting URL." },
  owner: { type: ["string", "null"], description: "The name of who has the site, at the time of the event." },
});

const cause = members({
  cause_id: { ...text, description: "Its id in all runs: /reports/{report_id}/causes/{cause_id}." },
  title: { ...text, description: "What an engine says of one of the errors." },
  new: { ...count, description: "New errors that one change would remove." },
  pages: { ...count, description: "Pages that have them." },
  impact: { type: ["string", "null"], enum: [...impacts, null] },
  assignee: { type: ["string", "null"], description: "The name of who has it, at the time of the event." },
  of: { type: ["string", "null"], enum: [...heldKinds, null], description: "What of it somebody has." },
  path: { type: ["string", "null"], description: "The section that somebody has." },
  due_on: { type: ["string", "null"], description: "The day by which it is mended, in UTC." },
});

/** What a run that has ended says of itself. */
const run = members({
  site,
  report_id: uuid,
  report: { ...url, type: ["string", "null"], description: "Its page, where the service knows its own address." },
  errors: integerOrNull("Errors that were found; null when the run failed."),
  errors_before: integerOrNull("Those of the run before, on the pages of both; null without one to compare with."),
  new: integerOrNull("New errors since then."),
  fixed: integerOrNull("Errors that are gone since then."),
  causes: {
    ...{ type: "array", items: cause, maxItems: TOLD_CAUSES },
    description: "Where the site got worse: what is new by cause, the most first, and who has it.",
  },
  pages: members({ checked: count, not_checked: count }),
  first_failed_limit: orNull(
    members(
      {
        name: { type: "string", enum: Object.keys(gateConditions) },
        limit: { type: ["number", "boolean"] },
        value: { type: ["number", "null"] },
      },
      { description: "The first limit that is not met." },
    ),
  ),
  failure: orNull(members({ code: text, detail: text }, { description: "Why the run failed." })),
});

const instant = { type: "string", format: "date-time" } as const;
const totals = members({ sites: count, errors: count, pages: count, critical: count });
const toldSite = { name: text, id: text, owner: { type: ["string", "null"] } } as const;
const rate = { type: "number", minimum: 0, description: "Errors per page." } as const;
const moved = { type: "array", items: members({ ...toldSite, from: rate, to: rate }), maxItems: 5 } as const;

const helps = orNull(
  members(
    { title: text, errors: count, assignee: { type: ["string", "null"] } },
    { description: "The one change that removes the most of its errors, and who has it." },
  ),
);

/** What the resource month_report says at more length. */
const month = members({
  month: { type: "string", pattern: "^[0-9]{4}-[0-9]{2}$" },
  page: { ...url, type: ["string", "null"], description: "Its page, where the service knows its own address." },
  ended: { const: true },
  num_sites: count,
  ...{ totals, before: totals },
  limits: members({ met: count, not_met: count, none: count, unknown: count }),
  turns: members({ better: count, worse: count, as_before: count, not_compared: count }),
  ...{ away: members({ errors: count }), came: members({ errors: count }), num_not_checked: count },
  roles: members({ content: count, template: count, design: count }),
  worse: { type: "array", items: members({ ...toldSite, from: rate, to: rate, helps }), maxItems: 5 },
  better: moved,
  not_checked: {
    type: "array",
    items: members({ ...toldSite, last: orNull(members({ day: { type: "string", format: "date" }, rate })) }),
    maxItems: 5,
  },
  pdf: { type: "boolean", description: "Whether there is a PDF of it, at {page}/report.pdf for whoever signs in." },
  criteria: members({ all: count, fails: count, nothing_found: count, not_judged: count }),
});
const data: Record<EventType, Schema> = {
  ...{ "report.completed": run, "issues.new": run, "report.gate_failed": run, "report.failed": run },
  "schedule.missed": members({ site, schedule_id: uuid, due_at: instant }),
  "credits.low": members({ month: { type: "string", pattern: "^[0-9]{4}-[0-9]{2}$" }, used: count, limit: count }),
  "month.ended": month,
};

const several = members({
  events: {
    type: "array",
    items: { oneOf: eventNames.map((type) => members({ type: { const: type }, data: data[type] })) },
  },
});

/** The body of each message to a webhook. */
export const webhookBodies: Readonly<Record<MessageType, Schema>> = {
  ...(Object.fromEntries(eventNames.map((type) => [type, bodyOf(type, data[type])])) as Record<EventType, Schema>),
  digest: bodyOf("digest", several),
  test: bodyOf("test", members({ text })),
};

function bodyOf(type: MessageType, of: Schema): Schema {
  return members({ type: { const: type }, timestamp: { ...instant, description: "When it happened." }, data: of });
}

const header = (name: string, description: string) => ({
  ...{ name, in: "header", required: true, description, schema: { type: "string" } },
});

const titles = {
  ...Object.fromEntries(eventNames.map((type) => [type, `${eventTypes[type].title}: ${eventTypes[type].when}`])),
  digest: "What has happened since the last message, collected",
  test: "A test",
} as Record<MessageType, string>;

/** What the service sends to receivers of the kind `webhook`, as OpenAPI has it. */
export const webhooks = Object.fromEntries(
  Object.entries(webhookBodies).map(([type, schema]) => [
    type,
    {
      post: {
        tags: ["Notifications"],
        summary: titles[type as MessageType],
        description: `Signed as Standard Webhooks says, with the secret of the receiver. It has arrived when it is answered with 200 to 299 within 15 seconds; ${type === "test" ? "it is tried once" : `otherwise it is tried again after ${PAUSES_TEXT}, with the same webhook-id`}.`,
        parameters: [
          header("webhook-id", "The same for all attempts: by it a receiver can tell that it has the message already."),
          header("webhook-timestamp", "When this attempt was made, in seconds since 1970."),
          header("webhook-signature", "`v1,` and the signature; two for 24 hours after the secret was changed."),
        ],
        requestBody: { required: true, content: { "application/json": { schema } } },
        responses: { "2XX": { description: "It has arrived." }, default: { description: "It has not arrived." } },
        security: [],
      },
    },
  ]),
);
