import { type Kysely, sql } from "kysely";
import type { Database } from "../tables.ts";

/** A later slot is from a clock that was put back since. */
const CLOCK_SLACK_SECONDS = 30;

/** Slots that may be used now, or how long it takes until there is one. */
export type Slots = { taken: number; waitMs: number };

/**
 * Takes slots of a report's rate limit, which all processes that request its pages share. Nothing is reserved ahead:
 * a slot counts from the moment at which it is taken, so that a process that waits, hangs or ends cannot make two
 * requests of others meet. It is one short statement on a small row; the caller waits outside of it.
 *
 * @param rateLimit requests per second, 1 or more
 * @param wanted how many requests are ready to leave: all of them leave together
 */
export async function takeSlots(
  db: Kysely<Database>,
  reportId: string,
  rateLimit: number,
  wanted: number,
): Promise<Slots> {
  const seconds = wanted / rateLimit;
  const { rows } = await sql<{ taken: boolean; wait: number }>`
    with taken as (
      update rate_limits set next_slot = clock_timestamp() + make_interval(secs => ${seconds}::float8)
      where report_id = ${reportId} and (
        next_slot <= clock_timestamp()
        or next_slot > clock_timestamp() + make_interval(secs => ${seconds + CLOCK_SLACK_SECONDS}::float8)
      )
      returning report_id
    )
    select exists (select from taken) as taken,
      extract(epoch from next_slot - clock_timestamp())::float8 as wait
    from rate_limits where report_id = ${reportId}`.execute(db);
  const [row] = rows;
  // A report that is deleted meanwhile has no limit any more: whoever waits finds out by itself.
  if (!row || row.taken) return { taken: wanted, waitMs: 0 };
  return { taken: 0, waitMs: Math.max(1, Math.ceil(row.wait * 1000)) };
}
