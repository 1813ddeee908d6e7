import { snakeCase } from "../../src/schema/api-names.ts";
import { rows } from "../../src/settings/index.ts";
import type { Setting } from "../../src/settings/setting.ts";

/** A value of a setting that is not its default. */
export function anotherThanDefault({ example, schema }: Setting): unknown {
  if (example !== undefined) return example;
  if (schema.type === "boolean") return !schema.default;
  return schema.enum?.find((one) => one !== schema.default) ?? Number(schema.default) + 1;
}

/** Attributes of a request with all settings that these do not name. Ids are of what exists, so they are left out. */
export function withOtherSettings<Named extends object>(named: Named): Named {
  const others = rows.flatMap(({ name, setting }) => {
    const isLeftOut = setting.access?.create === false || name === "basicAuthId" || name === "baseId";
    return isLeftOut || snakeCase(name) in named ? [] : [[snakeCase(name), anotherThanDefault(setting)]];
  });
  return { ...named, ...Object.fromEntries(others) };
}
