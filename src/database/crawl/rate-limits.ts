import { type Kysely, sql } from "kysely";
import type { Database } from "../tables.ts";

/** A slot later than this was taken before the clock was set back. */
const CLOCK_SLACK_SECONDS = 30;

/** How many slots may be used now, or how long it takes until one is free. */
export type Slots = { taken: number; waitMs: number };

/**
 * Takes slots of a report's rate limit, which is shared by all processes that request its pages. Nothing is reserved in
 * advance: a slot counts from the moment it is taken, so that a process that waits, hangs or ends cannot bring two
 * requests of others too close together. One short statement on a small row; the caller waits outside of it.
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
  // A report that has been deleted has no limit any more: those who wait find out by themselves.
  if (!row || row.taken) return { taken: wanted, waitMs: 0 };
  return { taken: 0, waitMs: Math.max(1, Math.ceil(row.wait * 1000)) };
}
