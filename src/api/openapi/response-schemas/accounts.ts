import { roles, siteRoles } from "../../../domain/accounts/roles.ts";
import { impacts } from "../../../domain/findings/findings.ts";
import { messageNames } from "../../../domain/notifications/events.ts";
import { deliveryStates } from "../../../domain/notifications/receivers.ts";
import { type MutingCategory, mutingCategories, mutingSchema } from "../../../schema/muting.ts";
import {
  apiTokenSchema,
  basicAuthSchema,
  guestAccountSchema,
  newReceiverSchema,
  personSchema,
} from "../../request-attributes.ts";
import { responseAttributes } from "../attributes.ts";
import {
  count,
  each,
  guestToken,
  maybeTimestamp,
  members,
  milliseconds,
  numericId,
  orNull,
  type ResourceSchema,
  timestamp,
  uuid,
} from "./parts.ts";

const inserted_at = timestamp("When it was created.");
const updated_at = timestamp("When it last changed.");

export const device = {
  description: "A viewport to emulate for the accessibility checks.",
  id: { type: "string", description: "A UUID; empty for the default device." },
  attributes: members({
    name: { type: "string" },
    width: { ...count, description: "Viewport in CSS pixels." },
    height: count,
    device_scale_factor: { type: "number" },
    is_mobile: { type: "boolean" },
    is_landscape: { type: "boolean" },
    has_touch: { type: "boolean" },
    user_agent: { type: "string", description: "Empty for the browser's own." },
  }),
  relationships: { always: [] },
} as const satisfies ResourceSchema;

/** Members of the meta of the list of mutings. */
export const mutingMeta = {
  counts: orNull(
    members(
      {
        all: { ...count, description: "All mutings." },
        findings: { ...count, description: "The findings that they silence now, together." },
        categories: members(each(Object.keys(mutingCategories) as MutingCategory[], () => count)),
        ends_soon: { ...count, description: "Those that end within two weeks." },
        matches_nothing: { ...count, description: "Those that silence nothing now." },
      },
      { description: "How many mutings there are, whatever the filters; null unless now asks for it." },
    ),
  ),
} as const;

export const muting = {
  description: "A rule that silences the issues that match it.",
  id: numericId,
  attributes: members(
    {
      id: { type: "integer", minimum: 1, description: "The resource's id as a number." },
      ...responseAttributes(mutingSchema.properties),
      created_by: {
        type: ["string", "null"],
        description: "The name of the token by which it was created; null for one that is older than that.",
      },
      now: members(
        {
          findings: { ...count, description: "How many findings it silences." },
          none_since: maybeTimestamp(
            "When the first report ended that has nothing for it any more; null while it silences something, and when no report that is kept had something.",
          ),
          title: { type: ["string", "null"], description: "The title of their rule; null where no rule is known." },
          impact: { type: ["string", "null"], enum: [...impacts, null], description: "That of the example." },
          example: orNull(
            members(
              {
                report_id: uuid,
                component: { type: "string", description: "As filter[component] of the report's findings takes it." },
                rule: { type: ["string", "null"], description: "The engine's name for it." },
                url: { type: "string", description: "The address of its page." },
                selector: { type: ["string", "null"], description: "That of its element." },
              },
              { description: "One of the findings; null where it silences nothing." },
            ),
          ),
        },
        { description: "In the newest report of the whole of each site; only of mutings that are read." },
      ),
      guest_token: guestToken,
      inserted_at,
      updated_at,
    },
    // Readers of a shared report see none of them, and what is silenced now is not said of a change.
    { optional: ["guest_token", "reason", "created_by", "now"] },
  ),
  relationships: { always: [], optional: ["guest_account"] },
} as const satisfies ResourceSchema;

export const mutingPreview = {
  description: "What a muting would silence.",
  id: { type: "string", description: "The id of the report that was named, or latest." },
  attributes: members({
    findings: { ...count, description: "Affected elements that count now and no longer would." },
    errors: { ...count, description: "Those of them that count as errors." },
    issues: { ...count, description: "Issues of pages that would have fewer elements, or none." },
    pages: { ...count, description: "Pages of those issues." },
    reports: { ...count, description: "The number of reports that were checked: a page counts in each of them." },
    num_sites: { ...count, description: "The number of sites that have results, or that are named by report_id." },
    complete: {
      type: "boolean",
      description:
        "All of them were checked: otherwise a limit of reports or time was reached, and the rest is unknown.",
    },
    sites: {
      type: "array",
      description: "Those of the reports in which it would silence something.",
      items: members({
        report_id: uuid,
        starting_url: { type: "string", description: "The site." },
        ...each(["findings", "errors", "issues", "pages"], () => count),
        report_errors: { ...count, description: "The errors that the report counts now." },
        passes: {
          type: ["boolean", "null"],
          description:
            "Whether the report passes by what counts now; null without a gate, before its end, and with muting_id.",
        },
        would_pass: {
          type: ["boolean", "null"],
          description: "Whether it would pass with this muting; null likewise.",
        },
      }),
    },
  }),
  relationships: { always: [] },
} as const satisfies ResourceSchema;

export const guestAccount = {
  description: "A person who uses the account's credits, up to a monthly limit.",
  id: { type: "string", description: "The guest token." },
  attributes: members({
    invitation_url: {
      type: ["string", "null"],
      description:
        "The page on which the guest accepts the invitation; null after that, and for callers who may not see it. Only its path if the service does not know its address: then its operator has to set BASE_URL.",
    },
    ...responseAttributes(guestAccountSchema.properties),
    guest: orNull(
      members(
        { name: { type: ["string", "null"] }, email: { type: ["string", "null"] } },
        { description: "Who accepted the invitation; null before." },
      ),
    ),
    inserted_at,
    updated_at,
    accepted_at: maybeTimestamp("When the invitation was accepted."),
  }),
  relationships: { always: ["reports"] },
} as const satisfies ResourceSchema;

export const apiToken = {
  description: "A credential for this API.",
  id: uuid,
  attributes: members(
    {
      ...responseAttributes(apiTokenSchema.properties),
      token: { type: "string", description: "The secret itself; only in the response to the request that created it." },
      guest_token: guestToken,
      shown: {
        type: ["string", "null"],
        description: "Its first and last signs, by which it can be told from others; null for the first token.",
      },
      made_by: {
        type: ["string", "null"],
        description: "The person who made it, with whom it ends; null for one of the account itself.",
      },
      last_used_at: maybeTimestamp("The last request that it was accepted for, to within a minute."),
      last_used_from: { type: ["string", "null"], description: "The address that this request came from." },
      recent_requests: {
        type: "integer",
        minimum: 0,
        description: "How many requests it was accepted for in the last 30 days, to within a minute.",
      },
      inserted_at,
    },
    { optional: ["token", "guest_token"] },
  ),
  relationships: { always: [], optional: ["guest_account"] },
} as const satisfies ResourceSchema;

export const person = {
  description: "Somebody who signs in to the pages.",
  id: uuid,
  attributes: members(
    {
      mail: { type: "string", description: "In lower case." },
      name: { type: "string" },
      role: { type: ["string", "null"], enum: [...roles, null], description: "What an owner gave; null for nothing." },
      group_role: {
        type: ["string", "null"],
        enum: [...roles, null],
        description: "What groups of the sign-in provider give since the last sign-in. The higher role counts.",
      },
      groups: { type: "array", items: { type: "string" }, description: "Those groups." },
      sites: {
        type: "array",
        items: members({
          site_id: { type: "string", pattern: "^[0-9a-f]{32}$" },
          starting_url: { type: "string" },
          name: { type: ["string", "null"] },
          role: { type: "string", enum: siteRoles },
          given_by: { type: "string", description: "The name of who gave it." },
          given_at: timestamp("When it was given."),
        }),
        description:
          "Roles on single sites, which an owner gave, by the name of the site. They count where they are higher, and end with the last report of the site.",
      },
      ends_at: maybeTimestamp("When the access ends."),
      has_password: { type: "boolean" },
      has_second_factor: { type: "boolean" },
      has_provider: { type: "boolean", description: "Whether the person has signed in by the provider." },
      awaits_provider: personSchema.properties.awaits_provider,
      invited_by: { type: ["string", "null"] },
      invitation_ends_at: maybeTimestamp("Until when the invitation can be accepted; null once it is."),
      invitation_url: {
        type: "string",
        description: "The page on which it is accepted; only in the response to the request that made it.",
      },
      send_invitation: { type: "boolean", description: "Whether the service sends the invitation by mail." },
      invitation_mail: orNull(
        members(
          {
            state: { type: "string", enum: ["waiting", "sent", "refused"] },
            answer: {
              type: ["string", "null"],
              description: "What the mail server said last, or why there is no answer; null before the first attempt.",
            },
            asked_at: timestamp("When it was asked for."),
          },
          { description: "What became of it; null for an invitation that is not sent by mail." },
        ),
      ),
      num_tokens: { ...count, description: "Tokens that the person made, which end with it." },
      num_assignments: { ...count, description: "Sites, sections and causes that the person has." },
      last_seen_at: maybeTimestamp("When the person last did something, to within a few minutes."),
      inserted_at,
    },
    { optional: ["invitation_url"] },
  ),
  relationships: { always: ["sessions"] },
} as const satisfies ResourceSchema;

/** Members of the meta of the list of people. */
export const peopleMeta = {
  invited: { ...count, description: "How many have not accepted yet." },
  max: { ...count, description: "How many an account has at most." },
} as const;

export const session = {
  description: "A browser in which a person, or a token, is signed in to the pages.",
  id: uuid,
  attributes: members({
    holder_id: { ...uuid, description: "The id of the person, or of the token." },
    user_agent: { type: ["string", "null"], description: "What the browser says that it is." },
    address: { type: ["string", "null"], description: "From where it signed in." },
    inserted_at: timestamp("When it signed in."),
    last_used_at: timestamp("When it was last used, to within a few minutes."),
    expires_at: timestamp("When it ends."),
  }),
  relationships: { always: [] },
} as const satisfies ResourceSchema;

export const shareLink = {
  description: "A link that opens a report, or the numbers of a site, to everybody who has it, until it ends.",
  id: uuid,
  attributes: members(
    {
      report_id: { type: ["string", "null"], format: "uuid", description: "The report that it opens, or null." },
      site_id: {
        type: ["string", "null"],
        pattern: "^[0-9a-f]{32}$",
        description: "The site whose numbers it shows, or null.",
      },
      expires_at: timestamp("When it ends."),
      secret: {
        type: "string",
        description: "What opens it; only in the responses to the requests that made it.",
      },
      guest_token: guestToken,
      inserted_at,
    },
    { optional: ["secret", "guest_token"] },
  ),
  relationships: { always: [], optional: ["report", "site"] },
} as const satisfies ResourceSchema;

const { url: ofReceiver, ...ofReceivers } = responseAttributes(newReceiverSchema.properties);
export const receiver = {
  description: "Somebody who hears of what happens: a program, a channel or addresses of mail.",
  id: uuid,
  attributes: members(
    {
      ...ofReceivers,
      url: { ...ofReceiver, description: "What may be shown of its address; null for mail." },
      unsubscribed: { type: "array", items: { type: "string" }, description: "Addresses that have ended their mails." },
      schedule_id: {
        type: ["string", "null"],
        format: "uuid",
        description:
          "The schedule whose resource on the cluster declares it: it hears of its runs alone, and is changed there. null for others.",
      },
      state: {
        type: "string",
        enum: ["works", "failing", "disabled"],
        description:
          "`works`: the last message arrived, or none was sent. `failing`: the last one did not. `disabled`: it is switched off, or nothing arrived for seven days.",
      },
      failing_since: maybeTimestamp("Since when nothing arrives."),
      disabled_at: maybeTimestamp("When it was switched off."),
      last_delivered_at: maybeTimestamp("When a message arrived last."),
      last_delivered_status: { type: ["integer", "null"], description: "The status of the answer to it." },
      last_delivered_took_ms: milliseconds("How long it took until that answer."),
      waiting: { ...count, description: "Messages that wait, with one that fails." },
      missed: { ...count, description: "Messages of the last 7 days that were not sent because it is switched off." },
      secret_shown: {
        type: ["string", "null"],
        description:
          "The first and last signs of its secret, by which it can be told from others; null for what is not signed, and for one that a schedule declares.",
      },
      secret_at: maybeTimestamp("Since when it has its secret; null for what is not signed."),
      secret: {
        type: "string",
        description: "What messages are signed with; only in the responses to the requests that made it.",
      },
      inserted_at,
      updated_at,
    },
    { optional: ["secret"] },
  ),
  relationships: { always: ["deliveries"] },
} as const satisfies ResourceSchema;

export const delivery = {
  description: "A message to a receiver, with what became of it.",
  id: uuid,
  attributes: members(
    {
      type: { type: "string", enum: messageNames, description: "What it is about." },
      title: { type: "string", description: "What happened, in a line." },
      site_url: { type: ["string", "null"], description: "The starting URL of the site, where it is about one." },
      state: {
        type: "string",
        enum: deliveryStates,
        description:
          "`collected`: for the next digest. `waiting`: for its time, or for the one before it. `failing`: it is tried again. `given_up`: by a person, or after the last try. `missed`: its receiver is switched off.",
      },
      attempts: { ...count, description: "Requests made." },
      last_status: { type: ["integer", "null"], description: "The status of the last answer; null without one." },
      last_answer: {
        type: ["string", "null"],
        description: "The beginning of the last answer, or why there was none.",
      },
      last_took_ms: milliseconds("How long the last attempt took."),
      next_at: maybeTimestamp("When the next attempt is made at the earliest."),
      occurred_at: timestamp("When it happened."),
      ended_at: maybeTimestamp("When it was delivered or given up."),
      requests: {
        type: "array",
        description: "Each attempt; of a single delivery.",
        items: members({
          number: { type: "integer", minimum: 1 },
          began_at: timestamp("When it began."),
          took_ms: { type: "integer", minimum: 0 },
          status: { type: ["integer", "null"] },
          answer: { type: "string" },
        }),
      },
      sent: {
        description: "The last request, without what gives access; of a single delivery.",
        anyOf: [
          { type: "null" },
          members({
            headers: { type: "object", additionalProperties: { type: "string" } },
            body: { type: "string" },
          }),
        ],
      },
    },
    { optional: ["requests", "sent"] },
  ),
  relationships: { always: ["receiver"] },
} as const satisfies ResourceSchema;

// The password is never shown, nor the values of headers.
const { password: _, ...storedCredentials } = responseAttributes(basicAuthSchema.properties);
const headers = { ...storedCredentials.headers, items: members({ name: { type: "string" } }) };
const sign_in = {
  ...members({
    steps: {
      type: "array",
      items: { type: "string" },
      description: "What the steps do, without the values that they type.",
    },
  }),
  type: ["object", "null"],
  description: basicAuthSchema.properties.sign_in.description,
} as const;

export const basicAuth = {
  description:
    "Stored credentials for a site, by Basic HTTP Authentication or by headers; their secrets are never shown.",
  id: uuid,
  attributes: members(
    {
      ...storedCredentials,
      headers,
      sign_in,
      guest_token: guestToken,
      inserted_at,
      updated_at,
    },
    { optional: ["guest_token"] },
  ),
  relationships: { always: [], optional: ["guest_account"] },
} as const satisfies ResourceSchema;

const credits = {
  limit: { type: ["integer", "null"], description: "Credits per month; null means no limit." },
  charged: { ...count, description: "Engine runs that ended with a result." },
  reserved: { ...count, description: "Engine runs that have not ended." },
  left: { type: ["integer", "null"], minimum: 0, description: "null for no limit." },
} as const;

const yearAndMonth = { type: "string", pattern: "^[0-9]{4}-[0-9]{2}$" } as const;

export const usage = {
  description: "How many of this month's credits are used, and how many were in the months before it.",
  id: yearAndMonth,
  attributes: members(
    {
      month: yearAndMonth,
      ...credits,
      months: {
        type: "array",
        items: members({ month: yearAndMonth, charged: credits.charged }),
        description: "The last twelve months, the oldest of them first, also those without use.",
      },
      storage: members(
        {
          bytes: { type: "integer", minimum: 0, description: "The bytes that the results of its reports take." },
          limit: {
            type: ["integer", "null"],
            description: "Beyond this, no new reports are created; null means no limit.",
          },
        },
        { description: "The account's storage; left out for a caller who is a guest." },
      ),
      guests: {
        type: "array",
        items: members({ guest_token: { type: "string" }, ...credits }),
        description: "The usage of each guest; left out for a caller who is a guest.",
      },
    },
    { optional: ["guests", "storage"] },
  ),
  relationships: { always: ["guest_accounts"] },
} as const satisfies ResourceSchema;
