import { Ajv, type ValidateFunction } from "ajv";
import type { FromSchema } from "json-schema-to-ts";
import {
  grantNames,
  MAX_PAGES_OF_BOUNDED_RUN,
  type Role,
  roles,
  type SiteRole,
  siteRoles,
  type TokenGrant,
} from "../domain/accounts/roles.ts";
import { MAX_TOKEN_DAYS } from "../domain/accounts/token-ends.ts";
import { AUDIT_DAYS } from "../domain/audit/kept.ts";
import { answerOutcomes } from "../domain/conformance/judge-site.ts";
import {
  HEADER_NAME,
  HEADER_VALUE,
  MAX_HEADER_BYTES,
  MAX_HEADER_NAME,
  MAX_HEADERS,
} from "../domain/headers/site-headers.ts";
import { type EventType, eventNames, eventTypes } from "../domain/notifications/events.ts";
import { type Digest, digests, type ReceiverKind, receiverKinds } from "../domain/notifications/receivers.ts";
import { type Part, parts } from "../domain/retention/decide.ts";
import { type Limits, limitMaxima } from "../domain/retention/limits.ts";
import { MAX_MAIL_ADDRESSES } from "../schema/notifications.ts";
import { ownSchemas } from "../schema/own-schemas.ts";
import { LISTED_MAIL_PATTERN, MAIL_PATTERN } from "../schema/pattern-words.ts";
import { fromAjv } from "../schema/validate.ts";
import type { Violation } from "../schema/violation.ts";
import { MAX_STEPS } from "../settings/steps.ts";

/**
 * What requests may set on the API's resources that are not custom resources, with the API's
 * names. These schemas validate `data.attributes` of a POST or PATCH, and the OpenAPI
 * document contains them.
 */

const MAX_CREDITS = 1_000_000_000;
const UUID = "^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$";
const text = (maxLength: number) => ({ type: "string", minLength: 1, maxLength, pattern: "\\S" }) as const;

/** A time, as far as a pattern can say that; without an offset it is in UTC. */
const DATE_TIME = "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}([.][0-9]{1,9})?(Z|[+-][0-9]{2}:[0-9]{2})?$";

const MAX_SITES_OF_TOKEN = 1_000;

const tokenEnd = {
  type: ["string", "null"],
  pattern: DATE_TIME,
  description: `When it is not accepted any more; a time without an offset is in UTC. In the future, and at most ${MAX_TOKEN_DAYS} days away; null for no end.`,
} as const;

export const apiTokenSchema = {
  type: "object",
  required: ["name"],
  additionalProperties: false,
  properties: {
    name: { ...text(100), description: "What the token is for." },
    scope: {
      type: "string",
      enum: ["read", "write"],
      default: "read",
      description: "`read`: nothing but what reads. Of a token with `may` it follows from that, and is left out.",
    },
    may: {
      type: ["array", "null"],
      minItems: 1,
      maxItems: grantNames.length,
      items: { type: "string", enum: grantNames },
      description: `What it is bounded to. \`read\`: read reports, pages and exports. \`run\`: start runs of schedules that exist, or of up to ${MAX_PAGES_OF_BOUNDED_RUN} pages. \`write\`: change schedules, mutings and receivers. \`all\`: everything but people, roles and tokens. null: its scope alone bounds it.`,
    },
    site_urls: {
      type: ["array", "null"],
      minItems: 1,
      maxItems: MAX_SITES_OF_TOKEN,
      items: text(2_000),
      description:
        "Starting URLs of the sites that it is for, besides those with one of the tags; all sites when both are null. Only with `may`, and not for guests.",
    },
    site_tags: {
      type: ["array", "null"],
      minItems: 1,
      maxItems: 20,
      items: text(100),
      description: "Tags of the sites that it is for: those that have one of them when it asks.",
    },
    expires_at: tokenEnd,
  },
} as const;
export type ApiTokenAttributes = {
  name: string;
  scope: "read" | "write";
  may?: TokenGrant[] | null;
  site_urls?: string[] | null;
  site_tags?: string[] | null;
  expires_at?: string | null;
};

export const apiTokenChangeSchema = {
  type: "object",
  required: ["expires_at"],
  additionalProperties: false,
  properties: { expires_at: tokenEnd },
} as const;
export type ApiTokenChange = FromSchema<typeof apiTokenChangeSchema>;

const personProperties = {
  name: { ...text(100), description: "As others see it." },
  role: {
    type: ["string", "null"],
    enum: [...roles, null],
    description:
      "What the person may do on all sites; null for nothing but what a group of the sign-in provider gives, and what it may do on single sites.",
  },
  ends_at: {
    type: ["string", "null"],
    pattern: DATE_TIME,
    description: "When the access ends; a time without an offset is in UTC. In the future, or null for no end.",
  },
} as const;

const MAX_SITE_ROLES = 1_000;
const sitesOfPerson = {
  sites: {
    type: "array",
    maxItems: MAX_SITE_ROLES,
    items: {
      type: "object",
      required: ["site_id", "role"],
      additionalProperties: false,
      properties: {
        site_id: { type: "string", pattern: "^[0-9a-f]{32}$", description: "The id of a site of the account itself." },
        role: { type: "string", enum: siteRoles },
      },
    },
    description:
      "What the person may do on single sites, besides role, which holds on all of them: the higher counts. Those that are given replace all that were there. Without role, the person sees these sites alone.",
  },
} as const;

export const newPersonSchema = {
  type: "object",
  required: ["mail", "role"],
  additionalProperties: false,
  properties: {
    mail: {
      type: "string",
      maxLength: 254,
      pattern: MAIL_PATTERN,
      description: "The mail address with which the person signs in. Its case does not matter.",
    },
    send_invitation: {
      type: "boolean",
      default: false,
      description: "Whether the service sends a link of the invitation to this address, too.",
    },
    ...personProperties,
    ...sitesOfPerson,
  },
} as const;
export type NewPersonAttributes = {
  mail: string;
  send_invitation: boolean;
  name?: string;
  role: Role | null;
  ends_at?: string | null;
  sites?: { site_id: string; role: SiteRole["role"] }[];
};

export const personSchema = {
  type: "object",
  additionalProperties: false,
  properties: {
    ...personProperties,
    ...sitesOfPerson,
    awaits_provider: {
      type: "boolean",
      description:
        "Whether the next sign-in by the provider with this mail address, verified, is this person's. An invited person needs no such decision.",
    },
  },
} as const;
export type PersonAttributes = Partial<Omit<NewPersonAttributes, "mail">> & { awaits_provider?: boolean };

/** A day of the calendar, as far as a pattern can say that. */
const day = { type: ["string", "null"], pattern: "^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$" } as const;

const MAX_SITE_TAGS = 50;
export const siteSchema = {
  type: "object",
  additionalProperties: false,
  properties: {
    name: { ...text(200), type: ["string", "null"], description: "What people call the site." },
    owner: {
      ...text(200),
      type: ["string", "null"],
      description:
        "Who has the site, by a name that stands for itself; POST /assignments gives it to people. A name that somebody has who has it already changes nothing.",
    },
    tags: {
      type: "array",
      items: { type: "string", minLength: 1, maxLength: 100, pattern: "^[^,]*\\S[^,]*$" },
      maxItems: MAX_SITE_TAGS,
      description: "Of the site, not of its reports: words to filter by.",
    },
    target_score: {
      type: ["integer", "null"],
      minimum: 1,
      maximum: 100,
      description: "The score that the site is to have; null without one.",
    },
    target_on: { ...day, description: "The day by which, in UTC; null without one." },
  },
} as const;
export type SiteAttributes = FromSchema<typeof siteSchema>;

export const pageViewsSchema = {
  type: "object",
  required: ["file"],
  additionalProperties: false,
  properties: {
    file: {
      type: "string",
      minLength: 1,
      description:
        "The text of a table with commas, semicolons or tabs, with a row for each page: the columns path and views, or what Matomo (label, pageviews, with its names of columns in English) or Plausible (name, visitors, pageviews) export of pages.",
    },
  },
} as const;
export type PageViewsAttributes = FromSchema<typeof pageViewsSchema>;

const holderId = { type: "string", pattern: UUID } as const;
export const causeSchema = {
  type: "object",
  additionalProperties: false,
  properties: {
    assignee: {
      ...text(200),
      type: ["string", "null"],
      description:
        "Who mends it, by a name that stands for itself, such as an agency's; null when nobody does any more.",
    },
    person_id: { ...holderId, description: "Or a person of the account." },
    team_id: { ...holderId, description: "Or a team of the account." },
    due_on: { ...day, description: "The day by which it is mended, in UTC; null without one." },
    note: { ...text(1_000), type: ["string", "null"], description: "For example a ticket." },
    done: {
      type: "boolean",
      description:
        "Whether it is said to be done. A report that is created later and has it still says that it is not.",
    },
  },
} as const;
export type CauseAttributes = FromSchema<typeof causeSchema>;

export const assignmentSchema = {
  type: "object",
  required: ["site_id"],
  additionalProperties: false,
  properties: {
    site_id: { type: "string", pattern: "^[0-9a-f]{32}$", description: "The site." },
    path: {
      type: "string",
      maxLength: 2_000,
      pattern: "^/([^/?#\\s]+/)?$",
      description:
        "The section of it, such as /docs/; / for pages that are in no folder. Without it, the site as a whole.",
    },
    ...causeSchema.properties,
  },
} as const;
export type AssignmentAttributes = FromSchema<typeof assignmentSchema>;

const teamProperties = {
  name: { ...text(200), description: "How people call the team; no other team of the account has the name." },
  member_ids: {
    type: "array",
    items: holderId,
    maxItems: 1_000,
    description: "The people who are in it, all of them.",
  },
} as const;
export const newTeamSchema = {
  type: "object",
  required: ["name"],
  additionalProperties: false,
  properties: teamProperties,
} as const;
export type NewTeamAttributes = FromSchema<typeof newTeamSchema>;

export const teamSchema = { type: "object", additionalProperties: false, properties: teamProperties } as const;
export type TeamAttributes = FromSchema<typeof teamSchema>;

export const siteCriterionSchema = {
  type: "object",
  additionalProperties: false,
  properties: {
    outcome: {
      type: ["string", "null"],
      enum: [...answerOutcomes, null],
      description:
        "What a person says of it on this site: it is met on all pages that were looked at, it is not met somewhere, or nothing on the site is what it is about; null takes the answer back.",
    },
    evidence: { ...text(4_000), type: ["string", "null"], description: "What was seen; it stands in exports." },
    answered_by: {
      ...text(200),
      type: "string",
      description: "A person, a team or an agency. Required with an outcome.",
    },
    due_on: { ...day, description: "Of a failure: the day by which it is mended, in UTC; null without one." },
    pages: {
      type: "array",
      maxItems: 100,
      description: "The pages that were looked at, and what each of them says.",
      items: {
        type: "object",
        additionalProperties: false,
        required: ["url", "outcome"],
        properties: {
          url: { type: "string", minLength: 1, maxLength: 2_000 },
          outcome: { type: "string", enum: answerOutcomes },
        },
      },
    },
  },
} as const;
export type SiteCriterionAttributes = FromSchema<typeof siteCriterionSchema>;

export const statementSchema = {
  type: "object",
  additionalProperties: false,
  properties: {
    operator: { ...text(200), type: ["string", "null"], description: "Whose site it is." },
    contact: {
      ...text(300),
      type: ["string", "null"],
      description: "Where people write when something does not work: an address of mail, or of a form.",
    },
    answer_within_days: {
      type: ["integer", "null"],
      minimum: 1,
      maximum: 365,
      description: "Until they get an answer.",
    },
  },
} as const;
export type StatementAttributes = FromSchema<typeof statementSchema>;

const linkEnd = {
  type: "string",
  pattern: DATE_TIME,
  description: "When it ends; a time without an offset is in UTC. In the future, and at most 366 days away.",
} as const;
export const shareLinkSchema = {
  type: "object",
  required: ["expires_at"],
  additionalProperties: false,
  properties: { expires_at: linkEnd },
} as const;
export type ShareLinkAttributes = FromSchema<typeof shareLinkSchema>;

export const newShareLinkSchema = {
  type: "object",
  required: ["expires_at"],
  additionalProperties: false,
  properties: {
    report_id: {
      type: "string",
      pattern: UUID,
      description: "The report that it opens, with everything below it.",
    },
    site_id: {
      type: "string",
      pattern: "^[0-9a-f]{32}$",
      description: "Or the site whose numbers it shows, without its settings and reports.",
    },
    expires_at: linkEnd,
  },
} as const;
export type NewShareLinkAttributes = FromSchema<typeof newShareLinkSchema>;

const hearing = {
  name: { ...text(100), description: "What people call the receiver." },
  url: {
    ...text(2_000),
    type: ["string", "null"],
    description:
      "Where messages go, of webhooks and channels. It is stored encrypted; only its host is shown of a channel, and no query of a webhook. https://, and outside of the service's own network, unless its operator allows more.",
  },
  mail_addresses: {
    type: "array",
    maxItems: MAX_MAIL_ADDRESSES,
    items: { type: "string", maxLength: 254, pattern: LISTED_MAIL_PATTERN },
    description: "Of mail: each address gets its own, and can end it.",
  },
  events: {
    type: "array",
    minItems: 1,
    maxItems: eventNames.length,
    uniqueItems: true,
    items: { type: "string", enum: eventNames },
    description: eventNames
      .map((name) => `\`${name}\`: ${eventTypes[name].title.toLowerCase()}, ${eventTypes[name].when}`)
      .join("; ")
      .concat("."),
  },
  site_urls: {
    type: "array",
    maxItems: 100,
    items: text(2_000),
    description:
      "Starting URLs of the sites that it hears of, besides those with one of the tags. All sites when both are empty.",
  },
  tags: { type: "array", maxItems: 20, items: text(100), description: "Tags of the sites that it hears of." },
  digest: {
    type: "string",
    enum: Object.keys(digests) as Digest[],
    description: "`none`: each message at once. `daily`, `weekly`: collected in one, every day or on Mondays at 08:00.",
  },
  time_zone: { ...text(60), description: "Whose 08:00; UTC by default." },
} as const;

export const newReceiverSchema = {
  type: "object",
  required: ["kind", "name", "events"],
  additionalProperties: false,
  properties: {
    kind: {
      type: "string",
      enum: Object.keys(receiverKinds) as ReceiverKind[],
      description: Object.entries(receiverKinds)
        .map(([kind, form]) => `\`${kind}\`: ${form}`)
        .join("; ")
        .concat("."),
    },
    ...hearing,
    mail_addresses: { ...hearing.mail_addresses, default: [] },
    site_urls: { ...hearing.site_urls, default: [] },
    tags: { ...hearing.tags, default: [] },
    digest: { ...hearing.digest, default: "none" },
  },
} as const;
export type NewReceiverAttributes = Omit<Hearing, "url" | "time_zone"> & { kind: ReceiverKind } & Partial<
    Pick<Hearing, "url" | "time_zone">
  >;

export const receiverSchema = {
  type: "object",
  additionalProperties: false,
  properties: {
    ...hearing,
    enabled: {
      type: "boolean",
      description: "false: nothing is sent to it; what happens meanwhile is kept for 7 days.",
    },
    send_missed: { type: "boolean", description: "With enabled: true: what it missed is sent first." },
  },
} as const;
export type ReceiverAttributes = Partial<Hearing> & { enabled?: boolean; send_missed?: boolean };

type Hearing = {
  name: string;
  url: string | null;
  mail_addresses: string[];
  events: EventType[];
  site_urls: string[];
  tags: string[];
  digest: Digest;
  time_zone: string;
};

const kept = (name: keyof Limits, description: string) =>
  ({ type: ["integer", "null"], minimum: 1, maximum: limitMaxima[name], description }) as const;
export const retentionSchema = {
  type: "object",
  additionalProperties: false,
  properties: {
    report_days: kept("report_days", "Days after which a report is deleted; null keeps reports for ever."),
    schedule_runs: kept("schedule_runs", "How many reports of one schedule are kept, the newest; null keeps all."),
    picture_days: kept(
      "picture_days",
      "Days after which a report loses its screenshots and the pictures of elements; null keeps them as long as the report.",
    ),
    raw_days: kept(
      "raw_days",
      "Days after which a report loses its raw checks, the engines' own output; null keeps them as long as the report.",
    ),
    audit_days: {
      type: "integer",
      minimum: AUDIT_DAYS.least,
      maximum: AUDIT_DAYS.most,
      description: `Days after which an entry of the audit log is deleted. Default: ${AUDIT_DAYS.usual}.`,
    },
  },
} as const;
export type RetentionAttributes = Partial<Limits> & { audit_days?: number };

const reportId = { type: "string", pattern: UUID } as const;
export const newPinSchema = {
  type: "object",
  required: ["report_id", "reason"],
  additionalProperties: false,
  properties: {
    report_id: { ...reportId, description: "The report that is to stay. It has ended." },
    reason: { ...text(300), description: "Why it stays: shown to everybody who reads the report." },
  },
} as const;
export type NewPinAttributes = FromSchema<typeof newPinSchema>;

/** The most reports that one deletion takes. */
const MAX_DELETED = 10_000;
export const newDeletionSchema = {
  type: "object",
  required: ["report_ids"],
  additionalProperties: false,
  properties: {
    report_ids: {
      type: "array",
      minItems: 1,
      maxItems: MAX_DELETED,
      uniqueItems: true,
      items: reportId,
      description: "Reports of the account, its guests' included.",
    },
    part: {
      type: "string",
      enum: parts,
      default: "report",
      description:
        "What of them is deleted: `report` all of it, for ever; `pictures` screenshots and the pictures of elements; `raw` raw checks.",
    },
  },
} as const;
export type NewDeletionAttributes = { report_ids: string[]; part: Part };

export const deletionSchema = {
  type: "object",
  required: ["stopped"],
  additionalProperties: false,
  properties: {
    stopped: { type: "boolean", const: true, description: "Stops it: what is left stays." },
  },
} as const;

export const newGuestAccountSchema = {
  type: "object",
  required: ["max_usage"],
  additionalProperties: false,
  properties: {
    max_usage: { type: "integer", minimum: 1, maximum: MAX_CREDITS, description: "Credits per month." },
  },
} as const;
export type NewGuestAccountAttributes = FromSchema<typeof newGuestAccountSchema>;

export const guestAccountSchema = {
  type: "object",
  additionalProperties: false,
  properties: {
    max_usage: newGuestAccountSchema.properties.max_usage,
    current_usage: {
      type: "integer",
      minimum: 0,
      maximum: MAX_CREDITS,
      description: "Credits used this month; set it to 0 to reset the usage.",
    },
  },
} as const;
export type GuestAccountAttributes = FromSchema<typeof guestAccountSchema>;

export const invitationSchema = {
  type: "object",
  required: ["name", "email"],
  additionalProperties: false,
  properties: {
    name: text(200),
    email: { type: "string", maxLength: 254, pattern: "^[^\\s@]+@[^\\s@]+$" },
  },
} as const;
export type InvitationAttributes = FromSchema<typeof invitationSchema>;

export const basicAuthSchema = {
  type: "object",
  required: ["host"],
  additionalProperties: false,
  properties: {
    host: {
      type: "string",
      maxLength: 260,
      pattern: "^([A-Za-z0-9_]([A-Za-z0-9_.-]*[A-Za-z0-9_])?|\\[[0-9A-Fa-f:.]+\\])(:[0-9]{1,5})?$",
      description:
        "The only host that the credentials are sent to: its name, and its port unless it is the default of the scheme, such as example.com:8443.",
    },
    username: {
      type: "string",
      nullable: true,
      minLength: 1,
      maxLength: 256,
      pattern: "^[^:\\u0000-\\u001f\\u007f]+$",
      description: "The user of Basic HTTP Authentication. null, with headers, for a site that does not use it.",
    },
    password: {
      type: "string",
      maxLength: 1_024,
      pattern: "^[^\\u0000-\\u001f\\u007f]*$",
      writeOnly: true,
      description: "The password of username. It is never shown.",
    },
    headers: {
      type: "array",
      maxItems: MAX_HEADERS,
      items: {
        type: "object",
        required: ["name", "value"],
        additionalProperties: false,
        properties: {
          name: { type: "string", minLength: 1, maxLength: MAX_HEADER_NAME, pattern: HEADER_NAME },
          value: { type: "string", minLength: 1, maxLength: MAX_HEADER_BYTES, pattern: HEADER_VALUE },
        },
      },
      writeOnly: true,
      description:
        "Headers of every request to the host, such as a token for previews; cookies are the header Cookie. Their values are never shown.",
    },
    sign_in: {
      type: "object",
      nullable: true,
      writeOnly: true,
      required: ["steps"],
      properties: {
        steps: {
          type: "array",
          maxItems: 2 * MAX_STEPS,
          items: { type: "object" },
          description:
            "The steps of a recording of Chrome's DevTools Recorder: navigate, click, doubleClick, hover, change, keyDown, keyUp, scroll, waitForElement and setViewport. $TOTP in a value is a one-time code.",
        },
        signed_in_when: {
          type: "object",
          description:
            "What is there when somebody has signed in: all that is given must be true. Without it, the last page must not ask to sign in.",
          properties: {
            selector: { type: "string" },
            text: { type: "string" },
            url: { type: "string", description: "A part of the address." },
            cookie: { type: "string", description: "A name." },
          },
        },
        signed_out_when: {
          type: "object",
          description:
            "What a page shows when the session has ended: all that is given must be true. A page that asks to sign in is known without it.",
          properties: {
            selector: { type: "string", description: "Looked for in a browser only." },
            text: { type: "string" },
            url: { type: "string", description: "A part of the address." },
          },
        },
        origins: {
          type: "array",
          maxItems: 20,
          items: { type: "string" },
          description:
            "Origins where something may be typed besides those of the steps' addresses, such as https://login.example.org of a single sign-on. Elsewhere nothing is typed, and nothing by http once a sign-in has begun by https.",
        },
        totp: { type: "string", description: "The secret of one-time codes (RFC 6238) in Base32." },
        variables: {
          type: "object",
          additionalProperties: { type: "string" },
          description:
            "Values by name: a step whose value is $SHOP_PASSWORD, or such a totp, gets that of SHOP_PASSWORD. So a recording can be kept elsewhere without its secrets. They are stored like what is typed.",
        },
      },
      description:
        "How somebody signs in: a recording of Chrome's DevTools Recorder as it is, or its steps. They are done in a browser of their own before pages are requested, and again when a page asks to sign in. The values that are typed are stored encrypted and never shown; responses say what the steps do.",
    },
  },
} as const;
export type BasicAuthAttributes = FromSchema<typeof basicAuthSchema>;

export const basicAuthChangeSchema = {
  type: "object",
  additionalProperties: false,
  properties: {
    ...basicAuthSchema.properties,
    host: {
      ...basicAuthSchema.properties.host,
      description: `${basicAuthSchema.properties.host.description} To change the host, send the password and the headers again.`,
    },
  },
} as const;
export type BasicAuthChangeAttributes = FromSchema<typeof basicAuthChangeSchema>;

export const webPageSchema = {
  type: "object",
  required: ["status"],
  additionalProperties: false,
  properties: { status: { type: "string", enum: ["pending"], description: "pending checks the page again." } },
} as const;
export type WebPageAttributes = FromSchema<typeof webPageSchema>;

const ajv = new Ajv({ ...ownSchemas, allErrors: true, useDefaults: true, verbose: true, strictTypes: false });

const MAX_VIOLATIONS = 50;

/** Attributes with defaults filled in, or every violation. */
type Parsed<Attributes> = { values: Attributes } | { violations: Violation[] };

/** Creates a function that validates a request's attributes and fills in defaults. */
export function attributesParser<Attributes>(
  schema: object,
): (attributes: Readonly<Record<string, unknown>>) => Parsed<Attributes> {
  let check: ValidateFunction<Attributes> | undefined;
  const { properties = {} } = schema as { properties?: Readonly<Record<string, { writeOnly?: boolean }>> };
  const secrets = new Set(Object.keys(properties).filter((name) => properties[name]?.writeOnly === true));
  return (attributes) => {
    check ??= ajv.compile<Attributes>(schema);
    const values: unknown = { ...attributes };
    if (check(values)) return { values };
    const bySource = new Map<string, Violation>();
    for (const error of check.errors ?? []) {
      const { field: _, ...violation } = fromAjv(error, secrets);
      const where = JSON.stringify(violation.source);
      if (!bySource.has(where)) bySource.set(where, violation);
    }
    return { violations: [...bySource.values()].slice(0, MAX_VIOLATIONS) };
  };
}
