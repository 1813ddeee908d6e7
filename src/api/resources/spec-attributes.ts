import { accessOf, snakeCase } from "../../schema/api-names.ts";
import type { ResponseAttributes } from "../openapi/attributes.ts";
import type { Members, Properties, ValueOf } from "../openapi/response-schemas/parts.ts";

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
  const visible = Object.entries(schema.properties).filter(([name]) => accessOf(name)?.read !== false);
  return Object.fromEntries(
    visible.map(([name, field]) => [snakeCase(name), attributeOf(values[name] ?? field.default, field)]),
  ) as SpecAttributes<Spec>;
}

/** What is empty, such as a gate without conditions, is null. */
function attributeOf(value: unknown, field: { default?: unknown }): unknown {
  if (value === "" && field.default === "") return null;
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const members = Object.entries(value);
  return members.length === 0 ? null : Object.fromEntries(members.map(([name, inner]) => [snakeCase(name), inner]));
}
