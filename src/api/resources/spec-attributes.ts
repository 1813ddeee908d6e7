import { type SnakeCase, snakeCase } from "../../schema/api-names.ts";
import { requestOnlyFields } from "../../schema/crawl-target.ts";

type RequestOnly = (typeof requestOnlyFields)[number];
type SpecAttributes<Spec> = { [Name in Exclude<keyof Spec & string, RequestOnly> as SnakeCase<Name>]: Spec[Name] };

/**
 * The fields of a spec for responses: all fields of its schema, with the API's names. Fields that are newer than the
 * version that stored the spec have their defaults.
 */
export function specAttributes<Spec extends object>(
  schema: { readonly properties: { readonly [Name in keyof Spec]: object & { default?: unknown } } },
  spec: Spec,
): SpecAttributes<Spec> {
  const hidden: readonly string[] = requestOnlyFields;
  const visible = Object.keys(schema.properties).filter((name) => !hidden.includes(name));
  return Object.fromEntries(
    visible.map((name) => {
      const key = name as keyof Spec;
      return [snakeCase(name), attributeOf(spec[key] ?? schema.properties[key].default)];
    }),
  ) as SpecAttributes<Spec>;
}

/** An object without anything in it, such as a gate without conditions, is null. */
function attributeOf(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const members = Object.entries(value);
  return members.length === 0 ? null : Object.fromEntries(members.map(([name, inner]) => [snakeCase(name), inner]));
}
