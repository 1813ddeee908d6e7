import type { Kysely, KyselyPlugin } from "kysely";
import type { Database } from "../../src/database/tables.ts";

export type FaultyDatabase = {
  db: Kysely<Database>;
  /** True once a statement was refused: the process "is dead" from then on. */
  dead(): boolean;
};

/** A statement in SQL that has no word with which anything is changed, locked or told. */
const READS = /^\s*(?:select|with)\b(?![\s\S]*(?:insert|update|delete|lock|notify|setval|nextval|set_config))/i;

/** A database whose client "dies" after a number of statements that may write: none of the later ones is sent. */
export function killedAfter(db: Kysely<Database>, statements: number): FaultyDatabase {
  let count = 0;
  let dead = false;
  const plugin: KyselyPlugin = {
    transformQuery({ node }) {
      // Dying before or after a read is the same to everybody else.
      const reads =
        node.kind === "SelectQueryNode" || (node.kind === "RawNode" && READS.test(node.sqlFragments.join("?")));
      if (!reads && count >= statements) dead = true;
      if (dead) throw new Error("killed");
      if (!reads) count++;
      return node;
    },
    transformResult: async ({ result }) => result,
  };
  return { db: db.withPlugin(plugin), dead: () => dead };
}
