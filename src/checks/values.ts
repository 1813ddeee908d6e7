import type { FromSchema, JSONSchema } from "json-schema-to-ts";

/** The values that these schemas describe, by the same names. */
export type ValuesOf<Schemas> = {
  [Name in keyof Schemas]: Schemas[Name] extends JSONSchema ? FromSchema<Schemas[Name]> : never;
};
