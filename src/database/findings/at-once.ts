import { type Kysely, sql } from "kysely";
import { isConnectionLoss, isLockTimeout, isStatementTimeout } from "../connection/errors.ts";
import { withStatementLimit } from "../connection/statements.ts";
import { COMPARISON_REQUESTED, notify } from "../notifications.ts";
import type { Database } from "../tables.ts";
import { type Compared, compareReports } from "./compare.ts";
import { isComparedAtOnce, type Pair } from "./comparisons.ts";
import { countUncounted, hasUncounted } from "./count-states.ts";

/**
 * How long a request tries what the controller can do for it, in milliseconds: no part of that begins after this time,
 * and no statement takes longer. Both together are less than five seconds.
 */
const TRY_MS = 2_400;

class TookTooLong extends Error {}

/**
 * Compares two small reports while a client waits.
 *
 * @param limit how many findings, and pages, both may have together
 * @returns `too_long` when the controller has to do that; undefined as compareReports does
 */
export async function compareAtOnce(
  db: Kysely<Database>,
  pair: Pair,
  limit: number,
): Promise<Compared | undefined | "too_long"> {
  if (!(await isComparedAtOnce(db, pair, limit))) return "too_long";
  const giveUp = AbortSignal.timeout(TRY_MS);
  try {
    return await withStatementLimit(db, TRY_MS, (limited) =>
      compareReports(limited, pair.reportId, pair.baseId, async () => {
        if (giveUp.aborted) throw new TookTooLong();
      }),
    );
  } catch (error) {
    if (error instanceof TookTooLong || isStatementTimeout(error) || isLockTimeout(error)) return "too_long";
    throw error;
  }
}

/**
 * Counts again, while a client waits, the outdated comparisons in which a report takes part. What takes too long is left
 * to the controller.
 *
 * @param limit how many findings, and pages, the reports of all these comparisons may have together
 */
export async function countAtOnce(db: Kysely<Database>, reportId: string, limit: number): Promise<void> {
  const count = async (): Promise<void> => {
    if (!(await areCountedAtOnce(db, reportId, limit))) return;
    const signal = AbortSignal.timeout(TRY_MS);
    await withStatementLimit(db, TRY_MS, (limited) => countUncounted(limited, { reportId, signal }));
  };
  const tellController = async (): Promise<void> => {
    if (await hasUncounted(db)) await notify(db, COMPARISON_REQUESTED);
  };
  // Both are optional: maintenance counts what is left.
  for (const step of [count, tellController])
    await step().catch((error: unknown) => {
      if (!isConnectionLoss(error)) throw error;
    });
}

/** Rows are counted up to the limit; those of a report as often as it takes part in a comparison, since it is read as often. */
async function areCountedAtOnce(db: Kysely<Database>, reportId: string, limit: number): Promise<boolean> {
  const upToLimit = (table: "findings" | "web_pages") => sql`(
    select count(*) from (
      select from comparisons c cross join lateral (
        select from ${sql.table(table)} where report_id in (c.report_id, c.base_id) limit ${limit + 1}
      ) rows_of
      where not c.issues_counted and (c.report_id = ${reportId} or c.base_id = ${reportId}) limit ${limit + 1}
    ) first_of)`;
  const { rows } = await sql<{ small: boolean }>`
    select ${upToLimit("findings")} <= ${limit} and ${upToLimit("web_pages")} <= ${limit} as small`.execute(db);
  return rows[0]?.small === true;
}
