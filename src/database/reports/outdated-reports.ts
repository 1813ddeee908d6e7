import { type Kysely, sql } from "kysely";
import type { Database } from "../tables.ts";
import { judgeReport } from "./judge.ts";

export type OutdatedReport = { id: string; revision: number };

/** The most reports that one query returns. */
const MAX_OUTDATED = 100;

/**
 * Reports whose results may have been judged by outdated mutings. Returns at most MAX_OUTDATED,
 * alternating between accounts.
 *
 * @param except ids of reports to leave out
 */
export async function listOutdatedReports(
  db: Kysely<Database>,
  except: readonly string[] = [],
): Promise<OutdatedReport[]> {
  const { rows } = await sql<OutdatedReport>`
    select r.id, a.muting_revision as revision
    from accounts a join reports r on r.account_id = a.id and r.muting_revision < a.muting_revision
    where r.deleted_at is null and not (r.id = any(${[...except]}::uuid[]))
    order by row_number() over (partition by a.id order by r.id)
    limit ${MAX_OUTDATED}`.execute(db);
  return rows;
}

/**
 * Marks a report as recounted if all of its results are judged by the mutings of this revision, and judges it by its
 * gate. A process that ends a check locks the report's row: the first statement waits for it, so the second sees what
 * it wrote.
 */
export async function markRecounted(db: Kysely<Database>, id: string, revision: number): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await sql`select id from reports where id = ${id} for no key update`.execute(trx);
    await sql`
      update reports set muting_revision = ${revision}
      where id = ${id} and muting_revision < ${revision} and not exists (
        select from checks c
        where c.report_id = ${id} and c.status = 'checked' and c.muting_revision < ${revision}
      )`.execute(trx);
    await judgeReport(trx, id);
  });
}
