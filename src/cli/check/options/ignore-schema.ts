import type { FromSchema } from "json-schema-to-ts";
import { endOfDay } from "../../../domain/calendar-day.ts";
import { mutingSchema } from "../../../schema/muting.ts";

const { url_match, message, rule, selector, fingerprint, component, category, comment, reason, expires_at } =
  mutingSchema.properties;

/** Without null, which the API has for what is left out: in YAML it is what is left of `selector: #ads`. */
function given<Member extends { nullable: true }>({ nullable: _, ...member }: Member): Omit<Member, "nullable"> {
  return member;
}

/** A date, or a time as the API has it. */
const DATE_OR_TIME = expires_at.pattern.replace("T(", "(T(").replace(/\$$/, ")?$");

/** What `check` ignores: mutings as the API has them, except that a date needs no time. */
export const ignoreSchema = {
  type: "array",
  description:
    "ignore findings of this rule, or of a muting as in a configuration: '{selector: .ads, reason: not ours}'; may be repeated",
  maxItems: 1_000,
  items: {
    type: "object",
    additionalProperties: false,
    properties: {
      url_match: given(url_match),
      message: given(message),
      rule: given(rule),
      selector: given(selector),
      fingerprint: given(fingerprint),
      component: given(component),
      category: given(category),
      comment: given(comment),
      reason: given(reason),
      expires_at: { ...given(expires_at), pattern: DATE_OR_TIME },
    },
  },
} as const;

/** Which findings are ignored, and why. */
export type IgnoreEntry = FromSchema<typeof ignoreSchema>[number];

/** The entry as attributes of a muting: a date is the end of that day in UTC, as in the forms of the pages. */
export function mutingOf({ expires_at, ...entry }: IgnoreEntry): IgnoreEntry {
  if (expires_at === undefined) return entry;
  return { ...entry, expires_at: endOfDay(expires_at) };
}
