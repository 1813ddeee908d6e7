import type { Kysely } from "kysely";
import type { MutingOwner } from "../../src/database/accounts/mutings.ts";
import { listOutdatedReports } from "../../src/database/reports/recounts.ts";
import type { Database } from "../../src/database/tables.ts";
import type { MutingCriteria, MutingDefinition } from "../../src/domain/findings/muting.ts";
import { readSelector } from "../../src/domain/selector/read-selector.ts";
import { insertMuting } from "../../src/transactions/change-mutings.ts";
import { recountReport } from "../../src/transactions/recount.ts";

/** A muting without an end, as the API reads it. */
export function mutingOf(criteria: MutingCriteria, others: Partial<MutingDefinition> = {}): MutingDefinition {
  const read = criteria.selector === undefined ? undefined : readSelector(criteria.selector);
  if (read && "wrong" in read) throw new Error(read.wrong);
  return {
    criteria: { ...criteria, ...read },
    category: null,
    comment: null,
    reason: null,
    expiresAt: null,
    ...others,
  };
}

/** Creates a muting. @returns its id */
export async function addMuting(db: Kysely<Database>, owner: MutingOwner, muting: MutingDefinition): Promise<string> {
  const made = await insertMuting(db, owner, muting);
  if ("tooMany" in made) throw new Error(made.tooMany);
  return made.id;
}

/** Recounts until no report is outdated, as the controller does. */
export async function recountAll(db: Kysely<Database>): Promise<void> {
  const { signal } = new AbortController();
  for (let reports = await listOutdatedReports(db); reports.length > 0; reports = await listOutdatedReports(db))
    for (const report of reports) await recountReport(db, report, signal);
}
