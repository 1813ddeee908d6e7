/**
 * Rounds numbers so that they add up to their sum as that is rounded: those that lose the most by being cut off are rounded
 * up.
 *
 * @param parts not negative
 * @param digits behind the point
 */
export function roundedParts(parts: readonly number[], digits: number): number[] {
  const unit = 10 ** digits;
  // As the sum is rounded where it stands alone.
  const sum = Number(parts.reduce((total, part) => total + part, 0).toFixed(digits));
  const cut = parts.map((part) => Math.floor(part * unit + 1e-9));
  const left = Math.round(sum * unit) - cut.reduce((total, part) => total + part, 0);
  const byLoss = parts
    .map((part, index) => ({ index, loss: part * unit - (cut[index] ?? 0) }))
    .toSorted((a, b) => b.loss - a.loss || a.index - b.index)
    .slice(0, Math.max(0, left));
  const up = new Set(byLoss.map(({ index }) => index));
  return cut.map((part, index) => (part + (up.has(index) ? 1 : 0)) / unit);
}
