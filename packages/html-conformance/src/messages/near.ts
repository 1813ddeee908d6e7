/**
 * The name that is meant by a mistyped one: one letter is added, missing or different, or two are swapped.
 */
export function near(name: string, known: Iterable<string>): string | undefined {
  for (const one of known) if (isNear(one, name)) return one;
  return undefined;
}

function isNear(a: string, b: string): boolean {
  if (a.length < 3 || Math.abs(a.length - b.length) > 1 || a === b) return false;
  let start = 0;
  while (start < a.length && a[start] === b[start]) start++;
  let end = 0;
  while (end < Math.min(a.length, b.length) - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end++;
  const left = [a.slice(start, a.length - end), b.slice(start, b.length - end)] as const;
  if (left[0].length <= 1 && left[1].length <= 1) return true;
  return left[0].length === 2 && left[1] === [...left[0]].reverse().join("");
}
