import type { Check } from "./text.ts";

/** Values are kept up to this many for each check, if they are not longer than this. */
const MAX_KEPT = 2_000;
const MAX_KEPT_LENGTH = 200;
/** Shorter parts of a string are copies of their own in V8. */
const MIN_SHARED_LENGTH = 13;

/** A check that knows what it said of short values. */
export function remembering(check: Check): Check {
  const kept = new Map<string, string | null>();
  return (value) => {
    if (value.length > MAX_KEPT_LENGTH) return check(value);
    const known = kept.get(value);
    if (known !== undefined) return known ?? undefined;
    const answer = check(value);
    if (kept.size >= MAX_KEPT) kept.clear();
    kept.set(unshared(value), answer === undefined ? null : unshared(answer));
    return answer;
  };
}

/** A copy that does not keep the whole page alive, as a part of its source would. */
export function unshared(text: string): string {
  return text.length < MIN_SHARED_LENGTH ? text : Buffer.from(text, "utf16le").toString("utf16le");
}
