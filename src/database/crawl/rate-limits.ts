import { type Kysely, sql } from "kysely";
import type { Database } from "../tables.ts";

/** More requests of one report never wait for their slot at the same time. A later slot is from a clock that was put back since. */
const MAX_WAITING = 1_000;
const CLOCK_SLACK_SECONDS = 10;

/**
 * Reserves the next slot of a report's rate limit, which all processes that request its pages
 * share. The reservation is one short statement on a small row; the caller waits outside of it.
 *
 * @param rateLimit requests per second; 0 means no limit
 * @returns milliseconds to wait before the request may be sent
 */
export async function reserveSlot(db: Kysely<Database>, reportId: string, rateLimit: number): Promise<number> {
  if (rateLimit === 0) return 0;
  const seconds = 1 / rateLimit;
  const { rows } = await sql<{ wait: number }>`
    update rate_limits
    set next_slot = case
        when next_slot > clock_timestamp() + make_interval(secs => ${MAX_WAITING * seconds + CLOCK_SLACK_SECONDS}::float8)
        then clock_timestamp() else greatest(next_slot, clock_timestamp())
      end + make_interval(secs => ${seconds}::float8)
    where report_id = ${reportId}
    returning extract(epoch from next_slot - clock_timestamp())::float8 - ${seconds}::float8 as wait
  `.execute(db);
  return Math.max(0, Math.ceil((rows[0]?.wait ?? 0) * 1000));
}
