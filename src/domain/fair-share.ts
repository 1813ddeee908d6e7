/** Places that stay free for those who have none. */
const RESERVED = 0.2;

/**
 * Whether a caller may take one more of a limited number of places. Who has none may take any that is free; who has
 * some may take another only while more than that are free, apart from the reserved ones. So one caller gets at most two
 * fifths, several get less each the more they are, and there is room for a new one (dynamic thresholds, as switches
 * share their buffers).
 *
 * @param own places that the caller has
 * @param used places that are taken, the caller's included
 */
export function mayTake(own: number, used: number, max: number): boolean {
  const free = max - used;
  return own === 0 ? free > 0 : own < free - Math.floor(max * RESERVED);
}
