import { isStatementTimeout } from "./connection/errors.ts";

/** A statement that takes longer than this is followed by one for fewer rows: it must stay far from its time limit. */
const SLOW_MS = 2_000;
/** One that takes less is followed by one for more rows. */
const QUICK_MS = 500;
/** After a statement that exceeded its time limit, so that few more do. */
const SHARE_AFTER_TIMEOUT = 8;

/**
 * How many rows the first statement handles, and the most that one may handle. `skips`: one may handle fewer although
 * there are more, because it leaves out rows that are locked; then only one without any row is the last.
 */
export type BatchSizes = { first: number; most: number; skips?: boolean };

/**
 * How many rows the next statement handles. What a row costs is not known before: a page may have ten thousand findings
 * that are deleted with it, or none.
 *
 * @param took milliseconds; `timeout` when the server ended the statement
 */
export function nextBatchSize(size: number, took: number | "timeout", most: number): number {
  if (took === "timeout") return Math.ceil(size / SHARE_AFTER_TIMEOUT);
  if (took > SLOW_MS) return Math.ceil(size / 2);
  return took < QUICK_MS ? Math.min(most, size * 2) : size;
}

/**
 * Handles all rows in many statements or short transactions, each for as many rows as it can handle well within its
 * time limit. One that exceeds the limit is repeated for fewer rows.
 *
 * @param handle handles up to `size` rows, and returns how many; fewer when there are no more
 * @param signal stops between two statements
 * @param clock milliseconds that never decrease
 * @returns how many rows were handled
 * @throws the error of a statement, except for a time limit that was exceeded with more than one row
 */
export async function inBatches(
  { first, most, skips = false }: BatchSizes,
  handle: (size: number) => Promise<number>,
  signal?: AbortSignal,
  clock: () => number = () => performance.now(),
): Promise<number> {
  let total = 0;
  for (let size = first; !signal?.aborted; ) {
    const from = clock();
    let took: number | "timeout";
    try {
      const count = await handle(size);
      total += count;
      if (count < (skips ? 1 : size)) break;
      took = clock() - from;
    } catch (error) {
      if (size === 1 || !isStatementTimeout(error)) throw error;
      took = "timeout";
    }
    size = nextBatchSize(size, took, most);
  }
  return total;
}
