import type { Kysely, KyselyPlugin } from "kysely";
import type { Database } from "../../src/database/tables.ts";

export type CountedDatabase = {
  db: Kysely<Database>;
  /** How many statements were sent. */
  all(): number;
  /** How many of them read the list of unfinished reports. */
  lists(): number;
};

/** A database that counts the statements which are sent through it, raw SQL included. */
export function countStatements(db: Kysely<Database>): CountedDatabase {
  let all = 0;
  let lists = 0;
  const plugin: KyselyPlugin = {
    transformQuery({ node }) {
      all++;
      // The only select over many reports that picks single columns.
      if (node.kind === "SelectQueryNode" && JSON.stringify(node).includes('"crawl_state"')) lists++;
      return node;
    },
    transformResult: async ({ result }) => result,
  };
  return { db: db.withPlugin(plugin), all: () => all, lists: () => lists };
}
