import type { FromSchema, JSONSchema } from "json-schema-to-ts";
import { failureCodes } from "../../../domain/failure.ts";
import { impacts } from "../../../domain/findings/findings.ts";

/** A JSON Schema (2020-12) as in the OpenAPI document. */
export type Schema = Readonly<Record<string, unknown>>;

/** The values that a schema describes, if it is written `as const`. */
export type ValueOf<Of> = Of extends JSONSchema ? FromSchema<Of> : never;

/**
 * One resource in responses. Every attribute is listed: a response with an unlisted
 * attribute, or without a required one, does not validate.
 */
export type ResourceSchema = {
  description: string;
  id: Schema;
  attributes: Schema;
  /** Names of the related links; those under `optional` are left out where there is nothing to link to. */
  relationships: { always: readonly string[]; optional?: readonly string[] };
};

export const uuid = { type: "string", format: "uuid" } as const;
export const numericId = { type: "string", pattern: "^[1-9][0-9]{0,18}$" } as const;
export const count = { type: "integer", minimum: 0 } as const;
export const milliseconds = (description: string) => ({ type: ["integer", "null"], minimum: 0, description }) as const;
const TIME = "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}$";

/** UTC without a designator, so not an RFC 3339 `date-time`, which needs one. */
export const timestamp = (description: string) => ({ type: "string", pattern: TIME, description }) as const;
export const maybeTimestamp = (description: string) =>
  ({ type: ["string", "null"], pattern: TIME, description }) as const;

export type Properties = Readonly<Record<string, Schema>>;

/** The schema of an object of exactly these members, all of them required but `Optional`. */
export type Members<Of, Optional = never> = {
  readonly type: "object";
  readonly required: readonly Exclude<keyof Of, Optional>[];
  readonly additionalProperties: false;
  readonly properties: Of;
};

/** An object of exactly these members; those named in `optional` may be missing. */
export function members<const Of extends Properties, const Optional extends string = never>(
  properties: Of,
  { optional = [], description }: { optional?: readonly Optional[]; description?: string } = {},
): Members<Of, Optional> {
  const names: readonly string[] = optional;
  const required = Object.keys(properties).filter((name) => !names.includes(name));
  return {
    type: "object",
    ...(description !== undefined && { description }),
    required: required as Exclude<keyof Of, Optional>[],
    additionalProperties: false,
    properties,
  };
}

export function orNull<const Of extends Schema>(schema: Of) {
  return { anyOf: [schema, { type: "null" }] } as const;
}

/** The names in a table, as an `enum` lists them. */
export function namesIn<Table extends object>(table: Table): (keyof Table & string)[] {
  return Object.keys(table) as (keyof Table & string)[];
}

/** A schema for each of these names. */
export function each<const Name extends string, const Of extends Schema>(
  names: readonly Name[],
  schemaOf: (name: Name) => Of,
): Readonly<Record<Name, Of>> {
  return Object.fromEntries(names.map((name) => [name, schemaOf(name)])) as Record<Name, Of>;
}

/** The guest that something belongs to; left out for the account's own, and for readers of a shared report. */
export const guestToken = {
  type: "string",
  description: "The guest account that it belongs to; left out for the account's own.",
} as const;

const level = (name: string) => ({ ...count, description: `Errors and warnings of impact ${name}.` }) as const;

/** The levels add up to the total. */
export const severity = members(
  {
    ...each(impacts.toReversed(), level),
    total: members({ errors: count, warnings: count, total: count }),
  },
  { description: "Accessibility errors and warnings by impact, counted by affected element." },
);

export const failure = orNull(
  members(
    {
      code: { type: "string", enum: namesIn(failureCodes), description: "Stable, for programs." },
      detail: { type: "string", description: "What happened, as a sentence." },
    },
    { description: "Why it failed; null if it did not." },
  ),
);

const guide = (description: string) => ({ type: ["string", "null"], description }) as const;

/** The attributes that the guide to an issue's rule fills in. */
export const guides = {
  description: guide(
    "What is wrong, who is affected and how to fix it, in plain text; null for a rule without a guide.",
  ),
  description_markdown: guide("The same in Markdown."),
  description_html: guide("The same as HTML, which may be put into a page as it is."),
  guide_url: guide("The address of the whole guide, with examples: a page of this service, which needs no token."),
} as const;

export const tags = (description: string) => ({ type: "array", items: { type: "string" }, description }) as const;
