import { stringify } from "yaml";
import type { Resource } from "../../../api/documents.ts";
import { listFormats, snakeCase } from "../../../schema/api-names.ts";
import { scheduleSpecSchema } from "../../../schema/schedule.ts";
import type { Attempt } from "../../page.ts";
import { settingFields } from "./names.ts";

/** The initial values of a form's fields, by name; a checked box has "true". */
export type Values = Readonly<Record<string, string | undefined>>;

const commaSeparated = new Set(
  Object.entries(listFormats).flatMap(([name, format]) => (format === "commas" ? [snakeCase(name)] : [])),
);

/** A schedule's defaults, which reports use too, so that manual and scheduled runs can be compared. */
export const defaultValues: Values = {
  ...valuesOf(
    Object.fromEntries(
      Object.entries(scheduleSpecSchema.properties).flatMap(([name, property]) =>
        "default" in property ? [[snakeCase(name), property.default]] : [],
      ),
    ),
  ),
  ...Object.fromEntries(
    settingFields.flatMap(({ name, form }) => (form.default === undefined ? [] : [[name, form.default]])),
  ),
};

/** The attributes of a report or schedule as its form has them. */
export function valuesOf(attributes: Readonly<Record<string, unknown>>): Values {
  return Object.fromEntries(Object.entries(attributes).flatMap(([name, value]) => valuesOfOne(name, value)));
}

function valuesOfOne(name: string, value: unknown): [string, string][] {
  if (Array.isArray(value) && value.some((one) => typeof one === "object"))
    return [[name, stringify(value, { lineWidth: 0 })]];
  if (Array.isArray(value)) return [[name, value.join(commaSeparated.has(name) ? ", " : "\n")]];
  if (typeof value === "object" && value !== null)
    return Object.entries(value).flatMap(([member, inner]) => valuesOfOne(`${name}.${member}`, inner));
  return [[name, value === null || value === undefined ? "" : String(value)]];
}

/** What a form's field holds: what was typed, if the form was refused. */
export function heldBy({
  values,
  attempt,
}: {
  values: Values;
  attempt?: Attempt | undefined;
}): (name: string) => string {
  return (name) => (attempt ? attempt.fields.getAll(name).join() : (values[name] ?? ""));
}

/** The id of a report's or schedule's device, which is a relationship; "" for the default device. */
export function deviceOf({ relationships }: Pick<Resource<"report" | "schedule">, "relationships">): string {
  const id = relationships.device?.links.related.split("/").at(-1) ?? "";
  return id === "default" ? "" : id;
}
