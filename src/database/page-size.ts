/** The most bytes of the large parts of rows on one page of a list: a response is built in memory. */
export const MAX_PAGE_BYTES = 2_000_000;

/**
 * How many rows a page of a list has: as many as requested, or fewer when they are large. Pages are numbered, so a
 * smaller page keeps its place in the list only if the rows before it fill whole pages of that size.
 *
 * @param bytes the size of each row of the page, at most `limit`
 * @returns the largest size of which `offset` is a multiple and that fits; at least 1
 */
export function fittingSize(
  bytes: readonly number[],
  { limit, offset }: { limit: number; offset: number },
  max: number = MAX_PAGE_BYTES,
): number {
  let rows = 0;
  for (let sum = bytes[0] ?? 0; rows < bytes.length && sum <= max; sum += bytes[rows] ?? 0) rows += 1;
  if (rows === bytes.length) return limit;
  let size = Math.max(1, rows);
  while (offset % size !== 0) size -= 1;
  return size;
}
