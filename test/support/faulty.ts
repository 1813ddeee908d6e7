import type { Kysely, KyselyPlugin } from "kysely";
import type { Database } from "../../src/database/tables.ts";

export type FaultyDatabase = {
  db: Kysely<Database>;
  /** Statements let through so far. */
  count(): number;
  /** True once a statement was refused: the process "is dead" from then on. */
  dead(): boolean;
};

/** A database whose user is killed after so many statements: none of the later ones is sent. */
export function killedAfter(db: Kysely<Database>, statements: number): FaultyDatabase {
  let count = 0;
  let dead = false;
  const plugin: KyselyPlugin = {
    transformQuery({ node }) {
      if (count >= statements) dead = true;
      if (dead) throw new Error("killed");
      count++;
      return node;
    },
    transformResult: async ({ result }) => result,
  };
  return { db: db.withPlugin(plugin), count: () => count, dead: () => dead };
}
