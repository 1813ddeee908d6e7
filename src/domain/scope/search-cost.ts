/** V8 searches for a text of up to this length in linear time (Boyer-Moore, whose tables end here). */
const MAX_LINEAR_LENGTH = 250;

/**
 * The cost of searching a URL for texts: 1 for each, but for a long text its length, because there are URLs for which
 * the search takes time proportional to the product of both lengths.
 */
export function searchCost(texts: readonly string[]): number {
  return texts.reduce((sum, { length }) => sum + (length > MAX_LINEAR_LENGTH ? length : 1), 0);
}
