import { snakeCase } from "../../../schema/api-names.ts";
import { type Part, parts, settings } from "../../../settings/index.ts";
import { type FormField, inOrder } from "../../../settings/setting.ts";

/** A field of the form: its name is that of the API's attribute; that of a member has a dot, as in `wait_for.text`. */
export type CrawlField = Pick<Part, "path" | "schema"> & { name: string; form: FormField };

/** The fields for settings, in no order. */
export const settingFields: readonly CrawlField[] = parts.flatMap(({ path, schema, form }) =>
  form ? [{ name: path.map(snakeCase).join("."), path, schema, form }] : [],
);

/** The fields of a group, in their order. */
export function fieldsIn(group: FormField["group"]): CrawlField[] {
  const own = parts.filter(({ form }) => form?.group === group);
  const ordered = inOrder(own.map(({ path, form }) => ({ name: path.join("."), after: form?.after })));
  return ordered.flatMap((name) => settingFields.find(({ path }) => path.join(".") === name) ?? []);
}

/** The fields of the gate, which have a place of their own. */
export const gateNames = Object.keys(settings.gate.schema.properties).map((name) => `gate.${snakeCase(name)}`);

export const allCrawlNames: readonly string[] = [...settingFields.map(({ name }) => name), ...gateNames];
