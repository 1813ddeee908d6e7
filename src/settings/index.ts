import { checked } from "./checked.ts";
import { judged } from "./judged.ts";
import { opened } from "./opened.ts";
import type { Schema, Setting } from "./setting.ts";
import { visited } from "./visited.ts";

/**
 * The settings of a report. To add one, add a row, and the place that acts on it: CRDs, the API with its document, the options
 * of `check`, its configuration and its documentation, forms, and what makes a series derive from the table, in its order.
 */
export const settings = { ...visited, ...checked, ...opened, ...judged } as const;

export type Settings = typeof settings;
export type SettingName = keyof Settings;

/** The table, for those who do not ask for a setting that they know. */
export const rows: readonly Row[] = Object.entries<Setting>(settings).map(([name, setting]) => {
  const { default: byDefault, ...schema } = setting.schema;
  const whole = { ...schema, description: setting.text, ...(byDefault !== undefined && { default: byDefault }) };
  return { name: name as SettingName, setting: { ...setting, schema: whole } };
});
type Row = { name: SettingName; setting: Setting & { schema: Schema } };

/** The schema of a setting, as `rows` has it. */
export type SchemaOf<Name extends SettingName> = Settings[Name]["schema"] & { readonly description: string };

/** The row of a field of a Report or Schedule; undefined for what only schedules have. */
export function settingOf(name: string): Setting | undefined {
  return Object.hasOwn(settings, name) ? settings[name as SettingName] : undefined;
}

/** What the patterns of settings mean. */
export const wordsOfSettings: Readonly<Record<string, string>> = Object.fromEntries(
  rows.flatMap(({ setting: { schema, words } }) => (words ? [[schema.pattern ?? schema.items?.pattern, words]] : [])),
);

/** A setting, or a member of one. */
export type Part = {
  /** Its name, such as `["waitFor", "text"]`. */
  path: readonly [SettingName, ...string[]];
  schema: Schema;
} & { [Key in "form" | "option"]: Setting[Key] | undefined };

/** The settings, each followed by its members. */
export const parts: readonly Part[] = rows.flatMap(({ name, setting: { schema, form, option, members = {} } }) => [
  { path: [name], schema, form, option },
  ...Object.entries(members).map(([member, { form, option }]): Part => {
    const part = schema.properties?.[member];
    if (!part) throw new Error(`${name} has no property ${member}.`);
    return { path: [name, member], schema: part, form, option };
  }),
]);

/** The settings of which callers of the API may not do this. */
export type WithoutAccess<To extends "create" | "read"> = NamesOf<{ access: { readonly [Key in To]: false } }>;
/** The settings whose rows are like this. */
export type NamesOf<Row> = { [Name in SettingName]: Settings[Name] extends Row ? Name : never }[SettingName];
