import { type Kysely, sql } from "kysely";
import type { StateCount } from "../../domain/finding-state.ts";
import type { Database } from "../tables.ts";
import { identifyStored } from "./identify-stored.ts";
import { storePageKeys } from "./page-keys.ts";
import { pairFindings } from "./pairs.ts";
import { countStates, storeStates } from "./states.ts";

/** Enough to pair half a million findings without the disk. */
const MEMORY = "set local work_mem = '64MB'";

export type Compared = { id: string; baseId: string; counts: StateCount[] };

/**
 * Compares a report that has ended with another, its base: each finding of the report gets a state, and so does each
 * of the base that the report has no more. A comparison of the same two is made anew only when one of them was
 * checked again since. Safe to repeat, and at the same time.
 *
 * @returns undefined when one of them has not ended, or is deleted
 */
export async function compareReports(
  db: Kysely<Database>,
  reportId: string,
  baseId: string,
): Promise<Compared | undefined> {
  for (const id of [reportId, baseId]) {
    await identifyStored(db, id);
    await storePageKeys(db, id);
  }
  return db.transaction().execute(async (trx) => {
    await sql.raw(MEMORY).execute(trx);
    await sql`select pg_advisory_xact_lock(hashtextextended(${`compare ${reportId} ${baseId}`}, 0))`.execute(trx);
    const known = await findComparison(trx, reportId, baseId);
    if (known) return known;
    await sql`delete from comparisons where report_id = ${reportId} and base_id = ${baseId}`.execute(trx);
    const { rows } = await sql<{ id: string }>`
      insert into comparisons (report_id, base_id, report_checked_at, base_checked_at)
      select r.id, b.id, ${checkedAt("r")}, ${checkedAt("b")}
      from reports r, reports b
      where r.id = ${reportId} and b.id = ${baseId} and ${hasEnded("r")} and ${hasEnded("b")}
      returning id`.execute(trx);
    const [row] = rows;
    if (!row) return undefined;
    await pairFindings(trx, reportId, baseId);
    await storeStates(trx, row.id, reportId, baseId);
    return { id: row.id, baseId, counts: await countStates(trx, row.id) };
  });
}

/** The comparison of two reports, unless one of them was checked again since. */
export async function findComparison(
  db: Kysely<Database>,
  reportId: string,
  baseId: string,
): Promise<Compared | undefined> {
  const { rows } = await sql<Compared>`
    select c.id, c.base_id as "baseId", c.counts from comparisons c
    join reports r on r.id = c.report_id and ${checkedAt("r")} = c.report_checked_at
    join reports b on b.id = c.base_id and ${checkedAt("b")} = c.base_checked_at
    where c.report_id = ${reportId} and c.base_id = ${baseId} and ${hasEnded("r")} and ${hasEnded("b")}`.execute(db);
  return rows[0];
}

const checkedAt = (report: string) =>
  sql`coalesce(${sql.ref(`${report}.last_checked_at`)}, ${sql.ref(`${report}.inserted_at`)})`;

/** All that it will find is stored. The phase follows a moment later. */
const hasEnded = (report: string) => {
  const column = (name: string) => sql.ref(`${report}.${name}`);
  return sql`${column("deleted_at")} is null and ${column("crawl_state")} in ('ended', 'failed')
    and ${column("html_pending")} = 0 and ${column("a11y_pending")} = 0`;
};
