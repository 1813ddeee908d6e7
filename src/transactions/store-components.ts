import type { Kysely } from "kysely";
import { isStatementTimeout } from "../database/connection/errors.ts";
import { planForWholeReports } from "../database/connection/statements.ts";
import { deleteSectionCauses, groupCauses, storeSectionCauses } from "../database/findings/causes.ts";
import {
  deleteComponents,
  findComponentList,
  firstComponents,
  hasManyFindings,
  insertAll,
  insertByState,
  isUniform,
  lockComponentList,
  readVersion,
  storeComponentList,
} from "../database/findings/components.ts";
import { deleteElementCounts, storeElementCounts } from "../database/findings/element-counts.ts";
import { countFaults } from "../database/findings/faults.ts";
import { storeMet } from "../database/findings/met.ts";
import { deletePageSums, storePageSums, storeRoles } from "../database/findings/roles.ts";
import type { Database } from "../database/tables.ts";

/**
 * Stores the components of a report that has ended: grouping hundreds of thousands of findings takes seconds. They are
 * valid as long as the report does not change. Safe to repeat, and to run several times at once.
 *
 * @param comparisonId the report's own comparison, if there is one: components are also stored by state
 * @returns which were stored in time; undefined for none: each request for the list then has to wait
 */
export async function storeComponents(
  db: Kysely<Database>,
  reportId: string,
  comparisonId: string | null,
): Promise<Which | undefined> {
  const store = (which: Which) =>
    endsInTime(() =>
      db.transaction().execute(async (trx) => void (await groupAndStore(trx, reportId, comparisonId, which))),
    );
  if (await store("all")) return "all";
  return (await store("first")) ? "first" : undefined;
}

/** Which components are stored: the first ones are those that a request for the list needs most. */
type Which = "all" | "first";

/** @returns false when a statement took too long */
async function endsInTime(execute: () => Promise<void>): Promise<boolean> {
  try {
    await execute();
    return true;
  } catch (error) {
    if (!isStatementTimeout(error)) throw error;
    return false;
  }
}

/** The same for a report with such a list that is outdated. A list that takes too long stays so. */
export async function renewComponents(db: Kysely<Database>, reportId: string): Promise<void> {
  const list = await findComponentList(db, reportId);
  if (list && !list.is_up_to_date) await storeComponents(db, reportId, list.comparison_id);
}

/**
 * Stores all components in a table of their own, if there are many findings, and the first ones as a list.
 *
 * @param between called between statements that take long; it may throw to end the transaction
 * @returns the version of the report that they are of
 */
export async function groupAndStore(
  trx: Kysely<Database>,
  reportId: string,
  comparisonId: string | null,
  which: Which = "all",
  between: () => Promise<void> = async () => {},
): Promise<string> {
  await planForWholeReports(trx);
  if (!(await lockComponentList(trx, reportId))) return "";
  // Read before the findings: a change in between makes them outdated.
  const version = await readVersion(trx, reportId);
  await deleteComponents(trx, reportId);
  const roles = await storeRoles(trx, reportId);
  await between();
  const numFaults = await countFaults(trx, reportId);
  await between();
  const hasAll = which === "all" && (await hasManyFindings(trx, reportId)) && (await insertAll(trx, reportId));
  await between();
  const hasStates = hasAll && comparisonId !== null && (await insertByState(trx, reportId, comparisonId));
  await between();
  const uniform = hasAll && (await isUniform(trx, reportId));
  await between();
  const causes = await groupCauses(trx, reportId);
  await between();
  await storeComponentList(trx, reportId, {
    version,
    first: await firstComponents(trx, reportId, hasAll),
    hasAll,
    comparisonId: hasStates ? comparisonId : null,
    isUniform: uniform,
    roles,
    numFaults,
    causes,
  });
  await deleteElementCounts(trx, reportId);
  await deleteSectionCauses(trx, reportId);
  await deletePageSums(trx, reportId);
  if (hasAll) {
    await storePageSums(trx, reportId, version);
    await between();
    await storeElementCounts(trx, reportId, { version, comparisonId });
    await between();
    await storeSectionCauses(trx, reportId);
    await between();
  }
  await storeMet(trx, reportId);
  return version;
}
