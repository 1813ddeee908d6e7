import { parse } from "yaml";
import { impliedBy } from "../../../schema/a11y-depths.ts";
import { snakeCase } from "../../../schema/api-names.ts";
import { stepEntries, withoutSourceMap } from "../../../schema/steps.ts";
import { rows } from "../../../settings/index.ts";
import type { Schema } from "../../../settings/setting.ts";
import { given, numberIn, textIn } from "../../fields.ts";
import type { Fields } from "../../page.ts";

/** The API's attributes of a report, which a schedule has too, for what was filled in. */
export function crawlAttributes(fields: Fields): Record<string, unknown> {
  const read = rows.flatMap(({ name, setting: { form, schema } }) =>
    form || schema.properties ? [[snakeCase(name), valueIn(fields, snakeCase(name), schema)]] : [],
  );
  return given({
    ...Object.fromEntries(read),
    // A form without a chosen one has no such field.
    devices: fields.has("device_id") ? fields.getAll("devices") : undefined,
    ...impliedBy(fields.get("a11y_depth") || undefined),
  });
}

/** What was filled in for a setting, by its schema; undefined if the form does not have it. */
function valueIn(
  fields: Fields,
  name: string,
  { type, properties, items, default: byDefault }: Partial<Schema>,
): unknown {
  if (type === "boolean") return fields.has(name);
  if (type === "integer") return numberIn(fields, name);
  if (type === "object") return membersIn(fields, name, properties ?? {});
  const text = textIn(fields, name);
  if (items?.type === "object") return stepsIn(text);
  // An empty choice of an id means none.
  return text === "" && type === "string" && byDefault === "" ? null : text;
}

/** The members of an object that are filled in; null without any. */
function membersIn(fields: Fields, name: string, schemas: Readonly<Record<string, Schema>>): unknown {
  const members = Object.entries(schemas).map(([member, schema]): [string, unknown] => {
    const value = valueIn(fields, `${name}.${snakeCase(member)}`, schema);
    return [snakeCase(member), value === "" || value === false ? undefined : value];
  });
  const isInForm = Object.keys(schemas).some((member) => fields.has(`${name}.${snakeCase(member)}`));
  const filled = given(Object.fromEntries(members));
  return Object.keys(filled).length > 0 ? filled : isInForm ? null : undefined;
}

/** Steps or states, as YAML or JSON. What cannot be read stays text, for the API to refuse. */
export function stepsIn(text: string | undefined): unknown {
  if (text === undefined) return undefined;
  try {
    return text === "" ? [] : stepEntries(parse(withoutSourceMap(text), { logLevel: "error" }));
  } catch {
    return text;
  }
}
