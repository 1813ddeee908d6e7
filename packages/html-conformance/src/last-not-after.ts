/** The index of the last of the ascending items that is not after an offset; -1 for none. */
export function lastNotAfter<Item>(items: readonly Item[], offsetOf: (item: Item) => number, offset: number): number {
  let [low, high] = [0, items.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (offsetOf(items[middle] as Item) <= offset) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
