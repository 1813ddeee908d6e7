import type { Check } from "./text.ts";

/** Up to this many values are kept for each check, none longer than this. */
const MAX_KEPT = 2_000;
const MAX_KEPT_LENGTH = 200;
/** Shorter parts of a string are copies of their own in V8. */
const MIN_SHARED_LENGTH = 13;

/** A check that remembers its results for short values. */
export function remembering(check: Check): Check {
  const kept = new Map<string, string | null>();
  return (value) => {
    if (value.length > MAX_KEPT_LENGTH) return check(value);
    const known = kept.get(value);
    if (known !== undefined) return known ?? undefined;
    const result = check(value);
    if (kept.size >= MAX_KEPT) kept.clear();
    kept.set(unshared(value), result === undefined ? null : unshared(result));
    return result;
  };
}

/** A copy that does not keep the whole page alive, as a part of its source would. */
export function unshared(text: string): string {
  return text.length < MIN_SHARED_LENGTH ? text : Buffer.from(text, "utf16le").toString("utf16le");
}
