import { accessOf, inApiNames, joinedLists, listFormats, type SnakeCase, snakeCase } from "../../schema/api-names.ts";
import { isNullable, type SpecLimits } from "../../schema/validate.ts";
import { settingOf, type WithoutAccess } from "../../settings/index.ts";
import type { Properties, Schema } from "./response-schemas/parts.ts";

/**
 * A resource's fields are written once, in src/schema/. Here they become the attributes of the
 * API's requests and responses: snake_case names, the schema's types and descriptions.
 */

/** The attributes of a resource's fields in its responses: what `responseAttributes` does, as types. */
export type ResponseAttributes<Fields> = {
  readonly [Name in Exclude<keyof Fields & string, WithoutAccess<"read">> as SnakeCase<Name>]: ResponseAttribute<
    Fields[Name]
  >;
};
type ResponseAttribute<Field> = Field extends { type: "object" }
  ? { readonly anyOf: readonly [WithApiNames<Field>, { readonly type: "null" }] }
  : Field extends { type: infer Type }
    ? { readonly type: Field extends EmptyIsNull | { nullable: true } ? readonly [Type, "null"] : Type } & Pick<
        Field,
        keyof Field & ("enum" | "items")
      >
    : never;
type EmptyIsNull = { type: "string"; default: "" };
type WithApiNames<Field> = {
  [Keyword in Exclude<keyof Field, "default">]: Keyword extends "properties"
    ? { [Name in keyof Field[Keyword] & string as SnakeCase<Name>]: Field[Keyword][Name] }
    : Field[Keyword];
};

const separators = { lines: "newline", commas: "comma" } as const;

/**
 * The attributes that a request may set: lists are strings or arrays; null is allowed where a field has no value by default.
 * Defaults are in the descriptions, because client generators treat an attribute with a `default` as always present.
 *
 * @param limits the operator's maxima
 * @param options.defaults whether attributes that are left out get their defaults, as when a resource is created
 */
export function requestAttributes(fields: Properties, limits: SpecLimits, options: { defaults: boolean }): Properties {
  return Object.fromEntries(
    Object.keys(fields)
      .filter((name) => accessOf(name)?.create !== false)
      .map((name) => {
        const { default: fallback, ...schema } = fields[name] ?? {};
        const { description, ...attribute } = requestAttribute(name, schema, fields, limits);
        const stated = options.defaults ? withDefault(String(description), fallback) : description;
        return [snakeCase(name), { ...attribute, description: stated }];
      }),
  );
}

/** Adds the default to a description, unless it is empty. @param fallback the default; undefined if there is none */
export function withDefault(description: string, fallback: unknown): string {
  const isEmpty = ["undefined", '""', "[]", "{}"].includes(JSON.stringify(fallback) ?? "undefined");
  return isEmpty ? description : `${description} Default: ${fallback}.`.trim();
}

function requestAttribute(name: string, field: Schema, fields: Properties, limits: SpecLimits): Schema {
  const schema = withApiNames(field, fields);
  const description = describe(name, schema, fields);
  const format = listFormats[name];
  if (format)
    return {
      type: ["string", "array", "null"],
      items: schema.items,
      maxItems: schema.maxItems,
      description: `${description} One ${separators[format]}-separated string, or an array as in responses; at most ${schema.maxItems}.`,
    };
  if (name === "periodicity") return { anyOf: [withLists(schema), { type: "null" }], description };
  if (isNullable(fields[name] ?? {})) return { ...schema, type: [schema.type, "null"], description };
  const { limit } = settingOf(name) ?? {};
  if (limit === "htmlEngines") return { ...schema, description, enum: limits[limit] };
  const max = limit === undefined ? 0 : limits[limit];
  return { ...schema, description, ...(max > 0 && { minimum: 1, maximum: max }) };
}

/** An object some of whose texts may be arrays of their parts in requests. */
function withLists(schema: Schema): Schema {
  const properties = Object.entries(schema.properties as Properties).map(([name, property]) => {
    if (!joinedLists.has(name)) return [name, property];
    const description = `${property.description} Several may be an array, too.`;
    return [name, { ...property, type: ["string", "array"], items: { type: "string" }, description }];
  });
  return { ...schema, properties: Object.fromEntries(properties) };
}

/**
 * The attributes of a response. Limits and defaults are left out: a resource may be older
 * than the current limits, and its defaults are already filled in.
 */
export function responseAttributes<const Fields extends Properties>(fields: Fields): ResponseAttributes<Fields> {
  return Object.fromEntries(
    Object.entries(fields)
      .filter(([name]) => accessOf(name)?.read !== false)
      .map(([name, schema]) => [snakeCase(name), responseAttribute(name, schema, fields)]),
  ) as ResponseAttributes<Fields>;
}

function responseAttribute(name: string, schema: Schema, fields: Properties): Schema {
  const description = describe(name, schema, fields);
  if (schema.type === "object") return { anyOf: [withApiNames(schema, fields), { type: "null" }], description };
  if (schema.type === "string" && schema.default === "") return { type: [schema.type, "null"], description };
  return { ...shape(schema), ...(description !== "" && { description }) };
}

/** The schema of an object, with the API's names for its properties. */
function withApiNames(schema: Schema, fields: Properties): Schema {
  if (schema.properties === undefined) return schema;
  const { default: _, ...rest } = schema;
  const properties = Object.entries(schema.properties as Properties).map(([name, property]) => [
    snakeCase(name),
    { ...property, description: inApiNames(String(property.description ?? ""), fields) },
  ]);
  return { ...rest, properties: Object.fromEntries(properties) };
}

/** A value's type, without the limits that apply to requests. */
function shape({ type, nullable, enum: values, minimum, items }: Schema): Schema {
  return {
    type: nullable === true ? [type, "null"] : type,
    ...(values !== undefined && { enum: values }),
    ...(minimum !== undefined && { minimum }),
    ...(items !== undefined && { items: (items as Schema).type === "object" ? items : shape(items as Schema) }),
  };
}

function describe(name: string, { description = "" }: Schema, fields: Properties): string {
  const text = inApiNames(String(description), fields);
  const meaning = name === "periodicity" ? "every: deploy" : settingOf(name)?.nullMeans;
  return meaning === undefined ? text : `${text} null means ${meaning}.`;
}
