import { type Kysely, sql } from "kysely";

/** What of a page is in its screenshot, to find the boxes of elements there; and mutings that a wrong clock has ended. */
const statements = [
  // In CSS pixels, and pixels of the picture to one of these; null for what programs of earlier versions store.
  `alter table screenshots add column width integer, add column height integer, add column scale real`,
  // Those whose end is still to come: a clock that was ahead has ended them.
  `create index on mutings (expires_at) where expired`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
