/** Longer texts are no typing mistakes, and comparing them takes time. */
const MAX_LENGTH = 100;

/** The known text that was probably meant: at most one in three letters differs. Undefined if there is none. */
export function nearest(typed: string, known: readonly string[]): string | undefined {
  if (typed.length > MAX_LENGTH) return undefined;
  const limit = Math.floor(typed.length / 3);
  const near = known
    .filter((one) => Math.abs(one.length - typed.length) <= limit)
    .map((one) => ({ one, distance: distance(typed.toLowerCase(), one.toLowerCase()) }))
    .filter((candidate) => candidate.distance <= limit);
  return near.toSorted((a, b) => a.distance - b.distance)[0]?.one;
}

/** How many letters have to be added, left out or replaced (Levenshtein). */
function distance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, at) => at);
  for (const [line, letter] of [...from].entries()) {
    const next = [line + 1];
    for (let at = 1; at <= to.length; at += 1) {
      const replaced = (row[at - 1] ?? 0) + (letter === to[at - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[at] ?? 0) + 1, (next[at - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
