import type { Migration } from "kysely/migration";
import { up as schema } from "./0001-schema.ts";

/** All migrations in order. Names sort in that order. README.md says how the schema changes after the first release. */
export const migrations: Record<string, Migration> = {
  "0001-schema": { up: schema },
};
