import { snakeCase } from "../../schema/api-names.ts";
import { nullIfEmpty, requestOnlyFields } from "../../schema/crawl-target.ts";
import type { ResponseAttributes } from "../openapi/attributes.ts";
import type { Members, Properties, ValueOf } from "../openapi/response-schemas/parts.ts";

const hidden: readonly string[] = requestOnlyFields;
const emptyIsNull: readonly string[] = nullIfEmpty;

type SpecAttributes<Spec extends { properties: Properties }> = ValueOf<
  Members<ResponseAttributes<Spec["properties"]>, never>
>;

/**
 * The fields of a spec for responses: all fields of its schema, with the API's names. Fields that are newer than the
 * version that stored the spec have their defaults.
 */
export function specAttributes<Spec extends { readonly properties: Properties }>(
  schema: Spec,
  spec: ValueOf<Spec>,
): SpecAttributes<Spec> {
  const values = spec as Readonly<Record<string, unknown>>;
  const visible = Object.entries(schema.properties).filter(([name]) => !hidden.includes(name));
  return Object.fromEntries(
    visible.map(([name, field]) => [snakeCase(name), attributeOf(name, values[name] ?? field.default)]),
  ) as SpecAttributes<Spec>;
}

/** An object without anything in it, such as a gate without conditions, is null. */
function attributeOf(name: string, value: unknown): unknown {
  if (value === "" && emptyIsNull.includes(name)) return null;
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const members = Object.entries(value);
  return members.length === 0 ? null : Object.fromEntries(members.map(([name, inner]) => [snakeCase(name), inner]));
}
