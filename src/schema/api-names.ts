/**
 * Converts the resources' camelCase names to the API's snake_case and back, and parses the
 * strings in which API requests write lists.
 */

import { rows, settingOf } from "../settings/index.ts";
import type { Setting } from "../settings/setting.ts";

/** The camelCase to snake_case mapping as a type: `maxPages` → `max_pages`. */
export type SnakeCase<Name extends string> = Name extends `${infer Head}${infer Tail}`
  ? Head extends Lowercase<Head>
    ? `${Head}${SnakeCase<Tail>}`
    : `_${Lowercase<Head>}${SnakeCase<Tail>}`
  : Name;

/** `performA11yChecks` → `perform_a11y_checks`. */
export function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** `perform_a11y_checks` → `performA11yChecks`. */
export function camelCase(name: string): string {
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

type Fields = Readonly<Record<string, { readonly [keyword: string]: unknown }>>;

/** The names of fields and of the fields in them, such as `maxPages`, `gate` and `maxErrors`. */
function fieldNames(fields: Fields): Set<string> {
  return new Set(
    Object.entries(fields).flatMap(([name, { properties }]) => [name, ...fieldNames((properties ?? {}) as Fields)]),
  );
}

/** Replaces the names of these fields in a text with the API's snake_case names. */
export function inApiNames(text: string, fields: Fields): string {
  const names = fieldNames(fields);
  return text.replace(/\b[a-z][a-z0-9]*[A-Z]\w*/g, (name) => (names.has(name) ? snakeCase(name) : name));
}

/**
 * What callers of the API may do with a field, if not what they may with others. Receivers that a Schedule declares name
 * Secrets of the cluster; the API has receivers of its own.
 */
export function accessOf(name: string): Setting["access"] {
  return name === "notifications" ? { create: false, read: false } : settingOf(name)?.access;
}

export type ListFormat = "lines" | "commas";

/** How requests write a list of texts as one string. They may also have it as an array, as responses do. */
export const listFormats: Readonly<Record<string, ListFormat>> = Object.fromEntries([
  ...rows.flatMap(({ name, setting: { schema, list = "lines" } }) =>
    schema.items?.type === "string" ? [[name, list]] : [],
  ),
  ["previewHosts", "commas"],
]);

/** Fields in others that have several values in one text, with commas. Requests may have these as an array. */
export const joinedLists: ReadonlySet<string> = new Set(["weekday", "at"]);

/** Splits a request's list; blank entries and surrounding spaces are dropped. */
export function splitList(text: string, format: ListFormat): string[] {
  return text
    .split(format === "lines" ? /\r\n|\r|\n/ : ",")
    .map((entry) => entry.trim())
    .filter((entry) => entry !== "");
}
