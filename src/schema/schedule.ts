import type { FromSchema } from "json-schema-to-ts";
import { type NamesOf, rows, type SchemaOf, type SettingName, settings } from "../settings/index.ts";
import { notificationsSchema } from "./notifications.ts";
import type { SpecRule } from "./rules.ts";

type RunProperties = {
  readonly [Name in Exclude<SettingName, NamesOf<{ schedule: false }>>]: SchemaOf<Name>;
};

/** The settings of a run, with the defaults of a schedule. */
const run = Object.fromEntries<unknown>(
  rows.flatMap(({ name, setting: { schema, schedule } }) =>
    schedule === false ? [] : [[name, { ...schema, ...schedule }]],
  ),
) as RunProperties;
const { maxPages, rateLimit } = settings;

export const weekdays = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"] as const;

/** A pattern for values that are separated by commas. */
function oneOrMore(value: string): string {
  return `${value}( *, *${value})*`;
}

/** When a schedule runs. `every: deploy` means that only its deploy hook starts it. */
export const periodicitySchema = {
  type: "object",
  description: "When the schedule runs; with every: deploy only the deploy hook starts it.",
  required: ["every"],
  additionalProperties: false,
  properties: {
    every: {
      type: "string",
      enum: ["day", "week", "month", "deploy"],
      description: "How often the schedule runs.",
    },
    weekday: {
      type: "string",
      maxLength: 100,
      pattern: `^${oneOrMore(`(${weekdays.join("|")})`)}$`,
      description: "Day of the week, or several as in monday,thursday; only with every: week; monday by default.",
    },
    monthday: {
      type: "integer",
      minimum: 1,
      maximum: 28,
      description: "Day of the month, only with every: month; 1 by default.",
    },
    at: {
      type: "string",
      maxLength: 200,
      pattern: `^${oneOrMore("([01][0-9]|2[0-3]):[0-5][0-9]")}$`,
      description:
        "Time of day as HH:MM, or several as in 06:30,18:00; by default each schedule has its own time, and these are spread evenly over the day.",
    },
    timeZone: {
      type: "string",
      maxLength: 60,
      pattern: "^[A-Za-z][A-Za-z0-9_+-]*(/[A-Za-z0-9_+-]+)*$",
      description:
        "Time zone of at, such as Europe/Berlin (IANA); UTC by default. A time that a clock skips is the next one that it shows; one that it shows twice is the first.",
    },
  },
} as const;

/**
 * `spec` of a Schedule resource, with the defaults of a schedule. A report is started to look at something now, so it
 * covers a few pages, gently; a schedule watches a site, so it covers more of it.
 */
export const scheduleSpecSchema = {
  type: "object",
  description: `A report's definition and when to run it. Its defaults cover more of a site than a Report's, which is created to check something now: ${maxPages.schedule.default} pages instead of ${maxPages.schema.default}, ${rateLimit.schedule.default} requests per second instead of ${rateLimit.schema.default}, and accessibility checks.`,
  required: ["startingUrl", "periodicity"],
  additionalProperties: false,
  properties: {
    ...run,
    periodicity: periodicitySchema,
    active: { type: "boolean", default: true, description: "Only active schedules run." },
    previewHosts: {
      type: "array",
      items: {
        type: "string",
        minLength: 1,
        maxLength: 253,
        pattern: "^[-a-z0-9_.]*([*][-a-z0-9_.]*){0,2}(:[0-9]{1,5})?$",
      },
      maxItems: 20,
      default: [],
      description:
        "Hosts of previews, such as pr-*.example.com, where * is any text without a dot. A call of the deploy hook may name a starting_url there: it starts a report of that URL with the schedule's definition, compared with the schedule's last whole run. Credentials stay with their own host.",
    },
    historyLimit: {
      type: "integer",
      minimum: 0,
      maximum: 100,
      default: 3,
      description:
        "How many finished Reports of the schedule are kept as resources; the results of all reports are kept in any case.",
    },
    notifications: notificationsSchema,
  },
} as const;

export type Periodicity = FromSchema<typeof periodicitySchema>;
export type ScheduleSpec = FromSchema<typeof scheduleSpecSchema>;

/** Rules of a Schedule in addition to targetRules. */
export const scheduleRules: readonly SpecRule<Pick<ScheduleSpec, "periodicity" | "notifications">>[] = [
  {
    name: "weekday-with-week",
    field: "periodicity",
    property: "weekday",
    message: "periodicity.weekday may be given only with every: week.",
    cel: "!has(self.periodicity.weekday) || self.periodicity.every == 'week'",
    holds: ({ periodicity }) => periodicity.weekday === undefined || periodicity.every === "week",
  },
  {
    name: "monthday-with-month",
    field: "periodicity",
    property: "monthday",
    message: "periodicity.monthday may be given only with every: month.",
    cel: "!has(self.periodicity.monthday) || self.periodicity.every == 'month'",
    holds: ({ periodicity }) => periodicity.monthday === undefined || periodicity.every === "month",
  },
  {
    name: "no-time-with-deploy",
    field: "periodicity",
    property: "at",
    message: "periodicity.at may not be given with every: deploy, which runs when the hook is called.",
    cel: "!has(self.periodicity.at) || self.periodicity.every != 'deploy'",
    holds: ({ periodicity }) => periodicity.at === undefined || periodicity.every !== "deploy",
  },
  {
    name: "time-zone-with-time",
    field: "periodicity",
    property: "timeZone",
    message: "periodicity.timeZone may be given only with periodicity.at.",
    cel: "!has(self.periodicity.timeZone) || has(self.periodicity.at)",
    holds: ({ periodicity }) => periodicity.timeZone === undefined || periodicity.at !== undefined,
  },
  {
    name: "address-by-kind",
    field: "notifications",
    message:
      "notifications of the kind mail have mailAddresses and no secret; others have a secret and no mailAddresses.",
    cel: "!has(self.notifications) || self.notifications.all(one, one.kind == 'mail' ? has(one.mailAddresses) && size(one.mailAddresses) > 0 && !has(one.secret) : has(one.secret) && !has(one.mailAddresses))",
    holds: ({ notifications = [] }) =>
      notifications.every(({ kind, secret, mailAddresses }) =>
        kind === "mail"
          ? (mailAddresses ?? []).length > 0 && secret === undefined
          : secret !== undefined && mailAddresses === undefined,
      ),
  },
];

/** Whether the runtime knows a time zone of this name. */
export function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat("en", { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

/** What is wrong with the time zone of a schedule; undefined for nothing. No rule of a CRD knows the names. */
export function timeZoneFault({ periodicity }: { periodicity?: { timeZone?: unknown } | null }): string | undefined {
  const { timeZone } = periodicity ?? {};
  if (typeof timeZone !== "string" || isTimeZone(timeZone)) return undefined;
  return `${timeZone} is no time zone; it must be a name of the IANA database, such as Europe/Berlin or UTC`;
}
