import { type SnakeCase, snakeCase } from "../../schema/api-names.ts";
import { requestOnlyFields } from "../../schema/crawl-target.ts";

type RequestOnly = (typeof requestOnlyFields)[number];
type SpecAttributes<Spec> = { [Name in Exclude<keyof Spec & string, RequestOnly> as SnakeCase<Name>]: Spec[Name] };

/** The fields of a spec in responses: all that its schema has, by their names in the API. */
export function specAttributes<Spec extends object>(
  schema: { readonly properties: { readonly [Name in keyof Spec]: object } },
  spec: Spec,
): SpecAttributes<Spec> {
  const hidden: readonly string[] = requestOnlyFields;
  const visible = Object.keys(schema.properties).filter((name) => !hidden.includes(name));
  return Object.fromEntries(visible.map((name) => [snakeCase(name), spec[name as keyof Spec]])) as SpecAttributes<Spec>;
}
