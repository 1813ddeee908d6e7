/** V8 looks for a text of up to this length in linear time (Boyer-Moore, whose tables end here). */
const MAX_LINEAR_LENGTH = 250;

/**
 * What it costs to look for texts in a URL: one for each, but its length for a long one, because there are URLs in
 * which the search for it takes the product of both lengths.
 */
export function searchCost(texts: readonly string[]): number {
  return texts.reduce((sum, { length }) => sum + (length > MAX_LINEAR_LENGTH ? length : 1), 0);
}
