import { type Kysely, sql } from "kysely";
import { executePrepared } from "../connection/prepared.ts";
import type { Database } from "../tables.ts";

/**
 * Bytes that the specs of an account's Reports and Schedules may take together while their resources exist: the
 * cluster keeps them in etcd, and the controller reads all of them. Enough for 50 of the longest, or 10,000 usual ones.
 */
export const MAX_RESOURCE_BYTES = 20_000_000;
/** Bytes counted for a resource besides its spec. */
const OVERHEAD_BYTES = 2_000;
/** A report's resource is kept for ten minutes after the report's end. */
const KEPT = "interval '10 minutes'";

/** Why an account gets no more resources, as a sentence; undefined while it is within its limit. */
export async function resourceExcess(
  db: Kysely<Database>,
  accountId: string,
  limit = MAX_RESOURCE_BYTES,
): Promise<string | undefined> {
  const bytes = sql`coalesce(sum(spec_bytes + ${OVERHEAD_BYTES}), 0)`;
  const statement = sql<{ bytes: string }>`
    select (
      select ${bytes} from reports
      where account_id = ${accountId} and deleted_at is null
        and coalesce(completed_at, 'infinity') > now() - ${sql.raw(KEPT)}
    ) + (
      select ${bytes} from schedules where account_id = ${accountId} and deleted_at is null
    ) as bytes`;
  const { rows } = await executePrepared(db, statement);
  const used = Number(rows[0]?.bytes ?? 0);
  if (used < limit) return undefined;
  const megabytes = (count: number) => `${(count / 1e6).toFixed(1)} MB`;
  return `The definitions of the account's schedules, and of its reports that run or have just ended, take ${megabytes(used)} of ${megabytes(limit)}: wait until reports have ended, or delete some.`;
}
