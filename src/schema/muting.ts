import type { FromSchema } from "json-schema-to-ts";

/**
 * What a muting is: the attributes of one in the API, and an entry of `ignore` of the command `check`, which is validated
 * by the same schema.
 */

const text = (maxLength: number) => ({ type: "string", minLength: 1, maxLength, pattern: "\\S" }) as const;

/** The criteria of a muting. A finding is silenced when it matches all that are given. */
export const criteriaSchemas = {
  url_match: {
    ...text(2_048),
    nullable: true,
    description:
      "A part of the page's URL, regardless of case. Required unless rule, selector, fingerprint or component is given.",
  },
  message: {
    ...text(4_096),
    nullable: true,
    description:
      "A part of the issue's message or help, regardless of case. Required unless rule, selector, fingerprint or component is given.",
  },
  rule: { ...text(200), nullable: true, description: "The engine's name for the rule, such as image-alt." },
  selector: {
    ...text(1_000),
    nullable: true,
    description:
      "A CSS selector of names, ids and classes that selects the element, such as #ads img, .banner > a. It is compared with the selector that each element of an issue has.",
  },
  fingerprint: {
    type: "string",
    pattern: "^[0-9a-f]{20}$",
    nullable: true,
    description: "The fingerprint of a finding: one fault, in every report.",
  },
  component: {
    type: "string",
    pattern: "^[0-9a-f]{20}$",
    nullable: true,
    description: "The id of a component: the same fault of the same element, on whatever pages.",
  },
} as const;

/** Why a finding is muted, and what that means. */
export const mutingCategories = {
  false_positive: "The check is wrong here.",
  accepted: "It is known, and stays.",
  third_party: "Others have to fix it.",
  later: "It is fixed later: it needs an end.",
  passed: "A person has looked at what a check asks, and it is as it should be.",
} as const;
export type MutingCategory = keyof typeof mutingCategories;

/** An ISO 8601 date-time with seconds, and perhaps fractions of them; without an offset it is in UTC. */
const DATE_TIME =
  "^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]([.][0-9]{1,9})?(Z|[+-]([01][0-9]|2[0-3]):[0-5][0-9])?$";

export const mutingSchema = {
  type: "object",
  additionalProperties: false,
  properties: {
    ...criteriaSchemas,
    category: {
      type: "string",
      enum: [...(Object.keys(mutingCategories) as MutingCategory[]), null],
      nullable: true,
      description:
        "Why, in one word: the check is wrong here (false_positive), it is known and stays (accepted), others have to fix it (third_party), or it is fixed later (later, which requires expires_at).",
    },
    comment: { type: "string", maxLength: 1_000, nullable: true, description: "A public explanation." },
    reason: {
      type: "string",
      maxLength: 1_000,
      nullable: true,
      description: "Why it exists, for the account itself: readers of a shared report do not see it.",
    },
    expires_at: {
      type: "string",
      pattern: DATE_TIME,
      nullable: true,
      description: "When the muting ends and its findings count again; in UTC unless it has an offset. null: never.",
    },
  },
} as const;
export type MutingAttributes = FromSchema<typeof mutingSchema>;
