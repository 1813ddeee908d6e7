import { failureCodes } from "../../../domain/failure.ts";
import { impacts } from "../../../domain/findings/findings.ts";

/** A JSON Schema (2020-12) as in the OpenAPI document. */
export type Schema = Readonly<Record<string, unknown>>;

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
const TIME = "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}$";

/** UTC without a designator, so not an RFC 3339 `date-time`, which needs one. */
export const timestamp = (description: string) => ({ type: "string", pattern: TIME, description });
export const maybeTimestamp = (description: string) => ({ type: ["string", "null"], pattern: TIME, description });

/** An object of exactly these members; those named in `optional` may be missing. */
export function members(
  properties: Readonly<Record<string, Schema>>,
  { optional = [], description }: { optional?: readonly string[]; description?: string } = {},
): Schema {
  const required = Object.keys(properties).filter((name) => !optional.includes(name));
  return {
    type: "object",
    ...(description !== undefined && { description }),
    required,
    additionalProperties: false,
    properties,
  };
}

export function orNull(schema: Schema): Schema {
  return { anyOf: [schema, { type: "null" }] };
}

/** The guest that something belongs to; left out for the account's own, and for readers of a shared report. */
export const guestToken = {
  type: "string",
  description: "The guest account that it belongs to; left out for the account's own.",
} as const;

const level = (name: string) => ({ ...count, description: `Errors and warnings of impact ${name}.` });

/** The levels add up to the total. */
export const severity = members(
  {
    ...Object.fromEntries(impacts.toReversed().map((impact) => [impact, level(impact)])),
    total: members({ errors: count, warnings: count, total: count }),
  },
  { description: "Accessibility errors and warnings by impact, counted by affected element." },
);

export const failure = orNull(
  members(
    {
      code: { type: "string", enum: Object.keys(failureCodes), description: "Stable, for programs." },
      detail: { type: "string", description: "What happened, as a sentence." },
    },
    { description: "Why it failed; null if it did not." },
  ),
);

const guide = (description: string) => ({ type: ["string", "null"], description });

/** The attributes that the guide to an issue's rule fills in. */
export const guides = {
  description: guide(
    "What is wrong, who is affected and how to fix it, in plain text; null for a rule without a guide.",
  ),
  description_markdown: guide("The same in Markdown."),
  description_html: guide("The same as HTML, which may be put into a page as it is."),
  guide_url: guide("The address of the whole guide, with examples: a page of this service, which needs no token."),
} as const;

export const tags = (description: string) => ({ type: "array", items: { type: "string" }, description });
