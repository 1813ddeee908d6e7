import type { Kysely } from "kysely";
import type { Database } from "../../database/tables.ts";
import type { Through } from "../api.ts";

/** What signing in needs. */
export type SessionDeps = {
  db: Kysely<Database>;
  now: () => Date;
  /** Counts an attempt to sign in. @throws RequestError 429 */
  limit: (through: Through) => Promise<void>;
};
